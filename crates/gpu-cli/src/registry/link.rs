//! `Link: <…>; rel="next"`: where the next page is, as registries write it and as they should not.

use http::{HeaderMap, Uri, header};

/// The target of the next page as it is written; `None` on the last page.
pub(super) fn next(headers: &HeaderMap) -> Option<String> {
    let texts = headers.get_all(header::LINK);
    texts.iter().filter_map(|it| it.to_str().ok()).find_map(of)
}

fn of(text: &str) -> Option<String> {
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        let end = start + rest[start..].find('>')?;
        let target = rest[start + 1..end].trim();
        rest = &rest[end + 1..];
        // Its parameters reach to the next target.
        let parameters = rest.split(",<").next().unwrap_or_default();
        let parameters = parameters.split(", <").next().unwrap_or_default();
        if parameters.split([';', ',']).any(says_next) {
            return Some(target.to_owned());
        }
    }
    None
}

fn says_next(parameter: &str) -> bool {
    let Some((name, value)) = parameter.split_once('=') else {
        return false;
    };
    let mut kinds = value.trim().trim_matches('"').split_whitespace();
    name.trim().eq_ignore_ascii_case("rel") && kinds.any(|it| it.eq_ignore_ascii_case("next"))
}

/// Path and query of a target, on the page's own host. Registries behind a proxy write the wrong scheme or leave the
/// port out, so of an absolute target only the host's name has to be the same; the error names another host.
pub(super) fn on_host(target: &str, page: &Uri) -> Result<String, String> {
    if let Some(query) = target.strip_prefix('?') {
        return Ok(format!("{}?{query}", page.path()));
    }
    let rest = match target.split_once("://") {
        Some((_, rest)) => Some(rest),
        None => target.strip_prefix("//"),
    };
    let Some(rest) = rest else {
        if target.starts_with('/') {
            return Ok(target.to_owned());
        }
        let folder = page.path().rsplit_once('/').map_or("", |it| it.0);
        return Ok(format!("{folder}/{target}"));
    };
    let at = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(at);
    let name = authority.parse::<http::uri::Authority>();
    let name = name.as_ref().map_or("", |it| it.host());
    let same = page.host().is_some_and(|it| it.eq_ignore_ascii_case(name));
    if !same || authority.contains('@') {
        return Err(format!("its list of tags goes on at another host, {name}"));
    }
    Ok(if path.starts_with('/') {
        path.to_owned()
    } else {
        format!("/{path}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_page_is_found_however_the_link_is_written() {
        for (text, want) in [
            (
                r#"</v2/a/tags/list?n=2&last=b>; rel="next""#,
                Some("/v2/a/tags/list?n=2&last=b"),
            ),
            (r#"<x?last=a,b>; title="y"; REL=next"#, Some("x?last=a,b")),
            (r#"</p>; rel="prev", </n>; rel="next""#, Some("/n")),
            (r#"</p>; rel="prev",</n>;rel=next"#, Some("/n")),
            (r#"</n>; rel="last next""#, Some("/n")),
            (r#"</p>; rel="prev""#, None),
            ("</n>", None),
            ("<n; rel=next", None),
            ("", None),
        ] {
            assert_eq!(of(text).as_deref(), want, "{text}");
        }
    }

    #[test]
    fn a_target_stays_on_its_host() {
        let page = Uri::from_static("https://r.example:5000/v2/a/tags/list?n=2");
        for (target, want) in [
            ("/v2/a/tags/list?last=b", Some("/v2/a/tags/list?last=b")),
            ("list?last=b", Some("/v2/a/tags/list?last=b")),
            ("?last=b", Some("/v2/a/tags/list?last=b")),
            ("http://R.example/v2/x", Some("/v2/x")),
            ("//r.example:5000/v2/x", Some("/v2/x")),
            ("https://evil.example/v2/x", None),
            ("https://r.example@evil.example/v2/x", None),
            ("https://evil.example@r.example/v2/x", None),
            ("//evil.example/v2/x", None),
        ] {
            assert_eq!(on_host(target, &page).ok().as_deref(), want, "{target}");
        }
    }
}
