//! Does one image exist: a HEAD where that tells all, a GET where the architecture or a registry's words are needed.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::{StreamExt, stream};
use gpu_core::drivertag::existence::{Existence, ImageRef, Question};
use http::{Method, StatusCode};

use super::answer::{Answer, Refusal};
use super::client::{Client, run};
use super::failure::Failure;
use super::manifest::{self, Manifest};
use super::options::Options;
use super::patience::Patience;
use super::place::{Place, in_address, is_digest};
use super::session::Session;

/// How many images are asked about at the same time.
const AT_A_TIME: usize = 8;
/// What every image is for unless it says otherwise, so that nobody has to look.
const USUAL: &str = "amd64";
/// What registries call a thing that is not there.
const NOT_THERE: [&str; 5] = [
    "MANIFEST_UNKNOWN",
    "NAME_UNKNOWN",
    "MANIFEST_BLOB_UNKNOWN",
    "TAG_UNKNOWN",
    "NOT_FOUND",
];

/// What was seen of one image.
#[derive(Clone, Debug)]
enum Seen {
    Nothing,
    /// With its architectures, where somebody needed to know.
    Image(Option<BTreeSet<String>>),
}

/// Asks the registries about these images: the answers in the same order, every image asked about once however many
/// questions are about it, at most eight at a time, each within the time of one request.
pub fn look_up(questions: &[Question], options: &Options) -> Vec<Existence> {
    let mut images: BTreeMap<&ImageRef, BTreeSet<&str>> = BTreeMap::new();
    for it in questions {
        let asked = images.entry(&it.image).or_default();
        asked.extend(it.architectures.iter().map(String::as_str));
    }
    let answers = run(options, async |client| {
        let looks = images.iter().map(|(image, architectures)| async {
            let closer = architectures.iter().any(|it| *it != USUAL);
            (*image, look(client, image, closer, options).await)
        });
        let all = stream::iter(looks).buffer_unordered(AT_A_TIME);
        all.collect::<BTreeMap<_, _>>().await
    });
    let answer = |it: &Question| match &answers {
        Err(why) => why.clone().into(),
        Ok(all) => match all.get(&it.image) {
            Some(Ok(seen)) => seen.for_architectures(&it.architectures),
            Some(Err(why)) => why.clone().into(),
            None => Existence::NotAsked,
        },
    };
    questions.iter().map(answer).collect()
}

impl Seen {
    fn for_architectures(&self, wanted: &[String]) -> Existence {
        match self {
            Self::Nothing => Existence::Absent,
            Self::Image(None) => Existence::Present,
            Self::Image(Some(has)) => {
                let lacks: Vec<_> = wanted
                    .iter()
                    .filter(|it| !has.contains(*it))
                    .cloned()
                    .collect();
                match lacks.is_empty() {
                    true => Existence::Present,
                    false => Existence::WrongArchitecture(lacks),
                }
            }
        }
    }
}

/// One image, within the time there is for it.
async fn look(
    client: &Client,
    image: &ImageRef,
    closer: bool,
    options: &Options,
) -> Result<Seen, Failure> {
    let place = Place::of(image, options.mirror.as_ref()).map_err(Failure::Unreachable)?;
    let reference = in_address(&image.reference).map_err(Failure::Unreachable)?;
    let session = client.session(place)?;
    if let Some(why) = session.host.dead() {
        return Err(why);
    }
    let patience = Patience::start(options.timeout);
    let one = Look {
        client,
        session: &session,
        patience,
    };
    match patience.bound(one.manifest(reference, closer)).await {
        Some(it) => it,
        None => {
            // Whoever asks next would wait as long for nothing.
            let late = patience.late();
            session.host.give_up(&late);
            Err(late)
        }
    }
}

struct Look<'a> {
    client: &'a Client,
    session: &'a Session,
    patience: Patience,
}

