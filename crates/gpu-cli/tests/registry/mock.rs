//! An HTTP server that answers as the test says, and remembers what it was asked and how much at the same time.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// One request.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) method: String,
    /// Path with query.
    pub(crate) target: String,
    /// Names in lower case.
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: String,
    /// How often the same was asked before, by whoever.
    pub(crate) before: usize,
}

impl Asked {
    pub(crate) fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    pub(crate) fn query(&self, name: &str) -> &str {
        let query = self.target.split_once('?').map_or("", |it| it.1);
        let found = query
            .split('&')
            .find_map(|it| it.strip_prefix(&format!("{name}=")));
        found.unwrap_or_default()
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }
}

/// What the server does with a request.
pub(crate) enum Reply {
    /// Status, further headers, body.
    Answer(u16, Vec<(&'static str, String)>, String),
    /// The same after a while.
    Slow(Duration, Box<Self>),
    /// Keeps the client waiting until it goes away.
    Silence,
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

/// An answer in JSON.
pub(crate) fn json(status: u16, body: impl Into<String>) -> Reply {
    Reply::Answer(status, Vec::new(), body.into()).with("Content-Type", "application/json")
}

/// A registry's way to say no.
pub(crate) fn no(status: u16, code: &str, message: &str) -> Reply {
    json(
        status,
        format!(r#"{{"errors":[{{"code":"{code}","message":"{message}"}}]}}"#),
    )
}

/// An image's manifest.
pub(crate) fn manifest() -> Reply {
    let digest = config_digest();
    let body = format!(r#"{{"schemaVersion":2,"config":{{"digest":"{digest}"}},"layers":[]}}"#);
    let kind = "application/vnd.oci.image.manifest.v1+json";
    Reply::Answer(200, vec![("Content-Type", kind.to_owned())], body)
}

/// The digest in [`manifest`].
pub(crate) fn config_digest() -> String {
    format!("sha256:{}", "c".repeat(64))
}

/// A list with images for these architectures.
pub(crate) fn list(architectures: &[&str]) -> Reply {
    let one = |it: &&str| format!(r#"{{"platform":{{"os":"linux","architecture":"{it}"}}}}"#);
    let all: Vec<_> = architectures.iter().map(one).collect();
    let body = format!(r#"{{"schemaVersion":2,"manifests":[{}]}}"#, all.join(","));
    let kind = "application/vnd.oci.image.index.v1+json";
    Reply::Answer(200, vec![("Content-Type", kind.to_owned())], body)
}

type Script = dyn Fn(&Asked) -> Reply + Send + Sync;

#[derive(Default)]
struct Log {
    asked: Vec<Asked>,
    busy: usize,
    busiest: usize,
}

/// The server; it lives as long as the test process.
pub(crate) struct Mock {
    /// Host and port.
    pub(crate) host: String,
    log: Arc<Mutex<Log>>,
}

impl Mock {
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
        let log = Arc::new(Mutex::new(Log::default()));
        let shared = Arc::clone(&log);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                stream.set_nodelay(true).unwrap();
                let (config, script, log) =
                    (config.clone(), Arc::clone(&script), Arc::clone(&shared));
                thread::spawn(move || match config {
                    None => serve(stream, &*script, &log),
                    Some(it) => {
                        let session = ServerConnection::new(it).unwrap();
                        serve(StreamOwned::new(session, stream), &*script, &log);
                    }
                });
            }
        });
        Self { host, log }
    }

    /// Everything asked so far.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.log.lock().unwrap().asked.clone()
    }

    /// Verb and target of everything asked so far.
    pub(crate) fn lines(&self) -> Vec<String> {
        let line = |it: &Asked| format!("{} {}", it.method, it.target);
        self.asked().iter().map(line).collect()
    }

    /// The most requests that were open at one time.
    pub(crate) fn busiest(&self) -> usize {
        self.log.lock().unwrap().busiest
    }
}

/// A port where nobody listens.
pub(crate) fn deaf_port() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().to_string()
}

/// What a TLS connection starts with.
const TLS_HANDSHAKE: u8 = 0x16;

fn serve<S: Read + Write>(stream: S, script: &Script, log: &Mutex<Log>) {
    let mut stream = BufReader::new(stream);
    if matches!(stream.fill_buf(), Ok([TLS_HANDSHAKE, ..])) {
        let _ = write!(stream.get_mut(), "HTTP/1.0 400 Bad Request\r\n\r\nno TLS\n");
        return;
    }
    while let Some(asked) = receive(&mut stream, log) {
        let mut reply = script(&asked);
        if let Reply::Slow(pause, then) = reply {
            thread::sleep(pause);
            reply = *then;
        }
        log.lock().unwrap().busy -= 1;
        match reply {
            Reply::Answer(status, headers, body) => {
                if send(stream.get_mut(), &asked, status, &headers, &body).is_err() {
                    return;
                }
            }
            Reply::Silence => {
                let mut rest = [0; 64];
                while matches!(stream.read(&mut rest), Ok(1..)) {}
                return;
            }
            Reply::CutOff => {
                let head = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{";
                let _ = stream.get_mut().write_all(head.as_bytes());
                return;
            }
            Reply::HangUp | Reply::Slow(..) => return,
        }
    }
}

fn receive<S: Read>(stream: &mut BufReader<S>, log: &Mutex<Log>) -> Option<Asked> {
    let mut line = || {
        let mut line = String::new();
        let n_read = stream.read_line(&mut line).ok()?;
        (n_read > 0).then(|| line.trim_end().to_owned())
    };
    let first = line()?;
    let mut headers = HashMap::new();
    loop {
        let it = line()?;
        let Some((name, value)) = it.split_once(": ") else {
            break;
        };
        headers.insert(name.to_lowercase(), value.to_owned());
    }
    let length = headers
        .get("content-length")
        .and_then(|it: &String| it.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut body).ok()?;
    let mut words = first.split(' ').map(str::to_owned);
    let (method, target) = (words.next()?, words.next()?);
    let mut log = log.lock().unwrap();
    let same = |it: &&Asked| it.method == method && it.target == target;
    let asked = Asked {
        before: log.asked.iter().filter(same).count(),
        method,
        target,
        headers,
        body: String::from_utf8(body).ok()?,
    };
    log.asked.push(asked.clone());
    log.busy += 1;
    log.busiest = log.busiest.max(log.busy);
    Some(asked)
}

fn send(
    stream: &mut impl Write,
    asked: &Asked,
    status: u16,
    headers: &[(&str, String)],
    body: &str,
) -> std::io::Result<()> {
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status} Whatever\r\nContent-Length: {length}\r\n"
    )?;
    for (name, value) in headers {
        write!(stream, "{name}: {value}\r\n")?;
    }
    let body = if asked.method == "HEAD" { "" } else { body };
    write!(stream, "\r\n{body}")?;
    stream.flush()
}
