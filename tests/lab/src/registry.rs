//! A real image registry on loopback, filled with small images; it ends with its owner, however that ends.

use std::{
    fs,
    io::{self, BufRead, BufReader, Read, Write},
    net::{Ipv4Addr, TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    time::Duration,
};

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use serde_json::json;

use crate::{Error, Programs, programs::last_lines, wait::wait_until};

/// What it writes, requests among them.
const LOG: &str = "log";
/// Who may log in to a registry that asks.
const USER: &str = "lab";
const PASSWORD: &str = "lab-Pa55word";
/// The same as `htpasswd -B` writes it, at the least cost there is.
const HTPASSWD: &str = "lab:$2a$04$iV6XQZtLO9X1PnHkrumV8eSKwIKozTylNWE70ZAWQxpyITvbS14Fa\n";
/// Starts the registry, and ends it when nobody holds the other end of stdin any more.
const KEEPER: &str =
    r#""$0" serve "$1" </dev/null & it=$!; read -r _; kill -9 $it; wait $it 2>/dev/null"#;
const START: Duration = Duration::from_secs(30);
/// The configurations of the images, and their digests.
const CONFIGS: [(&str, &str, &str); 2] = [
    (
        "amd64",
        r#"{"architecture":"amd64","os":"linux"}"#,
        "sha256:9d99a75171aea000c711b34c0e5e3f28d3d537dd99d110eafbfbc2bd8e52c2bf",
    ),
    (
        "arm64",
        r#"{"architecture":"arm64","os":"linux"}"#,
        "sha256:d6f56bc20064075ce319ac2e6fcef5de9ea21773b0a8a4398c4405222971f9c0",
    ),
];
const IMAGE: &str = "application/vnd.oci.image.manifest.v1+json";
const INDEX: &str = "application/vnd.oci.image.index.v1+json";

/// How a registry is set up.
#[derive(Clone, Copy, Debug, Default)]
pub struct RegistrySetup {
    /// Ask everybody for user and password.
    pub login: bool,
    /// Speak TLS, with a certificate of a CA nobody knows.
    pub tls: bool,
    /// Forget everything at the end; for thousands of tags, which a disk is slow to keep.
    pub in_memory: bool,
}

/// A running registry; dropping it ends it.
#[derive(Debug)]
pub struct Registry {
    keeper: Child,
    stdin: Option<ChildStdin>,
    port: u16,
    folder: PathBuf,
}

impl Registry {
    /// Starts one in `folder`, which has to be there; what an earlier one has stored there is in it. Waits until it
    /// answers.
    ///
    /// # Errors
    /// [`Error::Missing`] if the program has to be built and cannot be, [`Error::Timeout`] if it does not answer.
    pub fn start(folder: &Path, setup: RegistrySetup) -> Result<Registry, Error> {
        let program = Programs::registry()?;
        let port = free_port().map_err(Error::file("a free port"))?;
        let config = write_files(folder, setup, port)?;
        let log_path = folder.join(LOG);
        let log = fs::File::create(&log_path).map_err(Error::file(&log_path))?;
        let errors = log.try_clone().map_err(Error::file(&log_path))?;
        let mut keeper = Command::new("sh")
            .args(["-c", KEEPER])
            .arg(&program)
            .arg(&config)
            .env("OTEL_TRACES_EXPORTER", "none")
            .stdin(Stdio::piped())
            .stdout(log)
            .stderr(errors)
            .spawn()
            .map_err(|source| Error::Run {
                program: program.display().to_string(),
                source,
            })?;
        let stdin = keeper.stdin.take();
        let registry = Registry {
            keeper,
            stdin,
            port,
            folder: folder.to_owned(),
        };
        let connects = || TcpStream::connect((Ipv4Addr::LOCALHOST, port)).ok();
        wait_until("the registry", START, connects).map_err(|_| {
            let said = fs::read_to_string(&log_path).unwrap_or_default();
            Error::Supervisor(format!(
                "the registry does not start: {}",
                last_lines(&said)
            ))
        })?;
        Ok(registry)
    }

    /// Host and port, as images name it.
    pub fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// How many requests it has answered whose line in its access log holds `what`.
    ///
    /// # Errors
    /// [`Error::File`] if the log cannot be read.
    pub fn answered(&self, what: &str) -> Result<usize, Error> {
        let path = self.folder.join(LOG);
        let log = fs::read(&path).map_err(Error::file(path))?;
        let text = String::from_utf8_lossy(&log);
        Ok(text.lines().filter(|it| it.contains(what)).count())
    }

    /// User and password of a registry that asks for them.
    pub fn login() -> (&'static str, &'static str) {
        (USER, PASSWORD)
    }

    /// The certificate of the CA that signed the certificate of a registry with TLS.
    pub fn ca(&self) -> PathBuf {
        self.folder.join("ca.crt")
    }

    /// Ends it at once, as a crash would.
    pub fn kill(&mut self) {
        drop(self.stdin.take());
        // It is killed, so there is nothing to learn from how it ends.
        let _ = self.keeper.wait();
    }

    /// Stores an image for one architecture (`amd64` or `arm64`) under a tag, and gives its digest.
    /// Only for a registry without login and TLS.
    ///
    /// # Errors
    /// [`Error::File`] with what the registry said.
    pub fn put_image(
        &self,
        repository: &str,
        tag: &str,
        architecture: &str,
    ) -> Result<String, Error> {
        let mut line = Line::open(self.port).map_err(self.refused())?;
        line.put_image(repository, tag, architecture)
            .map_err(self.refused())
    }

    /// Stores a list with one image for each architecture under a tag.
    ///
    /// # Errors
    /// As [`Registry::put_image`].
    pub fn put_list(&self, repository: &str, tag: &str, all: &[&str]) -> Result<(), Error> {
        let mut line = Line::open(self.port).map_err(self.refused())?;
        let mut entries = Vec::new();
        for it in all {
            let digest = line
                .put_image(repository, &format!("{tag}-{it}"), it)
                .map_err(self.refused())?;
            let size = image(it).len();
            entries.push(json!({
                "mediaType": IMAGE, "digest": digest, "size": size,
                "platform": {"os": "linux", "architecture": it},
            }));
        }
        let list =
            json!({"schemaVersion": 2, "mediaType": INDEX, "manifests": entries}).to_string();
        line.put_manifest(repository, tag, INDEX, &list)
            .map_err(self.refused())?;
        Ok(())
    }

    /// Stores one image under all of these tags.
    ///
    /// # Errors
    /// As [`Registry::put_image`].
    pub fn put_tags(&self, repository: &str, tags: &[String]) -> Result<(), Error> {
        let mut line = Line::open(self.port).map_err(self.refused())?;
        if let Some(first) = tags.first() {
            line.put_image(repository, first, "amd64")
                .map_err(self.refused())?;
        }
        let image = image("amd64");
        for it in tags {
            line.put_manifest(repository, it, IMAGE, &image)
                .map_err(self.refused())?;
        }
        Ok(())
    }

    fn refused(&self) -> impl FnOnce(io::Error) -> Error + use<> {
        Error::file(self.folder.join("storage"))
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        self.kill();
    }
}

fn free_port() -> io::Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    Ok(listener.local_addr()?.port())
}

