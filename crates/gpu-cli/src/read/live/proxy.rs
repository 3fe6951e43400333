//! Whether a proxy leads to the server, decided as Go does: by the server's address, not the proxy's.

use std::net::IpAddr;

use http::Uri;

use super::Environment;

/// The proxy for this server, or none. The kubeconfig's (or `--proxy-url`) counts always; the environment's
/// not for the machine itself and not for what NO_PROXY names. The error is kubectl's.
pub(crate) fn decide(
    server: &Uri,
    of_cluster: Option<&str>,
    environment: &Environment,
) -> Result<Option<Uri>, String> {
    if let Some(url) = of_cluster {
        return checked(url).map(Some);
    }
    let of_environment = match server.scheme_str() {
        Some("https") => environment.https_proxy.as_deref(),
        _ => environment.http_proxy.as_deref(),
    };
    let Some(url) = of_environment else {
        return Ok(None);
    };
    let no_proxy = environment.no_proxy.as_deref().unwrap_or_default();
    if !applies(server, no_proxy) {
        return Ok(None);
    }
    // Go takes a bare host:port for an HTTP proxy, and both names of SOCKS for the same.
    let url = match url.split_once("://") {
        Some(("socks5h", rest)) => format!("socks5://{rest}"),
        Some(_) => url.to_owned(),
        None => format!("http://{url}"),
    };
    checked(&url).map(Some)
}

fn checked(url: &str) -> Result<Uri, String> {
    let scheme = url.split_once("://").map_or("", |(scheme, _)| scheme);
    if !["http", "https", "socks5"].contains(&scheme) {
        return Err(format!(
            "unsupported scheme \"{scheme}\", must be http, https, or socks5"
        ));
    }
    match url.parse::<Uri>() {
        Ok(it) if it.host().is_some_and(|host| !host.is_empty()) => Ok(it),
        _ => Err("could not parse it as a URL".to_owned()),
    }
}

/// Does the environment's proxy apply to this server?
fn applies(server: &Uri, no_proxy: &str) -> bool {
    let host = server.host().unwrap_or_default();
    let host = host
        .trim_matches(['[', ']'])
        .trim_end_matches('.')
        .to_lowercase();
    let default = if server.scheme_str() == Some("https") {
        443
    } else {
        80
    };
    let port = server.port_u16().unwrap_or(default).to_string();
    let address: Option<IpAddr> = host.parse().ok();
    if host == "localhost" || address.is_some_and(|it| it.is_loopback()) {
        return false;
    }
    !no_proxy
        .split(',')
        .map(|it| it.trim().to_lowercase())
        .filter(|it| !it.is_empty())
        .any(|entry| covers(&entry, &host, address, &port))
}

/// Does this entry of NO_PROXY cover the server?
fn covers(entry: &str, host: &str, address: Option<IpAddr>, port: &str) -> bool {
    if entry == "*" {
        return true;
    }
    if let Some((network, bits)) = entry.split_once('/') {
        return address.is_some_and(|it| within(it, network, bits));
    }
    let (name, only_port) = split_port(entry);
    if name.is_empty() || only_port.is_some_and(|it| it != port) {
        return false;
    }
    if let Ok(it) = name.parse::<IpAddr>() {
        return address == Some(it);
    }
    // `a.b` covers itself and what is below it; `.a.b` and `*.a.b` only what is below.
    let bare = name.strip_prefix("*.").or_else(|| name.strip_prefix('.'));
    let below = |domain: &str| {
        host.strip_suffix(domain)
            .is_some_and(|it| it.ends_with('.'))
    };
    match bare {
        Some(domain) => below(domain),
        None => host == name || below(name),
    }
}

/// `host:port`, `[v6]:port`, `v6` or `host`.
fn split_port(entry: &str) -> (&str, Option<&str>) {
    if let Some((host, rest)) = entry.strip_prefix('[').and_then(|it| it.split_once(']')) {
        return (host, rest.strip_prefix(':'));
    }
    match entry.split_once(':') {
        Some((host, port)) if !port.contains(':') => (host, Some(port)),
        _ => (entry, None),
    }
}

