//! One HTTP request, by the way the environment's proxies lead, and one log line for it without anything secret.

use std::cell::RefCell;
use std::collections::HashMap;
use std::error::Error as Cause;
use std::rc::Rc;
use std::time::Instant;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderValue, Method, Request, Uri, header};
use http_body_util::{BodyExt, Limited};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::{SocksV5, Tunnel};
use hyper_util::rt::TokioExecutor;
use percent_encoding::percent_decode_str;
use rustls::ClientConfig;

use super::answer::Answer;
use super::failure::{How, Lost};
use super::options::Log;
use super::veil::Veil;
use crate::read::live::client::CONNECT;
use crate::read::live::{Environment, proxy};

/// No manifest, token or page of tags is longer.
const LONGEST_BODY: usize = 16 << 20;

type To<C> = legacy::Client<HttpsConnector<C>, String>;
type Tcp = HttpsConnector<HttpConnector>;

/// A pool of connections, directly or through a proxy.
#[derive(Clone)]
enum Pool {
    Direct(To<HttpConnector>),
    Tunnel(To<Tunnel<Tcp>>),
    Socks(To<SocksV5<HttpConnector>>),
}

/// Sends requests to whatever host they name.
pub(super) struct Transport {
    tls: ClientConfig,
    environment: Environment,
    agent: HeaderValue,
    pools: RefCell<HashMap<Option<Uri>, Pool>>,
    log: Log,
    pub(super) veil: Rc<Veil>,
}

impl Transport {
    /// Nothing is connected yet.
    pub(super) fn new(
        tls: ClientConfig,
        environment: Environment,
        agent: HeaderValue,
        log: Log,
    ) -> Self {
        Self {
            tls,
            environment,
            agent,
            pools: RefCell::default(),
            log,
            veil: Rc::default(),
        }
    }

    /// Sends one request and reads the whole answer; follows nothing.
    pub(super) async fn exchange(&self, request: Request<String>) -> Result<Answer, Lost> {
        let started = Instant::now();
        let method = request.method().clone();
        let url = request.uri().clone();
        let outcome = self.send(request).await;
        let what = match &outcome {
            Ok(it) => it.status.to_string(),
            Err(it) => it.why.clone(),
        };
        self.note(&method, &url, &what, started);
        outcome
    }

    async fn send(&self, mut request: Request<String>) -> Result<Answer, Lost> {
        request
            .headers_mut()
            .insert(header::USER_AGENT, self.agent.clone());
        let host = shown_host(request.uri());
        let lost = |it: &(dyn Cause + 'static)| Lost::of(it, &host);
        let response = match self.pool(request.uri())? {
            Pool::Direct(it) => it.request(request).await,
            Pool::Tunnel(it) => it.request(with_port(request)).await,
            Pool::Socks(it) => it.request(with_port(request)).await,
        };
        let (parts, body) = response.map_err(|it| lost(&it))?.into_parts();
        let body = Limited::new(body, LONGEST_BODY)
            .collect()
            .await
            .map_err(|it| Lost {
                how: How::Broken,
                why: lost(&*it).why,
            })?;
        Ok(Answer {
            status: parts.status,
            headers: parts.headers,
            body: body.to_bytes().to_vec(),
        })
    }

    /// The pool for the way to this address; connections are kept between requests.
    fn pool(&self, url: &Uri) -> Result<Pool, Lost> {
        let way = proxy::decide(url, None, &self.environment).map_err(|why| Lost {
            how: How::NoConnection,
            why: format!("the proxy of the environment cannot be used: {why}"),
        })?;
        let mut pools = self.pools.borrow_mut();
        let pool = pools.entry(way.clone()).or_insert_with(|| self.open(way));
        Ok(pool.clone())
    }

    fn open(&self, way: Option<Uri>) -> Pool {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_connect_timeout(Some(CONNECT));
        match way {
            None => Pool::Direct(self.over(tcp)),
            Some(proxy) if proxy.scheme_str() == Some("socks5") => {
                let login = login(&proxy);
                let socks = SocksV5::new(proxy, tcp);
                let socks = match login {
                    Some((user, password)) => socks.with_auth(user, password),
                    None => socks,
                };
                Pool::Socks(self.over(socks))
            }
            Some(proxy) => {
                let login = login(&proxy);
                let tunnel = Tunnel::new(proxy, self.wrapped(tcp));
                let tunnel = match login.and_then(|it| basic(&it.0, &it.1)) {
                    Some(it) => tunnel.with_auth(it),
                    None => tunnel,
                };
                Pool::Tunnel(self.over(tunnel))
            }
        }
    }

    fn wrapped<C>(&self, inner: C) -> HttpsConnector<C> {
        HttpsConnectorBuilder::new()
            .with_tls_config(self.tls.clone())
            .https_or_http()
            .enable_http1()
            .wrap_connector(inner)
    }

    fn over<C>(&self, inner: C) -> To<C>
    where
        HttpsConnector<C>: legacy::connect::Connect + Clone,
    {
        legacy::Client::builder(TokioExecutor::new()).build(self.wrapped(inner))
    }

    /// One line a request: never a header, and no query, which may hold a signature.
    fn note(&self, method: &Method, url: &Uri, outcome: &str, started: Instant) {
        let ms = started.elapsed().as_millis();
        let line = format!("{method} {} {outcome} in {ms} milliseconds", shown(url));
        self.log.line(&self.veil.over(&line));
    }
}

/// Basic authentication.
pub(super) fn basic(user: &str, password: &str) -> Option<HeaderValue> {
    let text = format!("Basic {}", STANDARD.encode(format!("{user}:{password}")));
    let mut value = HeaderValue::try_from(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// The address without login and query.
pub(super) fn shown(url: &Uri) -> String {
    let scheme = url.scheme_str().unwrap_or_default();
    format!("{scheme}://{}{}", shown_host(url), url.path())
}

/// Host and port, the port only where it is written.
pub(super) fn shown_host(url: &Uri) -> String {
    let host = url.host().unwrap_or_default();
    match url.port_u16() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

/// Proxies have to be told the port.
fn with_port(mut request: Request<String>) -> Request<String> {
    let url = request.uri();
    let port = match url.scheme_str() {
        Some("https") => 443,
        _ => 80,
    };
    if let (Some(host), None) = (url.host(), url.port_u16())
        && let Ok(authority) = http::uri::Authority::try_from(format!("{host}:{port}"))
    {
        let mut parts = url.clone().into_parts();
        parts.authority = Some(authority);
        if let Ok(it) = Uri::from_parts(parts) {
            *request.uri_mut() = it;
        }
    }
    request
}

/// User and password of a proxy's address.
fn login(proxy: &Uri) -> Option<(String, String)> {
    let (login, _) = proxy.authority()?.as_str().rsplit_once('@')?;
    let (user, password) = login.split_once(':').unwrap_or((login, ""));
    let plain = |it| percent_decode_str(it).decode_utf8_lossy().into_owned();
    Some((plain(user), plain(password)))
}
