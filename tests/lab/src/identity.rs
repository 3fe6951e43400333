//! Who may do what: the lab's own CA, its certificates, one kubeconfig per identity, and the rights of the readers.

use std::{
    fs,
    path::{Path, PathBuf},
};

use base64::{Engine, prelude::BASE64_STANDARD};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};
use serde_json::{Value, json};

use crate::{Error, platform};

/// What the plugins may read: API group and resource.
const READABLE: [(&str, &str); 13] = [
    ("", "nodes"),
    ("", "pods"),
    ("", "events"),
    ("", "namespaces"),
    ("", "resourcequotas"),
    ("apps", "daemonsets"),
    ("apps", "deployments"),
    ("apps", "controllerrevisions"),
    ("events.k8s.io", "events"),
    ("policy", "poddisruptionbudgets"),
    ("nvidia.com", "clusterpolicies"),
    ("nvidia.com", "nvidiadrivers"),
    ("nvidia.com", "gpuclusters"),
];

/// The name of the administrator's kubeconfig in the lab's folder.
pub(crate) const ADMIN_KUBECONFIG: &str = "kubeconfig";
/// The name of the reader's kubeconfig in the lab's folder.
pub(crate) const READER_KUBECONFIG: &str = "kubeconfig.reader";

/// Somebody the API server knows: the common name and the organisation of a client certificate.
pub(crate) struct Identity<'a> {
    pub(crate) user: &'a str,
    pub(crate) group: &'a str,
}

/// May do everything; the control plane itself uses it too.
pub(crate) const ADMIN: Identity<'static> = Identity {
    user: "lab-admin",
    group: "system:masters",
};
/// May read what the plugins read.
pub(crate) const READER: Identity<'static> = Identity {
    user: "lab-reader",
    group: "lab-readers",
};

/// The files of the lab's CA and of what the API server needs from it.
pub(crate) struct Authority {
    folder: PathBuf,
}

impl Authority {
    /// Makes the CA, the server's certificate and the key for service accounts in `folder`.
    ///
    /// # Errors
    /// [`Error::Certificate`], or [`Error::File`] if a file cannot be written.
    pub(crate) fn create(folder: &Path) -> Result<Authority, Error> {
        let authority = Authority::at(folder);
        let key = KeyPair::generate()?;
        authority.write("ca.key", &key.serialize_pem())?;
        authority.write("ca.crt", &ca().self_signed(&key)?.pem())?;

        let mut server = CertificateParams::new(["127.0.0.1".into(), "localhost".into()])?;
        server
            .distinguished_name
            .push(DnType::CommonName, "kube-apiserver");
        server
            .extended_key_usages
            .push(ExtendedKeyUsagePurpose::ServerAuth);
        let key = KeyPair::generate()?;
        authority.write("server.key", &key.serialize_pem())?;
        authority.write(
            "server.crt",
            &server.signed_by(&key, &authority.issuer()?)?.pem(),
        )?;

        let key = KeyPair::generate()?;
        authority.write("sa.key", &key.serialize_pem())?;
        authority.write("sa.pub", &key.public_key_pem())?;
        Ok(authority)
    }

    /// The CA that was made in `folder`.
    pub(crate) fn at(folder: &Path) -> Authority {
        Authority {
            folder: folder.to_owned(),
        }
    }

