//! What can keep an answer from being given: kubectl's words where it has some, a hint, and the exit code.

use crate::read::recorded::RecordedError;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// What was typed makes no sense.
    #[error("{0}")]
    Usage(String),

    /// `--kubeconfig` names a file that is not there.
    #[error("stat {0}: no such file or directory")]
    NoSuchKubeconfig(String),
    /// A kubeconfig that cannot be read or understood.
    #[error("error loading config file \"{file}\": {why}")]
    BadKubeconfig {
        /// Which one.
        file: String,
        /// What is wrong with it, and where.
        why: String,
    },
    /// Neither a kubeconfig, nor a pod's service account, nor `--server`.
    #[error(
        "no configuration has been provided: no kubeconfig at {looked_at}, and this is not a pod"
    )]
    NoConfiguration {
        /// The files that are not there.
        looked_at: String,
    },
    /// There are kubeconfigs, but none says which context counts.
    #[error("current-context is not set")]
    NoCurrentContext,
    /// There is no such context.
    #[error("Error in configuration: context was not found for specified context: {name}")]
    NoSuchContext {
        /// What was asked for.
        name: String,
        /// A context of almost that name.
        nearest: Option<String>,
    },
    /// There is no such cluster, or it has no server.
    #[error("no server found for cluster \"{name}\"")]
    NoSuchCluster {
        /// What was asked for.
        name: String,
        /// A cluster of almost that name.
        nearest: Option<String>,
    },
    /// There is no such user.
    #[error("auth info \"{name}\" does not exist")]
    NoSuchUser {
        /// What was asked for.
        name: String,
        /// A user of almost that name.
        nearest: Option<String>,
    },
    /// Something else in the kubeconfig or the flags cannot be used.
    #[error("{0}")]
    Configuration(String),
    /// The credential plugin of the kubeconfig did not do its work.
    #[error("getting credentials: exec: {why}")]
    Plugin {
        /// What happened, with what the plugin said.
        why: String,
        /// How to install it, as the kubeconfig tells.
        install: Option<String>,
    },
    /// Other credentials could not be had.
    #[error("getting credentials: {0}")]
    Credentials(String),

    /// Nobody listens there.
    #[error(
        "The connection to the server {host} was refused - did you specify the right host or port?"
    )]
    Refused {
        /// Host and port.
        host: String,
    },
    /// No connection, or no answer in time.
    #[error("Unable to connect to the server: {why}")]
    Unreachable {
        /// What happened.
        why: String,
    },
    /// No answer in time.
    #[error("Unable to connect to the server: no answer within {0}")]
    Late(String),
    /// The server's certificate is not trusted.
    #[error("Unable to connect to the server: tls: failed to verify certificate: {why}")]
    Untrusted {
        /// What is wrong with it.
        why: String,
        /// Was a certificate authority configured?
        authority_given: bool,
    },
    /// The proxy did not lead to the server.
    #[error("Unable to connect to the server: proxy {proxy}: {why}")]
    Proxy {
        /// The proxy's host and port.
        proxy: String,
        /// What happened.
        why: String,
    },
    /// The server does not know who asks.
    #[error("You must be logged in to the server ({0})")]
    Unauthorized(String),
    /// The server did not answer any question.
    #[error("Error from server ({reason}): {message}")]
    Server {
        /// The reason in one word.
        reason: String,
        /// The server's own words.
        message: String,
    },
    /// The recording cannot be read.
    #[error(transparent)]
    Recorded(#[from] RecordedError),
    /// The answer cannot be written to standard output.
    #[error("cannot write the answer: {0}")]
    Write(std::io::Error),
    /// What kubectl is to find cannot be put there, or taken away.
    #[error("cannot write {file}: {why}")]
    Shim {
        /// The file.
        file: String,
        /// Why not.
        why: std::io::Error,
    },
    /// A file that a flag names was read and cannot be understood.
    #[error("{flag} {file}: {why}")]
    BadFile {
        /// The flag.
        flag: &'static str,
        /// As typed.
        file: String,
        /// What is wrong with it, and where.
        why: String,
    },
    /// What answers is not an API server.
    #[error("the answer is not that of a Kubernetes API server: {0}")]
    NotKubernetes(String),
}

impl Error {
    /// The whole first line on stderr, as kubectl would print it.
    pub fn line(&self) -> String {
        let (Self::NoSuchContext { .. }
        | Self::Refused { .. }
        | Self::Unreachable { .. }
        | Self::Late(_)
        | Self::Untrusted { .. }
        | Self::Proxy { .. }
        | Self::Server { .. }) = self
        else {
            return format!("error: {self}");
        };
        self.to_string()
    }

