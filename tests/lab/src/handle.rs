//! A running lab, as a test holds it.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{self, Command, Output},
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use serde_json::Value;

use crate::{
    Error, Mark, PodState, Programs, Request, Scenario, audit,
    control_plane::AUDIT_LOG,
    folder,
    identity::{ADMIN_KUBECONFIG, Authority, Identity, READER_KUBECONFIG, rights_without},
    kubectl,
    supervisor::{Owner, READY, Supervisor},
    wait::wait_until,
};

/// The name of the lab that `cargo xtask lab up` keeps.
pub(crate) const KEPT: &str = "up";
/// The name of the scenario that was applied.
const SCENARIO: &str = "scenario";
/// How long the audit log may lag behind an answer.
const LOGGED: Duration = Duration::from_secs(10);

/// A running control plane. Dropping the one that started it stops it and waits for the end; if the process dies
/// first, in whatever way, the lab ends all the same.
pub struct Lab {
    folder: PathBuf,
    programs: Programs,
    kubeconfig: PathBuf,
    reader_kubeconfig: PathBuf,
    _supervisor: Option<Supervisor>,
}

impl Lab {
    /// Starts a control plane on free loopback ports and waits until it answers.
    ///
    /// # Errors
    /// [`Error::Missing`] if a program is neither there nor can be built, any other [`Error`] if it does not start.
    pub fn start() -> Result<Lab, Error> {
        static STARTED: AtomicUsize = AtomicUsize::new(0);
        let programs = Programs::find_or_build()?;
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let name = format!("test-{}-{number}", process::id());
        let (supervisor, folder) = Supervisor::start(&name, Owner::Stdin)?;
        Ok(Lab::in_folder(folder, programs, Some(supervisor)))
    }

    /// The lab that `cargo xtask lab up` keeps; it goes on when this value is dropped.
    ///
    /// # Errors
    /// [`Error::NotRunning`], or [`Error::Missing`] if its kubectl has gone meanwhile.
    pub fn running() -> Result<Lab, Error> {
        let folder = folder::running(KEPT).filter(|it| it.join(READY).exists());
        let folder = folder.ok_or(Error::NotRunning)?;
        Ok(Lab::in_folder(folder, Programs::find_or_build()?, None))
    }

    fn in_folder(folder: PathBuf, programs: Programs, supervisor: Option<Supervisor>) -> Lab {
        Lab {
            kubeconfig: folder.join(ADMIN_KUBECONFIG),
            reader_kubeconfig: folder.join(READER_KUBECONFIG),
            folder,
            programs,
            _supervisor: supervisor,
        }
    }

