//! What the API server was asked, by whom: read from its audit log.

use std::{
    collections::HashMap,
    fs::{self, File},
    io::{Read, Seek, SeekFrom},
    path::Path,
};

use serde_json::Value;

use crate::Error;

/// A moment in the audit log, to look at what came after it.
#[derive(Clone, Copy, Debug)]
pub struct Mark(u64);

/// A request that reached the API server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The verb as RBAC knows it: `get`, `list`, `watch`, `create` …
    pub verb: String,
    /// Path and query.
    pub uri: String,
    /// What the client calls itself.
    pub user_agent: String,
    /// Who asked.
    pub user: String,
    /// The HTTP status of the answer; 0 while a watch goes on.
    pub code: u64,
}

impl Request {
    fn parse(event: &Value) -> Request {
        let text = |it: &Value| it.as_str().unwrap_or_default().to_owned();
        Request {
            verb: text(&event["verb"]),
            uri: text(&event["requestURI"]),
            user_agent: text(&event["userAgent"]),
            user: text(&event["user"]["username"]),
            code: event["responseStatus"]["code"].as_u64().unwrap_or_default(),
        }
    }
}

/// The end of the log as it is now.
pub(crate) fn end(log: &Path) -> Result<Mark, Error> {
    Ok(Mark(fs::metadata(log).map_err(Error::file(log))?.len()))
}

/// Every whole line of the log after `mark`, or all of it.
pub(crate) fn events(log: &Path, mark: Option<Mark>) -> Result<Vec<Value>, Error> {
    let start = mark.map_or(0, |it| it.0);
    let mut bytes = Vec::new();
    File::open(log)
        .and_then(|mut it| it.seek(SeekFrom::Start(start)).map(|_| it))
        .and_then(|mut it| it.read_to_end(&mut bytes))
        .map_err(Error::file(log))?;
    let lines = bytes.split(|it| *it == b'\n');
    // The server may be in the middle of its last line, and a mark in the middle of its first.
    Ok(lines
        .filter_map(|it| serde_json::from_slice(it).ok())
        .collect())
}

/// The requests in `events` whose client calls itself `user_agent…`, each one once: a watch is logged at both ends.
pub(crate) fn requests(events: &[Value], user_agent: &str) -> Vec<Request> {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    let mut found: Vec<Request> = Vec::new();
    for event in events {
        let request = Request::parse(event);
        if !request.user_agent.starts_with(user_agent) {
            continue;
        }
        let id = event["auditID"].as_str().unwrap_or_default();
        match seen.get(id) {
            Some(earlier) => found[*earlier] = request,
            None => {
                seen.insert(id, found.len());
                found.push(request);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::requests;

    #[test]
    fn a_watch_is_one_request_and_other_clients_are_left_out() {
        let event = |id: &str, agent: &str, verb: &str| json!({"auditID": id, "userAgent": agent, "verb": verb, "requestURI": "/api/v1/pods"});
        let events = [
            event("1", "kubectl-gpu_audit/0.1", "watch"),
            event("2", "kwok/v0.8.0", "patch"),
            event("1", "kubectl-gpu_audit/0.1", "watch"),
            event("3", "kubectl-gpu_audit/0.1", "list"),
        ];
        let verbs = requests(&events, "kubectl-gpu_audit/")
            .into_iter()
            .map(|it| it.verb);
        assert_eq!(verbs.collect::<Vec<_>>(), ["watch", "list"]);
    }
}
