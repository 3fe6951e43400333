//! One list, page by page, each turned into the model and dropped.

use gpu_core::cluster::{Cluster, Coverage, Read, Unreadable};
use kube::api::ListParams;
use kube::core::Request;

use super::api::Api;
use super::failure::Failure;
use crate::read::wire::{Wire, json::Json};

/// kubectl's chunk size.
const PAGE: u32 = 500;

/// Reads a whole list into a cluster of its own. Where it expires between two pages it is started again, once.
pub(super) async fn read(api: &Api, read: &Read) -> Result<Cluster, Failure> {
    match pages(api, read).await {
        Err(failure) if failure.is_expired() => pages(api, read).await,
        outcome => outcome,
    }
}

async fn pages(api: &Api, read: &Read) -> Result<Cluster, Failure> {
    let wire = Json;
    let mut part = Cluster::default();
    let mut next = None;
    loop {
        let body = api.get(&url(read, next.as_deref())?, wire.accept()).await?;
        let page = wire
            .decode(read.kind, body.as_ref())
            .map_err(Failure::Garbled)?;
        drop(body);
        part.take(page.rows);
        let kind = read.kind;
        let unreadable = page.unreadable.into_iter();
        part.unreadable
            .extend(unreadable.map(|why| Unreadable { kind, why }));
        api.count_page();
        if page.next.is_none() {
            part.note(kind, Coverage::Seen);
            return Ok(part);
        }
        // A server that hands out the same page for ever would keep us for ever.
        if page.next == next {
            return Err(Failure::Garbled("the same page came twice".to_owned()));
        }
        next = page.next;
    }
}

/// Path and query of one page.
fn url(read: &Read, next: Option<&str>) -> Result<String, Failure> {
    let row = read.kind.row();
    let group = match row.group {
        "" => format!("/api/{}", row.version),
        group => format!("/apis/{group}/{}", row.version),
    };
    let namespace = match &read.namespace {
        Some(it) => format!("/namespaces/{it}"),
        None => String::new(),
    };
    let text = |it: &String| Some(it.clone()).filter(|it| !it.is_empty());
    let params = ListParams {
        label_selector: text(&read.labels),
        field_selector: text(&read.fields),
        limit: Some(PAGE),
        continue_token: next.map(str::to_owned),
        ..ListParams::default()
    };
    Request::new(format!("{group}{namespace}/{}", row.plural))
        .list(&params)
        // kube starts the query with a separator, which is legal and looks broken in a log.
        .map(|it| it.uri().to_string().replacen("?&", "?", 1))
        .map_err(|it| Failure::Garbled(it.to_string()))
}

#[cfg(test)]
mod tests {
    use gpu_core::cluster::Kind;

    use super::*;

    #[test]
    fn what_is_asked_for_is_in_the_url_and_escaped() {
        let check = |read: &Read, next, want: &str| {
            assert_eq!(url(read, next).unwrap(), want);
        };
        check(&Read::all(Kind::Node), None, "/api/v1/nodes?limit=500");
        check(
            &Read::all(Kind::ClusterPolicy),
            Some("a+b/="),
            "/apis/nvidia.com/v1/clusterpolicies?limit=500&continue=a%2Bb%2F%3D",
        );
        check(
            &Read::within(Kind::Pod, "gpu")
                .labelled("a in (b,c)")
                .fields("status.phase!=Running"),
            None,
            "/api/v1/namespaces/gpu/pods?fieldSelector=status.phase%21%3DRunning&labelSelector=a+in+%28b%2Cc%29&limit=500",
        );
    }
}
