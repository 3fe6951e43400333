//! All tags of a repository, page by page, as the registry pages them and not as we would like it to.
//!
//! oci-client's `list_tags` reads one page and ignores `Link`; hence our own.

use std::collections::{BTreeSet, HashSet};

use gpu_core::drivertag::existence::{Existence, ImageRef};
use http::{Method, StatusCode};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;

use super::answer::Answer;
use super::client::{Client, run};
use super::failure::Failure;
use super::link;
use super::options::Options;
use super::patience::Patience;
use super::place::Place;
use super::session::Session;

/// What most registries give at most.
const PAGE: usize = 1000;
/// Nobody has more pages; a list that long does not end.
const MOST_PAGES: usize = 5000;
/// Nor does one with so many pages in a row that have nothing new.
const MOST_BARREN: usize = 10;

#[derive(Deserialize)]
struct Page {
    tags: Option<Vec<String>>,
}

/// All tags of the repository an image is in, sorted, each once; of the mirror's, where there is one.
/// Each page has the time of one request. `Absent` if the registry has no such repository.
pub fn list_tags(of: &ImageRef, options: &Options) -> Result<Vec<String>, Existence> {
    let place = Place::of(of, options.mirror.as_ref()).map_err(Existence::Unreachable)?;
    let listed = run(options, async |client| {
        let session = client.session(place)?;
        let list = List {
            client,
            session: &session,
            options,
        };
        list.all().await
    });
    match listed {
        Ok(Ok(Some(tags))) => Ok(tags.into_iter().collect()),
        Ok(Ok(None)) => Err(Existence::Absent),
        Ok(Err(why)) | Err(why) => Err(why.into()),
    }
}

struct List<'a> {
    client: &'a Client,
    session: &'a Session,
    options: &'a Options,
}

impl List<'_> {
    /// `None` if there is no such repository.
    async fn all(&self) -> Result<Option<BTreeSet<String>>, Failure> {
        let base = format!("/v2/{}/tags/list?n={PAGE}", self.session.place.repository);
        let mut tags = BTreeSet::new();
        let mut read = HashSet::new();
        let mut linked = false;
        let mut barren = 0;
        let mut path = base.clone();
        for _ in 0..MOST_PAGES {
            read.insert(path.clone());
            let mut answer = self.page(&path).await?;
            if answer.status == StatusCode::BAD_REQUEST && read.len() == 1 {
                // Some refuse a page that is longer than theirs.
                let short = path.split('?').next().unwrap_or_default().to_owned();
                answer = self.page(&short).await?;
            }
            let Some(page) = self.tags(&answer)? else {
                return Ok(if read.len() == 1 { None } else { Some(tags) });
            };
            let last = page.last().cloned();
            let before = tags.len();
            tags.extend(page);
            barren = if tags.len() > before { 0 } else { barren + 1 };
            if barren > MOST_BARREN {
                break;
            }
            let next = match (link::next(&answer.headers), last) {
                (Some(target), _) => {
                    linked = true;
                    let page = self.session.host.address(&path)?;
                    link::on_host(&target, &page).map_err(|it| self.odd(&it))?
                }
                // Some cap a page without a word: the last tag found asks for more, until that finds nothing new.
                (None, Some(last)) if !linked && tags.len() > before => {
                    let last = utf8_percent_encode(&last, NON_ALPHANUMERIC);
                    format!("{base}&last={last}")
                }
                _ => return Ok(Some(tags)),
            };
            // A list that leads back to a page is a circle.
            if read.contains(&next) {
                return Ok(Some(tags));
            }
            path = next;
        }
        Err(self.odd("its list of tags does not end"))
    }

    async fn page(&self, path: &str) -> Result<Answer, Failure> {
        let patience = Patience::start(self.options.timeout);
        let accept = "application/json";
        let ask = self
            .session
            .ask(self.client, &Method::GET, path, accept, patience);
        patience
            .bound(ask)
            .await
            .unwrap_or_else(|| Err(patience.late()))
    }

    fn tags(&self, answer: &Answer) -> Result<Option<Vec<String>>, Failure> {
        let registry = &self.session.place.registry;
        let said = || format!("{registry}: {}", answer.words(&self.client.transport.veil));
        match answer.status {
            StatusCode::OK => {
                let page: Page = serde_json::from_slice(&answer.body)
                    .map_err(|_| self.odd("what it answers is no list of tags"))?;
                Ok(Some(page.tags.unwrap_or_default()))
            }
            StatusCode::NOT_FOUND if answer.refusals().is_some() => Ok(None),
            StatusCode::FORBIDDEN => Err(Failure::Denied(said())),
            _ => Err(Failure::Unreachable(said())),
        }
    }

    fn odd(&self, why: &str) -> Failure {
        Failure::Unreachable(format!("{}: {why}", self.session.place.registry))
    }
}