/// Is the address in the network?
fn within(address: IpAddr, network: &str, bits: &str) -> bool {
    let (Ok(network), Ok(bits)) = (network.parse::<IpAddr>(), bits.parse::<u32>()) else {
        return false;
    };
    let differ = match (address, network) {
        (IpAddr::V4(a), IpAddr::V4(b)) if bits <= 32 => u128::from(a.to_bits() ^ b.to_bits()) << 96,
        (IpAddr::V6(a), IpAddr::V6(b)) if bits <= 128 => a.to_bits() ^ b.to_bits(),
        _ => return false,
    };
    differ.leading_zeros() >= bits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(server: &str, no_proxy: &str, want: bool) {
        let environment = Environment {
            https_proxy: Some("http://proxy:3128".to_owned()),
            no_proxy: Some(no_proxy.to_owned()),
            ..Environment::default()
        };
        let got = decide(&server.parse().unwrap(), None, &environment).unwrap();
        assert_eq!(got.is_some(), want, "{server} with NO_PROXY={no_proxy}");
    }

    #[test]
    fn no_proxy_is_matched_against_the_server() {
        for (server, no_proxy, proxied) in [
            ("https://api.example.com", "", true),
            ("https://api.example.com", "proxy", true),
            ("https://api.example.com", "api.example.com", false),
            ("https://api.example.com", "example.com", false),
            ("https://api.example.com", ".example.com", false),
            ("https://api.example.com", "*.example.com", false),
            ("https://example.com", ".example.com", true),
            ("https://example.com", "*.example.com", true),
            ("https://example.com", "example.com", false),
            ("https://badexample.com", "example.com", true),
            ("https://API.Example.com.", "api.example.COM", false),
            (
                "https://api.example.com:6443",
                "api.example.com:6443",
                false,
            ),
            ("https://api.example.com:6443", "api.example.com:443", true),
            ("https://api.example.com", "api.example.com:443", false),
            ("https://api.example.com", "other, api.example.com ,", false),
            ("https://api.example.com", "other,,", true),
            ("https://api.example.com", "*", false),
            ("https://api.example.com", "/,:,[,10.0.0.0/99,x/y", true),
            ("https://10.1.2.3:6443", "10.0.0.0/8", false),
            ("https://11.1.2.3:6443", "10.0.0.0/8", true),
            ("https://11.1.2.3", "0.0.0.0/0", false),
            ("https://10.1.2.3:6443", "10.1.2.3", false),
            ("https://10.1.2.3:6443", "10.1.2.3:443", true),
            ("https://[fd00::1]:6443", "fd00::/8", false),
            ("https://[fd00::1]:6443", "fd00::1", false),
            ("https://[fd00::1]:6443", "[fd00::1]:6443", false),
            ("https://[fd00::1]:6443", "10.0.0.0/8", true),
            ("https://127.0.0.1:6443", "", false),
            ("https://[::1]:6443", "", false),
            ("https://localhost:6443", "", false),
        ] {
            check(server, no_proxy, proxied);
        }
    }

    #[test]
    fn each_scheme_has_its_own_proxy_and_the_kubeconfigs_beats_all() {
        let environment = Environment {
            https_proxy: Some("tls:1".to_owned()),
            http_proxy: Some("socks5h://plain:2".to_owned()),
            no_proxy: Some("kept".to_owned()),
            ..Environment::default()
        };
        let got = |server: &'static str, of_cluster| {
            decide(&Uri::from_static(server), of_cluster, &environment)
                .map(|it| it.map(|it| it.to_string()))
        };
        let some = |it: &str| Ok(Some(it.to_owned()));
        assert_eq!(got("https://api", None), some("http://tls:1/"));
        assert_eq!(got("http://api", None), some("socks5://plain:2/"));
        assert_eq!(got("https://kept", None), Ok(None));
        assert_eq!(
            got("https://kept", Some("https://own:3")),
            some("https://own:3/")
        );
        assert_eq!(
            got("https://127.0.0.1", Some("http://own:3")),
            some("http://own:3/")
        );
        for url in ["socks5h://x:1", "ftp://x", "x:1"] {
            let error = got("https://api", Some(url)).unwrap_err();
            assert!(error.ends_with("must be http, https, or socks5"), "{error}");
        }
        assert!(
            got("https://api", Some("http://"))
                .unwrap_err()
                .contains("parse")
        );
    }
}
