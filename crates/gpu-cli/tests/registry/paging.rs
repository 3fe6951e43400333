//! All tags, however a registry pages them.

use gpu_cli::registry::{Mirror, list_tags};
use gpu_core::drivertag::existence::Existence;

use crate::bench::{check, image, options};
use crate::mock::{Asked, Mock, Reply, json, no};

const LIST: &str = "/v2/nvidia/driver/tags/list";

fn page(tags: &[String]) -> Reply {
    let all: Vec<_> = tags.iter().map(|it| format!("\"{it}\"")).collect();
    json(
        200,
        format!(r#"{{"name":"nvidia/driver","tags":[{}]}}"#, all.join(",")),
    )
}

fn tags(n_tags: usize) -> Vec<String> {
    (0..n_tags).map(|it| format!("t{it:04}")).collect()
}

/// The page after `last`, of `size` at most.
fn after(asked: &Asked, all: &[String], size: usize) -> (Vec<String>, bool) {
    let last = asked.query("last");
    let from = all
        .iter()
        .position(|it| it.as_str() > last)
        .unwrap_or(all.len());
    let end = (from + size).min(all.len());
    (all[from..end].to_vec(), end < all.len())
}

fn check_all(n_tags: usize, script: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> usize {
    let mock = Mock::start(script);
    let got = list_tags(&image(&mock.host, "nvidia/driver", "x"), &options());
    assert_eq!(got, Ok(tags(n_tags)));
    mock.asked().len()
}

#[test]
fn links_lead_from_page_to_page_however_they_are_written() {
    let all = tags(70);
    for form in [
        r#"<LIST?last=LAST&n=30>; rel="next""#,
        "<LIST?n=30&last=LAST>; title=x; rel=next",
        r#"<http://HOST/v2/nvidia/driver/tags/list?last=LAST>; rel="next""#,
        r#"<https://127.0.0.1/v2/nvidia/driver/tags/list?n=9&last=LAST>; rel="next""#,
        r#"<list?last=LAST>; rel="next""#,
        r#"<?last=LAST&n=30>; rel="next""#,
        r#"<LIST?n=30>; rel="first", <LIST?last=LAST>; rel="next""#,
    ] {
        let all = all.clone();
        let n_pages = check_all(70, move |it| {
            let (tags, more) = after(it, &all, 30);
            let last = tags.last().cloned().unwrap_or_default();
            let link = form.replace("LIST", LIST).replace("LAST", &last);
            let reply = page(&tags);
            match more {
                true => reply.with("Link", link.replace("HOST", it.header("host"))),
                false => reply,
            }
        });
        assert_eq!(n_pages, 3, "{form}");
    }
}

#[test]
fn a_cap_without_a_link_is_found_out() {
    let all = tags(70);
    let n_pages = check_all(70, move |it| page(&after(it, &all, 30).0));
    assert_eq!(n_pages, 4);
}

#[test]
fn a_registry_that_ignores_n_and_last_is_asked_twice() {
    let all = tags(2500);
    assert_eq!(check_all(2500, move |_| page(&all)), 2);
    assert_eq!(check_all(0, |_| page(&[])), 1);
    assert_eq!(check_all(0, |_| json(200, r#"{"tags":null}"#)), 1);
}

#[test]
fn a_registry_that_refuses_long_pages_is_asked_for_its_own() {
    let all = tags(70);
    let n_pages = check_all(70, move |it| match it.query("n") {
        "1000" if it.query("last").is_empty() => no(400, "PAGINATION_NUMBER_INVALID", "n"),
        _ => {
            let (tags, more) = after(it, &all, 50);
            let last = tags.last().cloned().unwrap_or_default();
            match more {
                true => page(&tags).with("Link", format!("<{LIST}?last={last}&n=50>; rel=next")),
                false => page(&tags),
            }
        }
    });
    assert_eq!(n_pages, 3);
}

#[test]
fn circles_end() {
    // To itself, to an earlier page, and on and on with nothing new.
    let n_pages = check_all(2, |it| {
        page(&tags(2)).with("Link", format!("<{}>; rel=next", it.target))
    });
    assert_eq!(n_pages, 1);
    let n_pages = check_all(2, |it| {
        let next = if it.query("last") == "a" { "b" } else { "a" };
        page(&tags(2)).with("Link", format!("<{LIST}?last={next}>; rel=next"))
    });
    assert_eq!(n_pages, 3);
    let mock = Mock::start(|it| {
        let next = it.query("last").parse().unwrap_or(0) + 1;
        page(&tags(2)).with("Link", format!("<{LIST}?last={next}>; rel=next"))
    });
    let got = list_tags(&image(&mock.host, "nvidia/driver", "x"), &options());
    check(&got.unwrap_err(), "unreachable", "does not end");
    assert!(mock.asked().len() < 20, "{}", mock.asked().len());
}

#[test]
fn a_link_to_another_host_is_refused() {
    let other = Mock::start(|_| page(&tags(2)));
    let away = format!(
        "<http://localhost:{}{LIST}>; rel=next",
        other.host.rsplit(':').next().unwrap()
    );
    let mock = Mock::start(move |_| page(&tags(2)).with("Link", away.clone()));
    let got = list_tags(&image(&mock.host, "nvidia/driver", "x"), &options());
    check(
        &got.unwrap_err(),
        "unreachable",
        "goes on at another host, localhost",
    );
    assert!(other.asked().is_empty());
}

#[test]
fn a_list_that_is_none_is_an_answer_too() {
    let list = |reply: fn() -> Reply| {
        let mock = Mock::start(move |_| reply());
        list_tags(&image(&mock.host, "nvidia/driver", "x"), &options()).unwrap_err()
    };
    assert_eq!(list(|| no(404, "NAME_UNKNOWN", "")), Existence::Absent);
    check(&list(|| no(403, "DENIED", "no")), "denied", "DENIED: no");
    check(&list(|| json(404, "<html>")), "unreachable", "404");
    check(
        &list(|| json(200, "<html>")),
        "unreachable",
        "no list of tags",
    );
    check(&list(|| Reply::CutOff), "unreachable", "broke off");
}

#[test]
fn the_mirrors_tags_are_listed_where_there_is_a_mirror() {
    let mock = Mock::start(|_| page(&tags(1)));
    let mut options = options();
    options.mirror = Some(Mirror::parse(&format!("http://{}/m", mock.host)).unwrap());
    assert_eq!(
        list_tags(&image("nvcr.io", "nvidia/driver", "x"), &options),
        Ok(tags(1))
    );
    assert_eq!(mock.lines()[0], "GET /v2/m/nvidia/driver/tags/list?n=1000");
}
