//! The five processes of the control plane: started one after the other, stopped in reverse order.

use std::{
    fs::{self, File},
    io::{self, Read, Write},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    path::Path,
    process::{Child, ExitStatus, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use crate::{
    Error, Programs,
    folder::Folder,
    identity::{ADMIN, ADMIN_KUBECONFIG, Authority, READER, READER_KUBECONFIG, reader_rights},
    kubectl,
    platform::{self, Signal},
    programs::last_lines,
    wait::wait_until,
};

/// What kwok plays: our own Stages, in one file.
const STAGES: &str = concat!(
    include_str!("../stages/node.yaml"),
    "---\n",
    include_str!("../stages/pod.yaml"),
    "---\n",
    include_str!("../stages/pod-delete.yaml"),
);
/// Every request, without bodies; the line at its arrival says nothing that the one at its end does not.
const AUDIT_POLICY: &str = "apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\n\
                            rules: [{level: Metadata}]\n";
/// The name of the audit log in the lab's folder.
pub(crate) const AUDIT_LOG: &str = "audit.log";

/// How long a program may take to answer; a machine that builds at the same time is slow.
const START: Duration = Duration::from_secs(60);
/// How long a program may take to end before it is killed; nothing it could still write is kept.
const STOP: Duration = Duration::from_secs(2);
/// Another process may take a free port before the program does.
const ATTEMPTS: usize = 3;

/// The running control plane; dropping it stops every process.
pub(crate) struct ControlPlane {
    /// In the order of their start.
    running: Vec<Running>,
}

struct Running {
    name: &'static str,
    child: Child,
}

/// Loopback ports that were free a moment ago.
struct Ports {
    etcd: u16,
    etcd_peer: u16,
    apiserver: u16,
    controllers: u16,
    scheduler: u16,
    kwok: u16,
}

impl ControlPlane {
    /// Starts everything in `folder` and waits until it answers; starts again on other ports if a program ends.
    ///
    /// # Errors
    /// [`Error::Ended`] if a program ends every time, [`Error::Timeout`] if it does not answer, [`Error::Stopped`] if
    /// `stop` becomes true meanwhile.
    pub(crate) fn start(
        programs: &Programs,
        folder: &Folder,
        stop: &AtomicBool,
    ) -> Result<ControlPlane, Error> {
        let mut attempt = 1;
        loop {
            let start = Start {
                programs,
                folder,
                stop,
                ports: Ports::free().map_err(Error::file(folder.path()))?,
            };
            match start.everything() {
                Err(Error::Ended { .. }) if attempt < ATTEMPTS => attempt += 1,
                finished => return finished,
            }
        }
    }

    /// The first process that has ended by itself, as an error with the end of its log.
    pub(crate) fn ended(&mut self, folder: &Path) -> Option<Error> {
        self.running.iter_mut().find_map(|it| {
            let status = it.child.try_wait().ok().flatten()?;
            Some(ended(it.name, status, folder))
        })
    }
}

impl Drop for ControlPlane {
    fn drop(&mut self) {
        // etcd last: an API server whose etcd has gone does not end when asked.
        for running in self.running.iter_mut().rev() {
            platform::send(running.child.id(), Signal::Terminate);
            let gone = || running.child.try_wait().ok().flatten();
            if wait_until(running.name, STOP, gone).is_err() {
                // It is our own child and not yet waited for, so both can only fail if it has just ended.
                let _ = running.child.kill();
                let _ = running.child.wait();
            }
        }
    }
}

impl Ports {
    /// Holds all of them at once, so that they differ.
    fn free() -> io::Result<Ports> {
        let mut held = Vec::new();
        let mut next = || -> io::Result<u16> {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
            let port = listener.local_addr()?.port();
            held.push(listener);
            Ok(port)
        };
        Ok(Ports {
            etcd: next()?,
            etcd_peer: next()?,
            apiserver: next()?,
            controllers: next()?,
            scheduler: next()?,
            kwok: next()?,
        })
    }
}

/// One attempt to start everything.
struct Start<'a> {
    programs: &'a Programs,
    folder: &'a Folder,
    stop: &'a AtomicBool,
    ports: Ports,
}

impl Start<'_> {
    fn everything(&self) -> Result<ControlPlane, Error> {
        let folder = self.folder.path();
        let server = format!("https://127.0.0.1:{}", self.ports.apiserver);
        let authority = Authority::create(folder)?;
        authority.kubeconfig(ADMIN_KUBECONFIG, &server, &ADMIN)?;
        authority.kubeconfig(READER_KUBECONFIG, &server, &READER)?;
        self.write("audit-policy.yaml", AUDIT_POLICY)?;
        self.write("stages.yaml", STAGES)?;
        // What an earlier attempt left would be a cluster of another CA.
        let _ = fs::remove_dir_all(folder.join("data"));

        let mut plane = ControlPlane {
            running: Vec::new(),
        };
        self.spawn(&mut plane, "etcd", self.etcd())?;
        self.wait_for_port(&mut plane, "etcd", self.ports.etcd)?;
        self.spawn(&mut plane, "kube-apiserver", self.apiserver())?;
        self.wait(&mut plane, "kube-apiserver", || {
            self.kubectl(&["get", "--raw", "/readyz"], "").ok()
        })?;
        self.spawn(&mut plane, "kube-controller-manager", self.controllers())?;
        self.spawn(&mut plane, "kube-scheduler", self.scheduler())?;
        self.spawn(&mut plane, "kwok", self.kwok())?;
        self.kubectl(&["create", "-f", "-"], &reader_rights())?;
        self.wait_for_port(
            &mut plane,
            "kube-controller-manager",
            self.ports.controllers,
        )?;
        self.wait_for_port(&mut plane, "kube-scheduler", self.ports.scheduler)?;
        self.wait(&mut plane, "kwok", || {
            answers_ok(self.ports.kwok).then_some(())
        })?;
        Ok(plane)
    }

    fn etcd(&self) -> Vec<String> {
        let (client, peer) = (self.ports.etcd, self.ports.etcd_peer);
        vec![
            self.option("data-dir", "data"),
            format!("--listen-client-urls=http://127.0.0.1:{client}"),
            format!("--advertise-client-urls=http://127.0.0.1:{client}"),
            format!("--listen-peer-urls=http://127.0.0.1:{peer}"),
            format!("--initial-advertise-peer-urls=http://127.0.0.1:{peer}"),
            format!("--initial-cluster=default=http://127.0.0.1:{peer}"),
            "--unsafe-no-fsync".to_owned(),
            "--quota-backend-bytes=8589934592".to_owned(),
            "--log-level=error".to_owned(),
        ]
    }

    fn apiserver(&self) -> Vec<String> {
        let mut arguments = self.serving(self.ports.apiserver);
        arguments.extend([
            format!("--etcd-servers=http://127.0.0.1:{}", self.ports.etcd),
            self.option("cert-dir", "generated"),
            self.option("client-ca-file", "ca.crt"),
            self.option("tls-cert-file", "server.crt"),
            self.option("tls-private-key-file", "server.key"),
            "--service-account-issuer=https://lab".to_owned(),
            self.option("service-account-key-file", "sa.pub"),
            self.option("service-account-signing-key-file", "sa.key"),
            "--authorization-mode=RBAC".to_owned(),
            // Real operand pods are privileged.
            "--allow-privileged=true".to_owned(),
            "--service-cluster-ip-range=127.96.0.0/24".to_owned(),
            "--disable-admission-plugins=ServiceAccount".to_owned(),
            "--endpoint-reconciler-type=none".to_owned(),
            self.option("audit-policy-file", "audit-policy.yaml"),
            self.option("audit-log-path", AUDIT_LOG),
            // In megabytes; without it the log would begin anew in the middle of a big test.
            "--audit-log-maxsize=10240".to_owned(),
            "--max-requests-inflight=2000".to_owned(),
            "--max-mutating-requests-inflight=1000".to_owned(),
        ]);
        arguments
    }

    fn controllers(&self) -> Vec<String> {
        let mut arguments = self.client(self.ports.controllers);
        arguments.extend([
            self.option("service-account-private-key-file", "sa.key"),
            "--kube-api-qps=500".to_owned(),
            "--kube-api-burst=1000".to_owned(),
            "--concurrent-daemonset-syncs=10".to_owned(),
            // Nobody posts heartbeats here: a node is what its conditions say, however old they are.
            "--node-monitor-grace-period=8760h".to_owned(),
        ]);
        arguments
    }

    fn scheduler(&self) -> Vec<String> {
        let mut arguments = self.client(self.ports.scheduler);
        arguments.extend([
            "--kube-api-qps=1000".to_owned(),
            "--kube-api-burst=2000".to_owned(),
        ]);
        arguments
    }

    fn kwok(&self) -> Vec<String> {
        vec![
            self.option("kubeconfig", ADMIN_KUBECONFIG),
            self.option("config", "stages.yaml"),
            "--manage-all-nodes=true".to_owned(),
            "--node-ip=127.0.0.1".to_owned(),
            "--cidr=127.1.0.0/16".to_owned(),
            format!("--server-address=127.0.0.1:{}", self.ports.kwok),
        ]
    }

    /// What the two programs have in common that are servers of their own and clients of the API server.
    fn client(&self, port: u16) -> Vec<String> {
        let mut arguments = self.serving(port);
        arguments.extend([
            self.option("kubeconfig", ADMIN_KUBECONFIG),
            "--leader-elect=false".to_owned(),
        ]);
        arguments
    }

    fn serving(&self, port: u16) -> Vec<String> {
        vec![
            "--bind-address=127.0.0.1".to_owned(),
            format!("--secure-port={port}"),
        ]
    }

    /// An option whose value is a file of this lab: it also marks the process as ours for a later sweep.
    fn option(&self, name: &str, file: &str) -> String {
        format!("--{name}={}", self.folder.path().join(file).display())
    }

    fn spawn(
        &self,
        plane: &mut ControlPlane,
        name: &'static str,
        arguments: Vec<String>,
    ) -> Result<(), Error> {
        let folder = self.folder.path();
        let log = log_file(folder, name);
        let log = File::create(&log).map_err(Error::file(log))?;
        let errors = log.try_clone().map_err(Error::file(folder))?;
        let mut command = kubectl::scrubbed(&self.programs.path(name), folder);
        command
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(log)
            .stderr(errors);
        platform::own_group(&mut command);
        let child = command.spawn().map_err(|source| Error::Run {
            program: name.to_owned(),
            source,
        })?;
        let pid = child.id();
        plane.running.push(Running { name, child });
        self.folder.record(name, pid)
    }

    fn wait_for_port(&self, plane: &mut ControlPlane, what: &str, port: u16) -> Result<(), Error> {
        self.wait(plane, what, || connect(port).ok())?;
        Ok(())
    }

    /// Waits for an answer, as long as nothing has ended and nobody wants to stop.
    fn wait<T>(
        &self,
        plane: &mut ControlPlane,
        what: &str,
        mut look: impl FnMut() -> Option<T>,
    ) -> Result<T, Error> {
        wait_until(what, START, || {
            if self.stop.load(Ordering::Relaxed) {
                return Some(Err(Error::Stopped));
            }
            if let Some(error) = plane.ended(self.folder.path()) {
                return Some(Err(error));
            }
            look().map(Ok)
        })?
    }

    fn kubectl(&self, arguments: &[&str], input: &str) -> Result<String, Error> {
        let folder = self.folder.path();
        let mut command = kubectl::scrubbed(&self.programs.path("kubectl"), folder);
        command.env("KUBECONFIG", folder.join(ADMIN_KUBECONFIG));
        kubectl::succeed(command, arguments, input)
    }

    fn write(&self, name: &str, text: &str) -> Result<(), Error> {
        let path = self.folder.path().join(name);
        fs::write(&path, text).map_err(Error::file(path))
    }
}

fn ended(name: &'static str, status: ExitStatus, folder: &Path) -> Error {
    let log = fs::read_to_string(log_file(folder, name)).unwrap_or_default();
    Error::Ended {
        program: name,
        status: status.to_string(),
        log: last_lines(&log),
    }
}

fn log_file(folder: &Path, name: &str) -> std::path::PathBuf {
    folder.join(format!("{name}.log"))
}

fn connect(port: u16) -> io::Result<TcpStream> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    TcpStream::connect_timeout(&address, Duration::from_secs(1))
}

/// Whether kwok calls itself healthy.
fn answers_ok(port: u16) -> bool {
    let ask = || -> io::Result<String> {
        let mut stream = connect(port)?;
        stream.set_read_timeout(Some(Duration::from_secs(1)))?;
        stream.write_all(b"GET /readyz HTTP/1.0\r\n\r\n")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    };
    ask().is_ok_and(|it| {
        it.lines()
            .next()
            .is_some_and(|status| status.contains(" 200"))
    })
}