/// The registry's configuration, and the files it names.
fn write_files(folder: &Path, setup: RegistrySetup, port: u16) -> Result<PathBuf, Error> {
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text).map_err(Error::file(&path))?;
        Ok::<_, Error>(path)
    };
    let mut http = json!({"addr": format!("127.0.0.1:{port}"), "secret": "of the lab"});
    if setup.tls {
        let (ca, certificate, key) = certificates()?;
        write("ca.crt", &ca)?;
        http["tls"] = json!({
            "certificate": write("server.crt", &certificate)?,
            "key": write("server.key", &key)?,
        });
    }
    let storage = if setup.in_memory {
        json!({"inmemory": {}})
    } else {
        json!({"filesystem": {"rootdirectory": folder.join("storage")}})
    };
    let mut config = json!({
        "version": "0.1",
        "log": {"level": "error"},
        "storage": storage,
        "http": http,
    });
    if setup.login {
        let path = write("htpasswd", HTPASSWD)?;
        config["auth"] = json!({"htpasswd": {"realm": "lab", "path": path}});
    }
    // JSON is YAML.
    write("config.yml", &config.to_string())
}

/// A CA of its own, and a certificate for 127.0.0.1 with its key.
fn certificates() -> Result<(String, String, String), Error> {
    let ca_key = KeyPair::generate()?;
    let mut ca = CertificateParams::default();
    ca.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let ca_pem = ca.self_signed(&ca_key)?.pem();
    let key = KeyPair::generate()?;
    let certificate = CertificateParams::new(["127.0.0.1".to_owned()])?
        .signed_by(&key, &Issuer::new(ca, ca_key))?;
    Ok((ca_pem, certificate.pem(), key.serialize_pem()))
}

