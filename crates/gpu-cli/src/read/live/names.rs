//! The names of a kind's objects, as the table that kubectl prints: a few words an object, whatever its size.

use kube::api::ListParams;
use kube::core::Request;
use serde::Deserialize;
use serde_json::Value;

use super::api::Api;
use super::failure::Failure;

/// kubectl's chunk size.
const PAGE: u32 = 500;
/// Servers that print no tables answer with the objects.
const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";

/// Reads them all, page by page.
pub(super) async fn read(api: &Api, plural: &str) -> Result<Vec<String>, Failure> {
    let mut names = Vec::new();
    let mut next = None;
    loop {
        let body = api.get(&url(plural, next.as_deref())?, TABLE).await?;
        let page: Page =
            serde_json::from_slice(body.as_ref()).map_err(|it| Failure::Garbled(it.to_string()))?;
        let following = page.metadata.next.clone().filter(|it| !it.is_empty());
        names.extend(page.names());
        if following.is_none() {
            return Ok(names);
        }
        // A server that hands out the same page for ever would keep us for ever.
        if following == next {
            return Err(Failure::Garbled("the same page came twice".to_owned()));
        }
        next = following;
    }
}

fn url(plural: &str, next: Option<&str>) -> Result<String, Failure> {
    let params = ListParams {
        limit: Some(PAGE),
        continue_token: next.map(str::to_owned),
        ..ListParams::default()
    };
    Request::new(format!("/api/v1/{plural}"))
        .list(&params)
        .map(|it| it.uri().to_string().replacen("?&", "?", 1) + "&includeObject=None")
        .map_err(|it| Failure::Garbled(it.to_string()))
}

/// A page of a table, or of a list.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page {
    #[serde(default)]
    metadata: Metadata,
    #[serde(default)]
    column_definitions: Vec<Column>,
    #[serde(default)]
    rows: Vec<Row>,
    #[serde(default)]
    items: Vec<Object>,
}

#[derive(Default, Deserialize)]
struct Metadata {
    #[serde(default)]
    name: String,
    #[serde(rename = "continue")]
    next: Option<String>,
}

#[derive(Deserialize)]
struct Column {
    name: String,
}

#[derive(Deserialize)]
struct Row {
    cells: Vec<Value>,
}

#[derive(Deserialize)]
struct Object {
    metadata: Metadata,
}

impl Page {
    fn names(self) -> Vec<String> {
        let column = self.column_definitions.iter();
        let at = column.take_while(|it| it.name != "Name").count();
        let of_rows = self.rows.iter().filter_map(|it| it.cells.get(at)?.as_str());
        let mut names: Vec<_> = of_rows.map(str::to_owned).collect();
        names.extend(self.items.into_iter().map(|it| it.metadata.name));
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_from_the_column_of_names_or_from_the_objects() {
        for page in [
            r#"{"kind":"Table","metadata":{},"columnDefinitions":[{"name":"Age"},{"name":"Name"}],
                "rows":[{"cells":["5d","a"]},{"cells":[null,"b"]},{"cells":[]}]}"#,
            r#"{"kind":"NodeList","metadata":{},"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]}"#,
        ] {
            let page: Page = serde_json::from_str(page).unwrap();
            assert_eq!(page.names(), ["a", "b"]);
        }
    }

    #[test]
    fn nothing_but_the_table_is_asked_for_in_pages() {
        assert_eq!(
            url("nodes", Some("a/b")).unwrap(),
            "/api/v1/nodes?limit=500&continue=a%2Fb&includeObject=None"
        );
    }
}
