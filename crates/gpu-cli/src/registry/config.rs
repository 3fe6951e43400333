//! A file of credentials: docker's `config.json`, podman's `auth.json`, or a pull secret of the cluster.
//!
//! Own code, because docker_credential 1.4 cuts keys to the registry's host (so the per-repository entries of
//! `auth.json` and of pull secrets are lost), knows no wildcards, and puts what a helper printed into its errors.

use std::collections::BTreeMap;
use std::path::Path;

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;

use super::place::{Place, is_docker_hub};

/// What a registry or its token service is shown.
#[derive(Clone, Debug)]
pub(super) enum Credential {
    Login {
        user: String,
        password: SecretString,
    },
    /// To be exchanged for tokens.
    Identity(SecretString),
    /// A token as the registry takes it.
    Token(SecretString),
}

/// Where a credential comes from.
#[derive(Clone, Debug)]
pub(super) enum Origin {
    Written(Credential),
    /// The helper of this name, asked for this server.
    Helper {
        name: String,
        server: String,
    },
}

/// Credentials in the order in which they are tried, and where they stand.
#[derive(Clone, Debug)]
pub struct CredentialFile {
    /// How the user knows it: a path, or the name of a secret.
    pub(super) name: String,
    entries: Vec<(Key, Credential)>,
    helpers: Vec<(Key, String)>,
    store: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct File {
    auths: Option<BTreeMap<String, Option<Entry>>>,
    creds_store: Option<String>,
    cred_helpers: Option<BTreeMap<String, String>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Entry {
    auth: Option<String>,
    username: Option<String>,
    password: Option<String>,
    identitytoken: Option<String>,
    registrytoken: Option<String>,
}

impl CredentialFile {
    /// Reads a file of docker or podman. The error quotes nothing of it.
    pub fn read(path: &Path) -> Result<Self, String> {
        let name = path.display().to_string();
        let bytes = std::fs::read(path).map_err(|it| format!("cannot read {name}: {it}"))?;
        let file: File = serde_json::from_slice(&bytes).map_err(|it| unreadable(&name, &it))?;
        let helpers = file.cred_helpers.unwrap_or_default().into_iter();
        Ok(Self {
            entries: entries(file.auths.unwrap_or_default(), &name)?,
            helpers: helpers
                .filter(|it| is_helper(&it.1))
                .map(|(key, it)| (Key::of(&key), it))
                .collect(),
            store: file.creds_store.filter(|it| is_helper(it)),
            name,
        })
    }

    /// Reads a secret of type `kubernetes.io/dockerconfigjson` or the older `kubernetes.io/dockercfg`. Helpers are
    /// not taken from it: the cluster does not choose what runs on this machine. The error quotes nothing of it.
    pub fn of_secret(name: &str, bytes: &[u8]) -> Result<Self, String> {
        let bad = |it: serde_json::Error| unreadable(name, &it);
        let whole: BTreeMap<String, serde_json::Value> =
            serde_json::from_slice(bytes).map_err(bad)?;
        let auths = if whole.contains_key("auths") {
            let file: File = serde_json::from_slice(bytes).map_err(bad)?;
            file.auths.unwrap_or_default()
        } else {
            serde_json::from_slice(bytes).map_err(bad)?
        };
        Ok(Self {
            entries: entries(auths, name)?,
            helpers: Vec::new(),
            store: None,
            name: name.to_owned(),
        })
    }

    /// What may open this place, the best first: the helper for its registry, else the entries for it, the longest
    /// path first, else the store.
    pub(super) fn find(&self, place: &Place) -> Vec<Origin> {
        let helper = |name: &String| Origin::Helper {
            name: name.clone(),
            server: if is_docker_hub(&place.registry) {
                "https://index.docker.io/v1/".to_owned()
            } else {
                place.registry.clone()
            },
        };
        if let Some((_, name)) = self.helpers.iter().find(|it| it.0.fits(place).is_some()) {
            return vec![helper(name)];
        }
        let mut found: Vec<_> = self
            .entries
            .iter()
            .filter_map(|(key, it)| Some((key.fits(place)?, it)))
            .collect();
        found.sort_by_key(|it| std::cmp::Reverse(it.0));
        match (found.is_empty(), &self.store) {
            (true, Some(name)) => vec![helper(name)],
            _ => found
                .into_iter()
                .map(|it| Origin::Written(it.1.clone()))
                .collect(),
        }
    }
}

/// serde's own words quote values.
fn unreadable(name: &str, error: &serde_json::Error) -> String {
    let (line, column) = (error.line(), error.column());
    format!("{name} is no file of registry credentials (line {line}, column {column})")
}

/// A helper is found on PATH by its name; a path in its place would run anything.
fn is_helper(name: &str) -> bool {
    let legal = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    !name.is_empty() && name.chars().all(legal)
}

fn entries(
    auths: BTreeMap<String, Option<Entry>>,
    name: &str,
) -> Result<Vec<(Key, Credential)>, String> {
    let mut all = Vec::new();
    for (key, entry) in auths {
        // Where a store keeps the credentials, the file has an empty entry.
        let credential = entry
            .unwrap_or_default()
            .credential()
            .map_err(|why| format!("{name}: the entry {key}: {why}"))?;
        all.extend(credential.map(|it| (Key::of(&key), it)));
    }
    Ok(all)
}

impl Entry {
    fn credential(self) -> Result<Option<Credential>, String> {
        let given = |it: Option<String>| it.filter(|it| !it.is_empty());
        if let Some(it) = given(self.registrytoken) {
            return Ok(Some(Credential::Token(it.into())));
        }
        if let Some(it) = given(self.identitytoken) {
            return Ok(Some(Credential::Identity(it.into())));
        }
        if let Some(it) = given(self.auth) {
            return decode(&it).map(Some);
        }
        let (Some(user), Some(password)) = (given(self.username), given(self.password)) else {
            return Ok(None);
        };
        Ok(Some(Credential::login(user, password)))
    }
}

impl Credential {
    /// A login, or the token that helpers and files write as one.
    pub(super) fn login(user: String, password: String) -> Self {
        let password = SecretString::from(password);
        if user == "<token>" {
            return Self::Identity(password);
        }
        Self::Login { user, password }
    }

    /// What of it must not be shown.
    pub(super) fn secrets(&self) -> Vec<SecretString> {
        match self {
            Self::Login { user, password } => {
                let both = format!("{user}:{}", password.expose_secret());
                let sent = base64::engine::general_purpose::STANDARD.encode(both);
                vec![password.clone(), sent.into()]
            }
            Self::Identity(it) | Self::Token(it) => vec![it.clone()],
        }
    }
}

fn decode(auth: &str) -> Result<Credential, String> {
    let lenient =
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let decoded = GeneralPurpose::new(&STANDARD, lenient)
        .decode(auth.trim())
        .ok()
        .and_then(|it| String::from_utf8(it).ok())
        .ok_or("its auth is not base64 of user:password")?;
    let (user, password) = decoded
        .split_once(':')
        .ok_or("its auth is not base64 of user:password")?;
    let password = password.trim_end_matches('\0').to_owned();
    Ok(Credential::login(user.to_owned(), password))
}

/// What an entry is for: a registry, where a label of its name may be `*`, and possibly a path below it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Key {
    host: String,
    path: String,
}

impl Key {
    /// `nvcr.io`, `https://index.docker.io/v1/`, `host:5000/team`, `*.example.com`.
    fn of(text: &str) -> Self {
        let bare = text.split_once("://").map_or(text, |it| it.1);
        let bare = bare.trim_end_matches('/');
        let bare = ["/v1", "/v2"]
            .iter()
            .find_map(|it| bare.strip_suffix(it))
            .unwrap_or(bare);
        let (host, path) = bare.split_once('/').unwrap_or((bare, ""));
        Self {
            host: host.to_lowercase(),
            path: path.to_owned(),
        }
    }

