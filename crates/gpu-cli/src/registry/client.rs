//! Everything that is kept while a list of questions is answered: connections, credentials, hosts, sessions.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use tokio::runtime::Builder;

use super::failure::Failure;
use super::host::Host;
use super::keychain::Keychain;
use super::options::Options;
use super::place::Place;
use super::session::Session;
use super::transport::Transport;
use super::trust;
use crate::read::live::client::user_agent;

/// What all questions share.
pub(super) struct Client {
    pub(super) transport: Transport,
    pub(super) keychain: Keychain,
    insecure: bool,
    hosts: RefCell<HashMap<String, Rc<Host>>>,
    sessions: RefCell<HashMap<Place, Rc<Session>>>,
}

impl Client {
    fn new(options: &Options) -> Result<Self, String> {
        let tls = trust::tls(&options.authorities, options.insecure)?;
        let agent = user_agent(options.program).map_err(|it| it.to_string())?;
        let surroundings = &options.surroundings;
        let environment = surroundings.network.clone();
        let transport = Transport::new(tls, environment, agent, options.log.clone());
        let veil = Rc::clone(&transport.veil);
        let files = options.credentials.clone();
        Ok(Self {
            keychain: Keychain::new(files, surroundings.path.clone(), veil),
            transport,
            insecure: options.insecure,
            hosts: RefCell::default(),
            sessions: RefCell::default(),
        })
    }

    /// The host of this name, as one and the same for all.
    pub(super) fn host(&self, name: &str, scheme: Option<&'static str>) -> Rc<Host> {
        let mut hosts = self.hosts.borrow_mut();
        let host = hosts
            .entry(name.to_lowercase())
            .or_insert_with(|| Rc::new(Host::new(name, scheme, self.insecure)));
        Rc::clone(host)
    }

    /// The session for this place. The error is for plain HTTP where it is not allowed.
    pub(super) fn session(&self, place: Place) -> Result<Rc<Session>, Failure> {
        let scheme = place.plain.then_some("http");
        let host = self.host(place.host(), scheme);
        if place.plain && !host.plain_allowed() {
            let why = format!(
                "{} is to be asked without TLS, which takes --registry-insecure",
                place.registry
            );
            return Err(Failure::Untrusted(why));
        }
        let mut sessions = self.sessions.borrow_mut();
        let session = sessions
            .entry(place.clone())
            .or_insert_with(|| Rc::new(Session::new(place, host)));
        Ok(Rc::clone(session))
    }
}

/// Does this with a client in a runtime of its own, and leaves nothing of it behind.
pub(super) fn run<T>(
    options: &Options,
    work: impl AsyncFnOnce(&Client) -> T,
) -> Result<T, Failure> {
    let cannot = |why: String| Failure::Unreachable(format!("cannot start: {why}"));
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|it| cannot(it.to_string()))?;
    let done = runtime.block_on(async {
        let client = Client::new(options).map_err(cannot)?;
        Ok(work(&client).await)
    });
    // Without waiting for a name look-up that may still hang.
    runtime.shutdown_background();
    done
}