impl Look<'_> {
    async fn get(&self, method: Method, path: &str, accept: &str) -> Result<Answer, Failure> {
        self.session
            .ask(self.client, &method, path, accept, self.patience)
            .await
    }

    async fn manifest(&self, reference: &str, closer: bool) -> Result<Seen, Failure> {
        let path = format!(
            "/v2/{}/manifests/{reference}",
            self.session.place.repository
        );
        let accept = manifest::accept();
        if !closer {
            let answer = self.get(Method::HEAD, &path, &accept).await?;
            if answer.status == StatusCode::OK && manifest::is_named(&answer) {
                return Ok(Seen::Image(None));
            }
            let has_no_head = answer.status == StatusCode::NOT_IMPLEMENTED;
            if answer.status.is_server_error() && !has_no_head {
                return Err(self.odd(&answer));
            }
            // An answer to HEAD has no words: no registry's "not there" to tell from any other server's.
        }
        let answer = self.get(Method::GET, &path, &accept).await?;
        match answer.status {
            StatusCode::OK => match (manifest::read(&answer.body), closer) {
                (Some(_), false) => Ok(Seen::Image(None)),
                (Some(it), true) => self.architectures(it).await,
                (None, _) => Err(self.no_registry(&answer)),
            },
            StatusCode::NOT_FOUND => self.not_found(&answer),
            StatusCode::FORBIDDEN => Err(self.denied(&answer)),
            _ => Err(self.odd(&answer)),
        }
    }

    async fn architectures(&self, manifest: Manifest) -> Result<Seen, Failure> {
        let digest = match manifest {
            Manifest::List(all) => return Ok(Seen::Image(Some(all))),
            Manifest::Image(digest) if is_digest(&digest) => digest,
            Manifest::Image(_) | Manifest::Other => return Err(self.untold("it does not say")),
        };
        let path = format!("/v2/{}/blobs/{digest}", self.session.place.repository);
        let answer = self.get(Method::GET, &path, "*/*").await?;
        if answer.status != StatusCode::OK {
            return Err(self.untold(&answer.words(&self.client.transport.veil)));
        }
        match manifest::architecture(&answer.body) {
            Some(it) => Ok(Seen::Image(Some([it].into()))),
            None => Err(self.untold("its configuration does not say")),
        }
    }

    /// Only a registry's own 404 says that an image is not there.
    fn not_found(&self, answer: &Answer) -> Result<Seen, Failure> {
        let Some(refusals) = answer.refusals() else {
            let empty = answer.body.is_empty() && answer.names_the_api();
            return if empty {
                Ok(Seen::Nothing)
            } else {
                Err(self.no_registry(answer))
            };
        };
        let says = |codes: &[&str]| {
            let one_of = |it: &Refusal| codes.contains(&it.code.to_ascii_uppercase().as_str());
            refusals.iter().any(one_of)
        };
        if says(&["DENIED", "UNAUTHORIZED"]) {
            return Err(self.denied(answer));
        }
        if says(&NOT_THERE) || answer.names_the_api() {
            return Ok(Seen::Nothing);
        }
        Err(self.odd(answer))
    }

    fn denied(&self, answer: &Answer) -> Failure {
        Failure::Denied(self.said(answer))
    }

    fn odd(&self, answer: &Answer) -> Failure {
        Failure::Unreachable(self.said(answer))
    }

    fn no_registry(&self, answer: &Answer) -> Failure {
        let host = self.session.place.host();
        let status = answer.status.as_u16();
        let what = match answer.media_type() {
            "text/html" => "a web page",
            _ => "something else than a registry's answer",
        };
        Failure::Unreachable(format!("{host} is not a registry: {what} ({status})"))
    }

    fn untold(&self, why: &str) -> Failure {
        let place = &self.session.place;
        Failure::Unreachable(format!(
            "{}/{} has the image, and its architecture cannot be read: {why}",
            place.registry, place.repository
        ))
    }

    fn said(&self, answer: &Answer) -> String {
        let words = answer.words(&self.client.transport.veil);
        format!("{}: {words}", self.session.place.registry)
    }
}