    /// What to try, if we know something.
    pub fn hint(&self) -> Option<String> {
        let nearest = |it: &Option<String>, command: &str| match it {
            Some(it) => format!("did you mean \"{it}\"? {command} lists them"),
            None => format!("{command} lists what there is"),
        };
        let text = match self {
            Self::NoSuchContext { nearest: it, .. } => nearest(it, "kubectl config get-contexts"),
            Self::NoSuchCluster { nearest: it, .. } => nearest(it, "kubectl config get-clusters"),
            Self::NoSuchUser { nearest: it, .. } => nearest(it, "kubectl config get-users"),
            Self::NoCurrentContext => {
                "choose one with kubectl config use-context NAME, or pass --context NAME".to_owned()
            }
            Self::NoConfiguration { .. } => {
                "set KUBECONFIG, pass --kubeconfig or --server, or read a recording with --filename".to_owned()
            }
            Self::Plugin { install: Some(it), .. } => it.clone(),
            Self::Plugin { .. } | Self::Credentials(_) => {
                "does kubectl get nodes work with the same --context and --user?".to_owned()
            }
            Self::Refused { .. } => {
                "is the context right? kubectl config current-context".to_owned()
            }
            Self::Late(_) => "give it longer with --request-timeout".to_owned(),
            Self::Untrusted { authority_given: true, .. } => {
                "certificate-authority and certificate-authority-data must hold the certificate of the CA that \
                 signed the server's; the server's own certificate is not enough, even where kubectl accepts it"
                    .to_owned()
            }
            Self::Untrusted { .. } => {
                "name the cluster's CA with --certificate-authority or in the kubeconfig".to_owned()
            }
            Self::Proxy { .. } => {
                "the proxy comes from --proxy-url, the kubeconfig's proxy-url, or HTTPS_PROXY; \
                 NO_PROXY takes a server out of the latter"
                    .to_owned()
            }
            Self::Unauthorized(_) => {
                "log in again, or is the context right? kubectl config current-context".to_owned()
            }
            Self::NotKubernetes(_) => {
                "is the server's address right, and is there a login page in between? kubectl cluster-info".to_owned()
            }
            Self::Shim { .. } => "name another folder of PATH with --dir".to_owned(),
            Self::Recorded(it) => return it.hint(),
            Self::Usage(_)
            | Self::Write(_)
            | Self::NoSuchKubeconfig(_)
            | Self::BadKubeconfig { .. }
            | Self::BadFile { .. }
            | Self::Configuration(_)
            | Self::Unreachable { .. }
            | Self::Server { .. } => return None,
        };
        Some(text)
    }

    /// 2 where what was typed is wrong, else 3: could not tell.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_)
            | Self::NoSuchKubeconfig(_)
            | Self::NoSuchContext { .. }
            | Self::NoSuchCluster { .. }
            | Self::NoSuchUser { .. }
            | Self::Recorded(
                RecordedError::Absent { .. }
                | RecordedError::NoMatch { .. }
                | RecordedError::Address { .. }
                | RecordedError::StdinTwice,
            ) => 2,
            Self::BadKubeconfig { .. }
            | Self::BadFile { .. }
            | Self::NoConfiguration { .. }
            | Self::NoCurrentContext
            | Self::Configuration(_)
            | Self::Plugin { .. }
            | Self::Credentials(_)
            | Self::Refused { .. }
            | Self::Unreachable { .. }
            | Self::Late(_)
            | Self::Untrusted { .. }
            | Self::Proxy { .. }
            | Self::Unauthorized(_)
            | Self::Server { .. }
            | Self::Recorded(_)
            | Self::Write(_)
            | Self::Shim { .. }
            | Self::NotKubernetes(_) => 3,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_is_kubectls() {
        for (error, line) in [
            (Error::NoCurrentContext, "error: current-context is not set"),
            (
                Error::NoSuchContext {
                    name: "x".into(),
                    nearest: None,
                },
                "Error in configuration: context was not found for specified context: x",
            ),
            (
                Error::Unauthorized("Unauthorized".into()),
                "error: You must be logged in to the server (Unauthorized)",
            ),
            (
                Error::Refused { host: "h:1".into() },
                "The connection to the server h:1 was refused - did you specify the right host or port?",
            ),
        ] {
            assert_eq!(error.line(), line);
        }
    }
}