    /// How well it fits: by the length of the path, then by the name in full rather than with `*`.
    fn fits(&self, place: &Place) -> Option<(usize, bool)> {
        let below = || {
            let rest = place.repository.strip_prefix(&self.path)?;
            (rest.is_empty() || rest.starts_with('/')).then_some(())
        };
        if !self.path.is_empty() {
            below()?;
        }
        let registry = place.registry.to_lowercase();
        let same = self.host == registry || (is_docker_hub(&self.host) && is_docker_hub(&registry));
        (same || self.covers(&registry)).then_some((self.path.len(), same))
    }

    /// As the kubelet does it: label by label, with the port as it is.
    fn covers(&self, registry: &str) -> bool {
        let (names, port) = self.host.split_once(':').unwrap_or((&self.host, ""));
        let (asked, asked_port) = registry.split_once(':').unwrap_or((registry, ""));
        let labels: Vec<_> = names.split('.').collect();
        let asked: Vec<_> = asked.split('.').collect();
        names.contains('*')
            && port == asked_port
            && labels.len() == asked.len()
            && labels.iter().zip(&asked).all(|(a, b)| glob(a, b))
    }
}

/// One label with stars.
fn glob(pattern: &str, text: &str) -> bool {
    let Some((head, tail)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(rest) = text.strip_prefix(head) else {
        return false;
    };
    (0..=rest.len()).any(|at| rest.is_char_boundary(at) && glob(tail, &rest[at..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(registry: &str, repository: &str) -> Place {
        Place {
            registry: registry.to_owned(),
            repository: repository.to_owned(),
            plain: false,
        }
    }

    fn user(file: &CredentialFile, registry: &str, repository: &str) -> String {
        let users = file
            .find(&place(registry, repository))
            .into_iter()
            .map(|it| match it {
                Origin::Written(Credential::Login { user, .. }) => user,
                Origin::Written(Credential::Identity(_)) => "identity".to_owned(),
                Origin::Written(Credential::Token(_)) => "token".to_owned(),
                Origin::Helper { name, server } => format!("{name}!{server}"),
            });
        users.collect::<Vec<_>>().join(" ")
    }

    fn written(text: &str) -> Result<CredentialFile, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.json");
        std::fs::write(&path, text).unwrap();
        CredentialFile::read(&path)
    }

    #[test]
    fn the_longest_path_wins_and_a_full_name_before_a_star() {
        let file = written(
            r#"{"auths": {
            "r.example": {"username":"host","password":"p"},
            "r.example/team": {"username":"team","password":"p"},
            "https://r.example/team/gpu/": {"username":"gpu","password":"p"},
            "*.example": {"username":"star","password":"p"},
            "R.EXAMPLE:5000": {"username":"port","password":"p"},
            "https://index.docker.io/v1/": {"auth":"aHViOnA"},
            "id.example": {"auth":"PHRva2VuPjp0"},
            "id2.example": {"identitytoken":"t","auth":"aHViOnA="},
            "empty.example": {}, "null.example": null}}"#,
        )
        .unwrap();
        for (registry, repository, want) in [
            ("r.example", "team/gpu/driver", "gpu team host star"),
            ("r.example", "team/gpu", "gpu team host star"),
            ("r.example", "team/gpu2", "team host star"),
            ("r.example", "teams", "host star"),
            ("q.example", "x", "star"),
            ("a.q.example", "x", ""),
            ("r.example:5000", "x", "port"),
            ("docker.io", "library/x", "hub"),
            ("registry-1.docker.io", "x", "hub"),
            ("id.example", "x", "identity star"),
            ("id2.example", "x", "identity star"),
            ("null.example", "x", "star"),
            ("nvcr.io", "nvidia/driver", ""),
        ] {
            assert_eq!(
                user(&file, registry, repository),
                want,
                "{registry}/{repository}"
            );
        }
        assert!(!format!("{file:?}").contains("\"p\""));
    }

    #[test]
    fn helpers_come_first_and_the_store_last() {
        let file = written(
            r#"{"credsStore":"desktop","credHelpers":{"ecr.example":"ecr-login","bad.example":"../x"},
            "auths":{"ecr.example":{"auth":"YTpi"},"own.example":{"auth":"b3duOnA="},"empty.example":{}}}"#,
        )
        .unwrap();
        for (registry, want) in [
            ("ecr.example", "ecr-login!ecr.example"),
            ("own.example", "own"),
            ("empty.example", "desktop!empty.example"),
            ("docker.io", "desktop!https://index.docker.io/v1/"),
            ("bad.example", "desktop!bad.example"),
        ] {
            assert_eq!(user(&file, registry, "x"), want, "{registry}");
        }
    }

    #[test]
    fn secrets_of_the_cluster_are_read_in_both_forms_and_run_nothing() {
        let new = br#"{"auths":{"nvcr.io":{"auth":"JG9hdXRodG9rZW46cA=="}},"credsStore":"x","credHelpers":{"a.io":"x"}}"#;
        let old = br#"{"nvcr.io":{"username":"$oauthtoken","password":"p"}}"#;
        for bytes in [&new[..], &old[..]] {
            let file = CredentialFile::of_secret("gpu-operator/ngc", bytes).unwrap();
            assert_eq!(user(&file, "nvcr.io", "nvidia/driver"), "$oauthtoken");
            assert_eq!(user(&file, "a.io", "x"), "");
        }
    }

    #[test]
    fn what_cannot_be_read_is_named_and_not_quoted() {
        for text in [
            r#"{"auths":{"a":{"auth":"%%hunter2"}}}"#,
            r#"{"auths":{"a":{"auth":"aHVudGVyMg=="}}}"#,
            r#"{"auths":{"a":"hunter2"}}"#,
            r#"{"auths":"hunter2"}"#,
            "hunter2",
        ] {
            let error = written(text).unwrap_err();
            assert!(error.contains("config.json"), "{error}");
            assert!(
                !error.contains("hunter2") && !error.contains("aHVu"),
                "{error}"
            );
        }
        assert!(
            CredentialFile::of_secret("ns/name", b"{")
                .unwrap_err()
                .contains("ns/name")
        );
    }
}
