//! Lists as JSON: a page in one go, or object by object where one of them does not fit.

use gpu_core::cluster::{Kind, Objects};
use serde::{Deserialize, Deserializer, de::DeserializeOwned};
use serde_json::value::RawValue;

use super::{Page, Wire};

/// The form every API server speaks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Json;

impl Wire for Json {
    fn accept(&self) -> &'static str {
        "application/json"
    }

    fn decode(&self, kind: Kind, bytes: &[u8]) -> Result<Page, String> {
        let mut rest = Rest::default();
        // As Go does it; and rows are read from text alone, here as from recordings.
        let text = String::from_utf8_lossy(bytes);
        let body = Body {
            kind,
            text: &text,
            rest: &mut rest,
        };
        let rows = kind.read(body).map_err(|it| it.to_string())?;
        Ok(Page {
            rows,
            unreadable: rest.unreadable,
            next: rest.next.filter(|it| !it.is_empty()),
        })
    }
}

/// The text of a page on its way to rows.
struct Body<'a> {
    kind: Kind,
    text: &'a str,
    rest: &'a mut Rest,
}

/// What a page tells besides its rows.
#[derive(Default)]
struct Rest {
    next: Option<String>,
    unreadable: Vec<String>,
}

impl Objects for Body<'_> {
    type Error = serde_json::Error;

    fn rows<T: DeserializeOwned>(self) -> Result<Vec<T>, Self::Error> {
        if let Ok(list) = serde_json::from_str::<List<T>>(self.text) {
            self.rest.next = list.metadata.next;
            return Ok(list.items);
        }
        // Slower, but one bad object then costs itself only.
        let list: List<&RawValue> = serde_json::from_str(self.text)?;
        self.rest.next = list.metadata.next;
        let mut rows = Vec::with_capacity(list.items.len());
        for item in list.items {
            match serde_json::from_str(item.get()) {
                Ok(row) => rows.push(row),
                Err(why) => self.rest.unreadable.push(describe(self.kind, item, &why)),
            }
        }
        Ok(rows)
    }
}

/// `items` has no default: an answer without it is not an empty list but something else.
#[derive(Deserialize)]
#[serde(bound = "T: Deserialize<'de>")]
struct List<T> {
    #[serde(default)]
    metadata: ListMeta,
    #[serde(deserialize_with = "null_is_empty")]
    items: Vec<T>,
}

#[derive(Default, Deserialize)]
struct ListMeta {
    #[serde(rename = "continue")]
    next: Option<String>,
}

/// Go writes an empty list as `null` now and then.
fn null_is_empty<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    from: D,
) -> Result<Vec<T>, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or_default())
}

fn describe(kind: Kind, item: &RawValue, why: &serde_json::Error) -> String {
    #[derive(Default, Deserialize)]
    struct Named {
        metadata: Name,
    }
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Name {
        name: String,
        namespace: String,
    }
    let Name { name, namespace } = serde_json::from_str::<Named>(item.get())
        .unwrap_or_default()
        .metadata;
    let kind = kind.row().name.to_lowercase();
    match (name.is_empty(), namespace.is_empty()) {
        (true, _) => format!("a {kind}: {why}"),
        (false, true) => format!("{kind} {name}: {why}"),
        (false, false) => format!("{kind} {namespace}/{name}: {why}"),
    }
}

#[cfg(test)]
mod tests {
    use gpu_core::cluster::rows::Rows;

    use super::*;

    /// The names of the pods, what could not be read, and how to go on.
    type Read = (Vec<String>, Vec<String>, Option<String>);

    fn pods(text: &str) -> Result<Read, String> {
        let page = Json.decode(Kind::Pod, text.as_bytes())?;
        let Rows::Pods(pods) = page.rows else {
            panic!("not pods");
        };
        let names = pods.into_iter().map(|it| it.metadata.name).collect();
        Ok((names, page.unreadable, page.next))
    }

    #[test]
    fn a_page_tells_its_rows_and_how_to_go_on() {
        let page = r#"{"kind":"PodList","metadata":{"continue":"abc","resourceVersion":"7"},
            "items":[{"metadata":{"name":"a","managedFields":[{}]}},{"metadata":{"name":"b"}}]}"#;
        let want = (vec!["a".into(), "b".into()], vec![], Some("abc".into()));
        assert_eq!(pods(page), Ok(want));
    }

    #[test]
    fn the_last_page_and_an_empty_one_end_the_list() {
        for page in [
            r#"{"metadata":{"continue":""},"items":[]}"#,
            r#"{"metadata":{},"items":null}"#,
            r#"{"items":[]}"#,
        ] {
            assert_eq!(pods(page), Ok((vec![], vec![], None)), "{page}");
        }
    }

    #[test]
    fn one_bad_object_costs_itself_only() {
        let page = r#"{"metadata":{"continue":"abc"},"items":[{"metadata":{"name":"a"}},
            {"metadata":{"name":"b","namespace":"gpu"},"spec":{"containers":7}}, 3, {"metadata":{"name":"c"}}]}"#;
        let (names, unreadable, next) = pods(page).unwrap();
        assert_eq!(names, ["a", "c"]);
        assert_eq!(next.as_deref(), Some("abc"));
        assert!(
            unreadable[0].starts_with("pod gpu/b: invalid type: integer `7`"),
            "{unreadable:?}"
        );
        assert!(
            unreadable[1].starts_with("a pod: invalid type"),
            "{unreadable:?}"
        );
    }

    #[test]
    fn what_is_no_list_is_never_an_empty_one() {
        for text in [
            "",
            "<html>",
            "[]",
            "{}",
            r#"{"kind":"Status","metadata":{}}"#,
            r#"{"items":["#,
        ] {
            assert!(pods(text).is_err(), "{text}");
        }
    }
}