    /// The folder that holds everything the lab writes, logs included; it goes away with the lab.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The kubeconfig of the administrator.
    pub fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }

    /// The kubeconfig of somebody who may read what the plugins read, and nothing else.
    pub fn reader_kubeconfig(&self) -> &Path {
        &self.reader_kubeconfig
    }

    /// The audit log.
    pub fn audit_log_path(&self) -> PathBuf {
        self.folder.join(AUDIT_LOG)
    }

    /// The URL of the API server.
    ///
    /// # Errors
    /// [`Error::File`] if the kubeconfig cannot be read.
    pub fn server(&self) -> Result<String, Error> {
        let text = fs::read_to_string(&self.kubeconfig).map_err(Error::file(&self.kubeconfig))?;
        let config: Value = serde_json::from_str(&text).unwrap_or_default();
        let server = &config["clusters"][0]["cluster"]["server"];
        Ok(server.as_str().unwrap_or_default().to_owned())
    }

    /// The lab's kubectl, of the same release as its API server.
    pub fn kubectl_path(&self) -> PathBuf {
        self.programs.path("kubectl")
    }

    /// The lab's kubectl as administrator, with an environment of nothing but `PATH`, `KUBECONFIG` and a home in the
    /// lab's folder; add what the test needs.
    pub fn kubectl_command(&self) -> Command {
        let mut command = kubectl::scrubbed(&self.kubectl_path(), &self.folder);
        command.env("KUBECONFIG", &self.kubeconfig);
        command
    }

    /// Runs kubectl as administrator and returns what it wrote and how it ended.
    ///
    /// # Errors
    /// [`Error::Run`] if it does not start.
    pub fn kubectl(&self, arguments: &[&str]) -> Result<Output, Error> {
        kubectl::run(self.kubectl_command(), arguments, "")
    }

    /// Applies YAML as administrator, as the server's own merge.
    ///
    /// # Errors
    /// [`Error::Kubectl`] if the API server does not accept it.
    pub fn apply(&self, yaml: &str) -> Result<(), Error> {
        let arguments = ["apply", "--server-side", "--force-conflicts", "-f", "-"];
        kubectl::succeed(self.kubectl_command(), &arguments, yaml).map(drop)
    }

    /// The objects that `kubectl get` finds with these arguments (`["pods", "-n", "gpu-operator"]`).
    ///
    /// # Errors
    /// [`Error::Kubectl`] if it fails.
    pub fn get(&self, arguments: &[&str]) -> Result<Vec<Value>, Error> {
        let arguments = [&["get", "-o", "json"], arguments].concat();
        let text = kubectl::succeed(self.kubectl_command(), &arguments, "")?;
        let mut answer: Value = serde_json::from_str(&text).unwrap_or_default();
        match answer["items"].take() {
            Value::Array(items) => Ok(items),
            _ => Ok(vec![answer]),
        }
    }

    /// Gets the objects again and again until `check` returns something, and returns that.
    ///
    /// # Errors
    /// [`Error::Timeout`], naming `what`, when `limit` has passed; [`Error::Kubectl`] if they cannot be read.
    pub fn wait_for<T>(
        &self,
        what: &str,
        limit: Duration,
        query: &[&str],
        mut check: impl FnMut(&[Value]) -> Option<T>,
    ) -> Result<T, Error> {
        wait_until(what, limit, || match self.get(query) {
            Ok(objects) => check(&objects).map(Ok),
            Err(error) => Some(Err(error)),
        })?
    }

    /// Holds a pod in a state from now on; [`PodState::Ready`] lets it go.
    ///
    /// # Errors
    /// [`Error::Kubectl`] if there is no such pod.
    pub fn hold(&self, namespace: &str, pod: &str, state: &PodState) -> Result<(), Error> {
        let key = PodState::annotation();
        let note = match state {
            PodState::Ready => format!("{key}-"),
            held => format!("{key}={held}"),
        };
        let arguments = [
            "annotate",
            "--overwrite",
            "-n",
            namespace,
            "pod",
            pod,
            &note,
        ];
        kubectl::succeed(self.kubectl_command(), &arguments, "").map(drop)
    }

    /// Makes a scenario in this lab; the same one again mends what has changed.
    ///
    /// # Errors
    /// [`Error::Taken`] if another one was made here, since they share names and would mix; else that of the first
    /// step that fails.
    pub fn apply_scenario(&self, scenario: &Scenario) -> Result<(), Error> {
        match self.scenario() {
            Some(made) if made != scenario.name => return Err(Error::Taken(made)),
            // Before the first step: one that fails half-way leaves something behind too.
            _ => {
                let path = self.folder.join(SCENARIO);
                fs::write(&path, scenario.name).map_err(Error::file(path))?;
            }
        }
        (scenario.steps)().iter().try_for_each(|it| it.take(self))
    }

    /// The name of the scenario that was made in this lab.
    pub fn scenario(&self) -> Option<String> {
        fs::read_to_string(self.folder.join(SCENARIO)).ok()
    }

    /// Somebody new who may read what the reader may, without these resources (`pods`, `daemonsets.apps`); returns the
    /// path of the new kubeconfig.
    ///
    /// # Errors
    /// [`Error::Certificate`], [`Error::File`] or [`Error::Kubectl`] if the identity cannot be made.
    pub fn identity_without(&self, resources: &[&str]) -> Result<PathBuf, Error> {
        let user = format!("lab-without-{}", resources.join("-"));
        let identity = Identity {
            user: &user,
            group: "lab-restricted",
        };
        self.apply(&rights_without(&user, resources))?;
        let name = format!("{READER_KUBECONFIG}.{user}");
        Authority::at(&self.folder).kubeconfig(&name, &self.server()?, &identity)
    }

    /// Every event of the audit log so far, as the API server wrote it.
    ///
    /// # Errors
    /// [`Error::File`] if it cannot be read.
    pub fn audit_log(&self) -> Result<Vec<Value>, Error> {
        audit::events(&self.audit_log_path(), None)
    }

    /// This moment in the audit log, for [`Lab::requests_since`].
    ///
    /// # Errors
    /// [`Error::File`] if it cannot be read.
    pub fn mark(&self) -> Result<Mark, Error> {
        audit::end(&self.audit_log_path())
    }

    /// The requests since `mark` of clients whose user agent begins with `user_agent`, in order, each one once; all
    /// that were answered before this call are among them.
    ///
    /// # Errors
    /// [`Error::File`] if the log cannot be read, [`Error::Timeout`] if the API server stops writing it.
    pub fn requests_since(&self, mark: Mark, user_agent: &str) -> Result<Vec<Request>, Error> {
        // The server answers before it logs: once a later request is there, the earlier ones are too.
        static ASKED: AtomicUsize = AtomicUsize::new(0);
        let number = ASKED.fetch_add(1, Ordering::Relaxed);
        let last = format!("/version?lab-mark={}-{number}", process::id());
        kubectl::succeed(self.kubectl_command(), &["get", "--raw", &last], "")?;
        let log = self.audit_log_path();
        wait_until(
            "the audit log to catch up",
            LOGGED,
            || match audit::events(&log, Some(mark)) {
                Ok(mut events) => {
                    let end = events.iter().position(|it| it["requestURI"] == *last)?;
                    events.truncate(end);
                    Some(Ok(audit::requests(&events, user_agent)))
                }
                Err(error) => Some(Err(error)),
            },
        )?
    }
}
