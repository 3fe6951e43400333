//! What of the process's environment decides how a cluster is reached, read in one place.

use std::env;
use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::Duration;

/// What the environment says about reaching a cluster. The default is an empty environment.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// `KUBECONFIG`: a list of files.
    pub kubeconfig: Option<OsString>,
    /// Where `.kube/config` may be.
    pub home: Option<PathBuf>,
    /// `HTTPS_PROXY`.
    pub https_proxy: Option<String>,
    /// `HTTP_PROXY`.
    pub http_proxy: Option<String>,
    /// `NO_PROXY`.
    pub no_proxy: Option<String>,
    /// `KUBERNETES_SERVICE_HOST`, set in pods.
    pub service_host: Option<String>,
    /// `KUBERNETES_SERVICE_PORT`, set in pods.
    pub service_port: Option<String>,
    /// Where pods find their service account.
    pub service_account: PathBuf,
    /// May a credential plugin ask the user something?
    pub stdin_is_terminal: bool,
    /// How long a credential plugin may take; without, as long as the user lets it.
    pub plugin_limit: Option<Duration>,
}

impl Environment {
    /// The environment of this process.
    pub fn of_process() -> Self {
        let text = |name: &str| env::var(name).ok().filter(|it| !it.is_empty());
        // Go asks for the upper-case name first.
        let either = |upper: &str| text(upper).or_else(|| text(&upper.to_lowercase()));
        Self {
            kubeconfig: env::var_os("KUBECONFIG").filter(|it| !it.is_empty()),
            home: env::var_os("HOME")
                .filter(|it| !it.is_empty())
                .map(PathBuf::from)
                .or_else(env::home_dir),
            https_proxy: either("HTTPS_PROXY"),
            http_proxy: either("HTTP_PROXY"),
            no_proxy: either("NO_PROXY"),
            service_host: text("KUBERNETES_SERVICE_HOST"),
            service_port: text("KUBERNETES_SERVICE_PORT"),
            service_account: PathBuf::from("/var/run/secrets/kubernetes.io/serviceaccount"),
            stdin_is_terminal: std::io::stdin().is_terminal(),
            plugin_limit: None,
        }
    }
}
