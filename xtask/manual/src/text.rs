//! What manual pages tell and no help does: the environment and the files that count.

/// The first line of a page.
pub(crate) const PRINTED: &str =
    "Printed from the code by `cargo xtask docs`; changes here are lost.";

/// A variable or a file, and what it decides.
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    pub(crate) meaning: &'static str,
    /// Does it count only for a plugin that asks registries?
    pub(crate) of_registries: bool,
}

const fn entry(name: &'static str, meaning: &'static str) -> Entry {
    Entry {
        name,
        meaning,
        of_registries: false,
    }
}

const fn of_registries(name: &'static str, meaning: &'static str) -> Entry {
    Entry {
        name,
        meaning,
        of_registries: true,
    }
}

/// In the order in which people look for them.
pub(crate) const ENVIRONMENT: &[Entry] = &[
    entry(
        "KUBECONFIG",
        "The kubeconfig files, a list as PATH is. They are merged as kubectl merges them, and those that are not there \
         are skipped. The flag --kubeconfig comes first.",
    ),
    entry(
        "HTTPS_PROXY, HTTP_PROXY, NO_PROXY",
        "The proxy to the API server, and the servers that are reached without; also in lower case. The kubeconfig's \
         proxy-url and the flag --proxy-url come first.",
    ),
    of_registries(
        "DOCKER_CONFIG, REGISTRY_AUTH_FILE, XDG_RUNTIME_DIR",
        "Where the credentials for registries are looked for, as docker and podman do.",
    ),
    entry(
        "NO_COLOR, TERM",
        "With NO_COLOR, even empty, or with TERM=dumb there is no colour unless --color says always.",
    ),
    entry(
        "KREW_ROOT",
        "krew's folder, in whose bin completion install writes; ~/.krew without it.",
    ),
    entry(
        "KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT",
        "Set in a pod. Without a kubeconfig the pod's own service account is used there.",
    ),
];

/// `PLUGIN` stands for the plugin's name in the names of programs.
pub(crate) const FILES: &[Entry] = &[
    entry(
        "~/.kube/config",
        "The kubeconfig where neither the flag nor the variable names another.",
    ),
    of_registries(
        "~/.docker/config.json",
        "The credentials for registries where neither a flag nor a variable names others.",
    ),
    entry(
        "kubectl_complete-PLUGIN",
        "The script that kubectl asks for completions. It is written by completion install, in the folder where krew \
         links plugins or beside the plugin.",
    ),
];
