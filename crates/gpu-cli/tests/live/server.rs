//! An HTTP server that answers as the test says and remembers what it was asked.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::thread;

use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// One request.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// Verb and path with query.
    pub(crate) line: String,
    /// Names in lower case; values of the same name joined by commas.
    pub(crate) headers: HashMap<String, String>,
    /// How often this line was asked before.
    pub(crate) before: usize,
}

impl Asked {
    /// The path without its query.
    pub(crate) fn path(&self) -> &str {
        let target = self.line.split(' ').nth(1).unwrap_or_default();
        target.split('?').next().unwrap_or_default()
    }

    /// The token that asks for a later page, or nothing.
    pub(crate) fn page(&self) -> &str {
        let rest = self.line.split("continue=").nth(1).unwrap_or_default();
        rest.split([' ', '&']).next().unwrap_or_default()
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }
}

/// What the server does with a request.
pub(crate) enum Reply {
    /// Status, further headers, body.
    Answer(u16, Vec<(&'static str, String)>, String),
    /// Keeps the client waiting until it goes away.
    Silence,
    /// Promises a body and keeps the client waiting for it.
    HalfAnswer,
    /// Promises a body and closes the connection.
    CutOff,
    /// Closes the connection.
    HangUp,
}

impl Reply {
    pub(crate) fn with(self, name: &'static str, value: impl Into<String>) -> Self {
        match self {
            Self::Answer(status, mut headers, body) => {
                headers.push((name, value.into()));
                Self::Answer(status, headers, body)
            }
            other => other,
        }
    }
}

pub(crate) fn ok(body: impl Into<String>) -> Reply {
    Reply::Answer(200, Vec::new(), body.into())
}

/// Kubernetes' way to say no.
pub(crate) fn no(code: u16, reason: &str, message: &str) -> Reply {
    let body = format!(
        r#"{{"kind":"Status","status":"Failure","code":{code},"reason":"{reason}","message":"{message}"}}"#
    );
    Reply::Answer(code, Vec::new(), body)
}

/// A page with these items and what to ask the next one with.
pub(crate) fn page(items: &[&str], next: &str) -> Reply {
    let items = items.join(",");
    ok(format!(
        r#"{{"metadata":{{"continue":"{next}"}},"items":[{items}]}}"#
    ))
}

/// A small healthy cluster: a node, the driver's DaemonSet and its pod in `gpu-operator`, no policies.
pub(crate) fn small_cluster(asked: &Asked) -> Reply {
    match asked.path() {
        "/api/v1/nodes" => page(&[r#"{"metadata":{"name":"node-1"}}"#], ""),
        "/apis/apps/v1/daemonsets" | "/apis/apps/v1/namespaces/gpu-operator/daemonsets" => page(
            &[
                r#"{"metadata":{"name":"nvidia-driver-daemonset","namespace":"gpu-operator"},
                  "spec":{"selector":{"matchLabels":{"app":"d"}},
                  "template":{"spec":{"nodeSelector":{"nvidia.com/gpu.deploy.driver":"true"}}}}}"#,
            ],
            "",
        ),
        "/api/v1/namespaces/gpu-operator/pods" => page(
            &[
                r#"{"metadata":{"name":"driver-1","namespace":"gpu-operator","labels":{"app":"d"},
                  "ownerReferences":[{"kind":"DaemonSet","name":"nvidia-driver-daemonset","controller":true}]}}"#,
            ],
            "",
        ),
        _ => Reply::Answer(404, Vec::new(), "404 page not found\n".to_owned()),
    }
}

type Script = dyn Fn(&Asked) -> Reply + Send + Sync;

/// The server; it lives as long as the test process.
pub(crate) struct Server {
    /// Host and port.
    pub(crate) host: String,
    requests: Arc<Mutex<Vec<Asked>>>,
}

impl Server {
    /// Speaks HTTP.
    pub(crate) fn start(script: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Self {
        Self::launch(None, Arc::new(script))
    }

    /// Speaks HTTPS.
    pub(crate) fn start_tls(
        config: ServerConfig,
        script: impl Fn(&Asked) -> Reply + Send + Sync + 'static,
    ) -> Self {
        Self::launch(Some(Arc::new(config)), Arc::new(script))
    }

    fn launch(config: Option<Arc<ServerConfig>>, script: Arc<Script>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let host = listener.local_addr().unwrap().to_string();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&requests);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (config, script, log) = (config.clone(), Arc::clone(&script), Arc::clone(&log));
                thread::spawn(move || match config {
                    None => serve(stream, &*script, &log),
                    Some(it) => {
                        let session = ServerConnection::new(it).unwrap();
                        serve(StreamOwned::new(session, stream), &*script, &log);
                    }
                });
            }
        });
        Self { host, requests }
    }

    /// Everything asked so far.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.requests.lock().unwrap().clone()
    }

    /// How often this path was asked for.
    pub(crate) fn count(&self, path: &str) -> usize {
        self.asked().iter().filter(|it| it.path() == path).count()
    }
}

/// What a TLS connection starts with.
const TLS_HANDSHAKE: u8 = 0x16;

/// A port where nobody listens.
pub(crate) fn deaf_port() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().to_string()
}

fn serve<S: Read + Write>(stream: S, script: &Script, log: &Mutex<Vec<Asked>>) {
    let mut stream = BufReader::new(stream);
    if matches!(stream.fill_buf(), Ok([TLS_HANDSHAKE, ..])) {
        let _ = send(
            stream.get_mut(),
            400,
            &[],
            "Client sent an HTTPS request",
            28,
        );
        return;
    }
    while let Some(asked) = receive(&mut stream, log) {
        match script(&asked) {
            Reply::Answer(status, headers, body) => {
                if send(stream.get_mut(), status, &headers, &body, body.len()).is_err() {
                    return;
                }
            }
            Reply::Silence => return wait(&mut stream),
            Reply::HalfAnswer => {
                let _ = send(stream.get_mut(), 200, &[], "{", 1_000);
                return wait(&mut stream);
            }
            Reply::CutOff => {
                let _ = send(stream.get_mut(), 200, &[], "{", 1_000);
                return;
            }
            Reply::HangUp => return,
        }
    }
}

fn receive<S: Read>(stream: &mut BufReader<S>, log: &Mutex<Vec<Asked>>) -> Option<Asked> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end() {
            "" => break,
            it => lines.push(it.to_owned()),
        }
    }
    let line = lines.first()?.clone();
    let mut headers: HashMap<String, String> = HashMap::new();
    for it in &lines[1..] {
        let (name, value) = it.split_once(": ")?;
        headers
            .entry(name.to_lowercase())
            .and_modify(|it| *it = format!("{it},{value}"))
            .or_insert_with(|| value.to_owned());
    }
    let mut log = log.lock().unwrap();
    let before = log.iter().filter(|it| it.line == line).count();
    let asked = Asked {
        line,
        headers,
        before,
    };
    log.push(asked.clone());
    Some(asked)
}

fn send(
    stream: &mut impl Write,
    status: u16,
    headers: &[(&str, String)],
    body: &str,
    length: usize,
) -> std::io::Result<()> {
    write!(
        stream,
        "HTTP/1.1 {status} Whatever\r\nContent-Length: {length}\r\n"
    )?;
    for (name, value) in headers {
        write!(stream, "{name}: {value}\r\n")?;
    }
    write!(stream, "\r\n{body}")?;
    stream.flush()
}

fn wait(stream: &mut impl Read) {
    let mut rest = [0; 64];
    while matches!(stream.read(&mut rest), Ok(1..)) {}
}