    /// The path of one of the CA's files.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Writes a kubeconfig for `identity`, all keys inside, and returns its path.
    ///
    /// # Errors
    /// [`Error::Certificate`], or [`Error::File`] if a file cannot be read or written.
    pub(crate) fn kubeconfig(
        &self,
        name: &str,
        server: &str,
        identity: &Identity<'_>,
    ) -> Result<PathBuf, Error> {
        let mut client = CertificateParams::new(Vec::new())?;
        client
            .distinguished_name
            .push(DnType::CommonName, identity.user);
        client
            .distinguished_name
            .push(DnType::OrganizationName, identity.group);
        client
            .extended_key_usages
            .push(ExtendedKeyUsagePurpose::ClientAuth);
        let key = KeyPair::generate()?;
        let certificate = client.signed_by(&key, &self.issuer()?)?;
        let user = identity.user;
        let config = json!({
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "lab", "cluster": {
                "server": server,
                "certificate-authority-data": BASE64_STANDARD.encode(self.read("ca.crt")?),
            }}],
            "users": [{"name": user, "user": {
                "client-certificate-data": BASE64_STANDARD.encode(certificate.pem()),
                "client-key-data": BASE64_STANDARD.encode(key.serialize_pem()),
            }}],
            "contexts": [{"name": "lab", "context": {"cluster": "lab", "user": user}}],
            "current-context": "lab",
        });
        self.write(name, &format!("{config:#}\n"))
    }

    /// The subject of the CA is all that signing takes from its certificate.
    fn issuer(&self) -> Result<Issuer<'static, KeyPair>, Error> {
        Ok(Issuer::new(ca(), KeyPair::from_pem(&self.read("ca.key")?)?))
    }

    fn read(&self, name: &str) -> Result<String, Error> {
        let path = self.file(name);
        fs::read_to_string(&path).map_err(Error::file(path))
    }

    fn write(&self, name: &str, text: &str) -> Result<PathBuf, Error> {
        let path = self.file(name);
        platform::write_private(&path, text).map_err(Error::file(&path))?;
        Ok(path)
    }
}

fn ca() -> CertificateParams {
    let mut ca = CertificateParams::default();
    ca.distinguished_name = rcgen::DistinguishedName::new();
    ca.distinguished_name
        .push(DnType::CommonName, "kubectl-gpu lab");
    ca.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    ca.key_usages = vec![
        KeyUsagePurpose::KeyCertSign,
        KeyUsagePurpose::DigitalSignature,
    ];
    ca
}

/// The rights of the reader, as a list to apply.
pub(crate) fn reader_rights() -> String {
    let subject = json!({"kind": "Group", "name": READER.group});
    rights("gpu-reader", subject, &[])
}

/// The rights of `user`: what the reader may read, without the resources in `without` (`pods`, `daemonsets.apps`).
pub(crate) fn rights_without(user: &str, without: &[&str]) -> String {
    rights(user, json!({"kind": "User", "name": user}), without)
}

fn rights(role: &str, mut subject: Value, without: &[&str]) -> String {
    let rules: Vec<Value> = READABLE
        .iter()
        .filter(|(group, resource)| {
            !without.iter().any(|it| it == resource || **it == format!("{resource}.{group}"))
        })
        .map(|(group, resource)| {
            json!({"apiGroups": [group], "resources": [resource], "verbs": ["list"]})
        })
        .collect();
    subject["apiGroup"] = json!("rbac.authorization.k8s.io");
    let role = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": role},
        "rules": rules,
    });
    let binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRoleBinding",
        "metadata": role["metadata"],
        "roleRef": {
            "apiGroup": "rbac.authorization.k8s.io",
            "kind": "ClusterRole",
            "name": role["metadata"]["name"],
        },
        "subjects": [subject],
    });
    json!({"apiVersion": "v1", "kind": "List", "items": [role, binding]}).to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::rights_without;

    #[test]
    fn a_group_and_its_resource_can_be_taken_away_by_either_name() {
        let resources = |without: &[&str]| {
            let list: Value = serde_json::from_str(&rights_without("somebody", without)).unwrap();
            list["items"][0]["rules"].to_string()
        };
        assert!(resources(&[]).contains("\"daemonsets\""));
        assert!(!resources(&["daemonsets.apps"]).contains("\"daemonsets\""));
        assert!(!resources(&["daemonsets"]).contains("\"daemonsets\""));
        assert!(resources(&["pods"]).contains("\"poddisruptionbudgets\""));
    }
}