/// The manifest of an image without layers.
fn image(architecture: &str) -> String {
    let found = CONFIGS.iter().find(|it| it.0 == architecture);
    let (_, config, digest) = found.unwrap_or(&CONFIGS[0]);
    json!({
        "schemaVersion": 2, "mediaType": IMAGE, "layers": [],
        "config": {
            "mediaType": "application/vnd.oci.image.config.v1+json",
            "digest": digest, "size": config.len(),
        },
    })
    .to_string()
}

/// One connection that is kept, for thousands of small requests.
struct Line {
    stream: BufReader<TcpStream>,
}

impl Line {
    fn open(port: u16) -> io::Result<Line> {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
        stream.set_nodelay(true)?;
        Ok(Line {
            stream: BufReader::new(stream),
        })
    }

    fn put_image(&mut self, repository: &str, tag: &str, architecture: &str) -> io::Result<String> {
        for (name, config, digest) in CONFIGS {
            if name == architecture {
                let uploads = format!("/v2/{repository}/blobs/uploads/");
                let headers = self.ask("POST", &uploads, "text/plain", "")?;
                let location = header(&headers, "location");
                let path = location.split_once("://").map_or(location, |(_, rest)| {
                    &rest[rest.find('/').unwrap_or(rest.len())..]
                });
                let path = format!("{path}&digest={digest}");
                self.ask("PUT", &path, "application/octet-stream", config)?;
            }
        }
        self.put_manifest(repository, tag, IMAGE, &image(architecture))
    }

    fn put_manifest(
        &mut self,
        repository: &str,
        tag: &str,
        kind: &str,
        text: &str,
    ) -> io::Result<String> {
        let path = format!("/v2/{repository}/manifests/{tag}");
        let headers = self.ask("PUT", &path, kind, text)?;
        Ok(header(&headers, "docker-content-digest").to_owned())
    }

    /// The headers of the answer; an answer that is no success is an error.
    fn ask(&mut self, verb: &str, path: &str, kind: &str, body: &str) -> io::Result<Vec<String>> {
        let length = body.len();
        let request = format!(
            "{verb} {path} HTTP/1.1\r\nHost: lab\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        self.stream.get_mut().write_all(request.as_bytes())?;
        let mut headers = Vec::new();
        loop {
            let mut line = String::new();
            if self.stream.read_line(&mut line)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            if line.trim_end().is_empty() {
                break;
            }
            headers.push(line.trim_end().to_owned());
        }
        let length = header(&headers, "content-length").parse().unwrap_or(0);
        let mut said = vec![0; length];
        self.stream.read_exact(&mut said)?;
        let status = headers.first().map_or("", String::as_str);
        if status
            .split(' ')
            .nth(1)
            .is_some_and(|it| it.starts_with('2'))
        {
            return Ok(headers);
        }
        let said = String::from_utf8_lossy(&said);
        Err(io::Error::other(format!("{verb} {path}: {status}: {said}")))
    }
}

fn header<'a>(headers: &'a [String], name: &str) -> &'a str {
    let of = |it: &'a String| {
        let (key, value) = it.split_once(':')?;
        key.eq_ignore_ascii_case(name).then_some(value.trim())
    };
    headers.iter().find_map(of).unwrap_or_default()
}
