//! A token for one repository, from the service a registry names.

use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;

use super::client::Client;
use super::config::Credential;
use super::failure::Failure;
use super::host::Ask;
use super::patience::Patience;
use super::transport::basic;

/// Whom and what to ask for.
#[derive(Debug)]
pub(super) struct Service<'a> {
    pub(super) realm: &'a str,
    pub(super) service: &'a str,
    pub(super) scope: &'a str,
    /// May the service be spoken to without TLS, because the registry is?
    pub(super) plain: bool,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Granted {
    token: Option<String>,
    access_token: Option<String>,
}

/// Asks for a token, with what we have to show or anonymously. `Denied` if the service does not give one.
pub(super) async fn fetch(
    client: &Client,
    service: &Service<'_>,
    credential: Option<&Credential>,
    patience: Patience,
) -> Result<SecretString, Failure> {
    if let Some(Credential::Token(it)) = credential {
        return Ok(it.clone());
    }
    let bad = |why: &str| Failure::Unreachable(format!("its token service: {why}"));
    let realm: Uri = service.realm.parse().map_err(|_| bad("no address"))?;
    let authority = realm.authority().ok_or_else(|| bad("no host is named"))?;
    if authority.as_str().contains('@') {
        return Err(bad("its address holds a login"));
    }
    let scheme = match realm.scheme_str() {
        Some("https") => "https",
        Some("http") => "http",
        _ => return Err(bad("neither HTTPS nor HTTP")),
    };
    let host = client.host(authority.as_str(), Some(scheme));
    if scheme == "http" && !(service.plain && host.plain_allowed()) {
        return Err(bad(&format!("{authority} is not reached by TLS")));
    }
    let ask = request(&realm, service, credential);
    let answer = host.send(&client.transport, &ask, patience).await?;
    let words = answer.words(&client.transport.veil);
    match answer.status {
        StatusCode::OK => {}
        it if it.is_client_error() => {
            return Err(Failure::Denied(format!(
                "{authority} gives no token: {words}"
            )));
        }
        _ => return Err(bad(&format!("{authority} answered {words}"))),
    }
    let granted: Granted = serde_json::from_slice(&answer.body)
        .map_err(|_| bad(&format!("what {authority} answered is no token")))?;
    let token = granted.token.or(granted.access_token).unwrap_or_default();
    if token.is_empty() {
        return Err(bad(&format!("what {authority} answered is no token")));
    }
    let token = SecretString::from(token);
    client.transport.veil.hide(&token);
    Ok(token)
}

/// An identity token is exchanged by a form, everything else by an address.
fn request(realm: &Uri, service: &Service<'_>, credential: Option<&Credential>) -> Ask {
    let escaped = |it: &str| utf8_percent_encode(it, NON_ALPHANUMERIC).to_string();
    let mut query = format!("scope={}", escaped(service.scope));
    if !service.service.is_empty() {
        query.push_str(&format!("&service={}", escaped(service.service)));
    }
    let path = realm.path();
    let mut headers = HeaderMap::new();
    if let Some(Credential::Identity(it)) = credential {
        let form = HeaderValue::from_static("application/x-www-form-urlencoded");
        headers.insert(header::CONTENT_TYPE, form);
        let token = escaped(it.expose_secret());
        return Ask {
            method: Method::POST,
            path: realm
                .path_and_query()
                .map_or(path, |it| it.as_str())
                .to_owned(),
            headers,
            body: format!(
                "grant_type=refresh_token&client_id=kubectl-gpu&{query}&refresh_token={token}"
            ),
        };
    }
    if let Some(Credential::Login { user, password }) = credential
        && let Some(it) = basic(user, password.expose_secret())
    {
        headers.insert(header::AUTHORIZATION, it);
    }
    let before = realm
        .query()
        .map_or_else(String::new, |it| format!("{it}&"));
    Ask {
        method: Method::GET,
        path: format!("{path}?{before}{query}"),
        headers,
        body: String::new(),
    }
}
