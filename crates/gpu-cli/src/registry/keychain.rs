//! All credentials there are, asked in order; a helper runs once for a server, however many images need it.

use std::collections::HashMap;
use std::ffi::OsString;
use std::rc::Rc;

use tokio::sync::Mutex;

use super::config::{Credential, CredentialFile, Origin};
use super::credential_program;
use super::place::Place;
use super::veil::Veil;

type Asked = Result<Option<Credential>, String>;

/// Credentials for one place, and what went wrong on the way to more.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// With where each stands.
    pub(super) credentials: Vec<(String, Credential)>,
    pub(super) trouble: Vec<String>,
}

/// Files of credentials, in the order in which they are tried.
pub(super) struct Keychain {
    files: Vec<CredentialFile>,
    /// Where helpers are found; as for any program where it is not given.
    path: Option<OsString>,
    asked: Mutex<HashMap<(String, String), Asked>>,
    veil: Rc<Veil>,
}

impl Keychain {
    pub(super) fn new(files: Vec<CredentialFile>, path: Option<OsString>, veil: Rc<Veil>) -> Self {
        Self {
            files,
            path,
            asked: Mutex::default(),
            veil,
        }
    }

    /// Everything that may open this place, the best first.
    pub(super) async fn find(&self, place: &Place) -> Found {
        let mut found = Found::default();
        for file in &self.files {
            for origin in file.find(place) {
                let (from, credential) = match origin {
                    Origin::Written(it) => (file.name.clone(), it),
                    Origin::Helper { name, server } => match self.ask(&name, &server).await {
                        Ok(Some(it)) => (format!("docker-credential-{name}"), it),
                        Ok(None) => continue,
                        Err(why) => {
                            found.trouble.push(why);
                            continue;
                        }
                    },
                };
                credential
                    .secrets()
                    .iter()
                    .for_each(|it| self.veil.hide(it));
                found.credentials.push((from, credential));
            }
        }
        found
    }

    async fn ask(&self, name: &str, server: &str) -> Asked {
        // Held while it runs: whoever else needs it waits for the same answer.
        let mut asked = self.asked.lock().await;
        let key = (name.to_owned(), server.to_owned());
        if let Some(known) = asked.get(&key) {
            return known.clone();
        }
        let answer = credential_program::ask(name, server, self.path.as_deref()).await;
        asked.insert(key, answer.clone());
        answer
    }
}
