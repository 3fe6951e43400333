//! The environment's proxies, which lead to every registry but those of this machine and of NO_PROXY.

use gpu_core::drivertag::existence::Existence;

use crate::bench::{ask, check, options};
use crate::mock::{Mock, Reply, manifest};

#[test]
fn a_proxy_is_told_host_and_port_and_shown_its_own_login() {
    let proxy = Mock::start(|_| Reply::Answer(502, Vec::new(), String::new()));
    let mut options = options();
    options.surroundings.network.https_proxy =
        Some(format!("http://pat:p%40ss-word@{}", proxy.host));
    options.surroundings.network.no_proxy = Some("near.invalid".to_owned());
    let got = ask("registry.example", &options);
    check(
        &got,
        "unreachable",
        "the proxy does not lead to registry.example",
    );
    assert_eq!(proxy.lines(), ["CONNECT registry.example:443"]);
    // pat:p@ss-word
    let login = proxy.asked()[0].header("proxy-authorization").to_owned();
    assert_eq!(login, "Basic cGF0OnBAc3Mtd29yZA==");
    let shown = format!("{got:?} {options:?}");
    assert!(
        !shown.contains("p@ss") && !shown.contains("p%40ss"),
        "{shown}"
    );
    check(
        &ask("near.invalid", &options),
        "unreachable",
        "near.invalid",
    );
    let mock = Mock::start(|_| manifest());
    assert_eq!(ask(&mock.host, &options), Existence::Present);
    assert_eq!(proxy.asked().len(), 1);
}
