//! The archives on loopback: krew takes them by http alone.

use std::{
    collections::BTreeMap,
    convert::Infallible,
    fs,
    net::{Ipv4Addr, SocketAddr, TcpListener},
    path::Path,
    sync::Arc,
    thread,
};

use http_body_util::Full;
use hyper::{
    Request, Response, StatusCode,
    body::{Bytes, Incoming},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::TokioIo;

use crate::say::{answer, say};

/// A server on a free port of 127.0.0.1; it ends with the process.
pub(super) struct Server {
    address: SocketAddr,
}

/// What is served, by name.
type Files = BTreeMap<String, Bytes>;

impl Server {
    /// Serves these files, each at `/` and its name, and nothing else.
    pub(super) fn start(files: BTreeMap<String, Vec<u8>>) -> Result<Server, String> {
        let failed = |error: std::io::Error| format!("cannot serve on loopback: {error}");
        let files: Files = files
            .into_iter()
            .map(|(name, it)| (name, Bytes::from(it)))
            .collect();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .build()
            .map_err(failed)?;
        thread::spawn(move || runtime.block_on(serve(listener, Arc::new(files))));
        Ok(Server { address })
    }

    /// The address that a file's name is appended to.
    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

/// Serves what is in a folder now, until the process is ended.
pub(super) fn run(folder: &Path) -> Result<(), String> {
    let failed = |error| format!("cannot read {}: {error}", folder.display());
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.path().is_file() {
            let name = entry.file_name().to_string_lossy().into_owned();
            files.insert(name, fs::read(entry.path()).map_err(failed)?);
        }
    }
    let n_files = files.len();
    let server = Server::start(files)?;
    say(&format!("serving {n_files} files until Ctrl-C"));
    answer(&server.url());
    loop {
        thread::park();
    }
}

async fn serve(listener: TcpListener, files: Arc<Files>) {
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else {
        return;
    };
    // A connection that breaks is the other side's affair: it says so.
    while let Ok((stream, _)) = listener.accept().await {
        let files = Arc::clone(&files);
        let service = service_fn(move |request| {
            let response = respond(&files, &request);
            async move { Ok::<_, Infallible>(response) }
        });
        let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
        tokio::spawn(connection);
    }
}

fn respond(files: &Files, request: &Request<Incoming>) -> Response<Full<Bytes>> {
    let name = request.uri().path().trim_start_matches('/');
    match files.get(name) {
        Some(bytes) => Response::new(Full::new(bytes.clone())),
        None => {
            let mut response = Response::new(Full::default());
            *response.status_mut() = StatusCode::NOT_FOUND;
            response
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io::{Read, Write},
        net::TcpStream,
    };

    use super::*;

    fn get(server: &Server, path: &str) -> String {
        let mut stream = TcpStream::connect(server.address).unwrap();
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn a_file_is_served_by_its_name_and_nothing_else_is() {
        let files = BTreeMap::from([("a.tar.gz".to_owned(), b"bytes".to_vec())]);
        let server = Server::start(files).unwrap();
        assert!(server.url().starts_with("http://127.0.0.1:"));
        assert!(get(&server, "/a.tar.gz").ends_with("\r\n\r\nbytes"));
        for other in ["/b.tar.gz", "/../Cargo.toml", "/"] {
            assert!(get(&server, other).starts_with("HTTP/1.1 404"), "{other}");
        }
    }
}
