//! What all objects have: a UID made of their name, and times that are always the same.

use serde_json::{Value, json};

/// When nodes joined.
pub(super) const JOINED: &str = "2026-02-20T08:00:00Z";
/// When the operator was installed.
pub(super) const INSTALLED: &str = "2026-03-01T08:00:00Z";
/// When the recording was made.
pub(super) const NOW: &str = "2026-03-02T12:00:00Z";

/// So many minutes after the operands were made.
pub(super) fn at(minute: u32) -> String {
    format!("2026-03-01T09:{minute:02}:00Z")
}

/// FNV-1a, which has nothing to do with how the operator names things.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// A UID that is always the same for the same text.
pub(super) fn uid(of: &str) -> String {
    let (a, b) = (hash(of), hash(&format!("{of}!")));
    format!(
        "{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}",
        a >> 32,
        a & 0xffff,
        (a >> 16) & 0xfff,
        b & 0xfff,
        b >> 16
    )
}

/// The random-looking end of a pod's name.
pub(super) fn suffix(of: &str) -> String {
    const LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
    let mut rest = hash(of);
    let mut letter = || {
        let at = usize::try_from(rest % 27).expect("less than 27");
        rest /= 27;
        char::from(LETTERS[at])
    };
    (0..5).map(|_| letter()).collect()
}

/// An owner reference to an object.
pub(super) fn owned_by(owner: &Value) -> Value {
    json!([{
        "apiVersion": owner["apiVersion"], "kind": owner["kind"], "name": owner["metadata"]["name"],
        "uid": owner["metadata"]["uid"], "controller": true, "blockOwnerDeletion": true,
    }])
}

/// The name of an object.
pub(super) fn name(object: &Value) -> &str {
    object["metadata"]["name"].as_str().unwrap_or_default()
}

/// The namespace of an object.
pub(super) fn namespace(object: &Value) -> &str {
    object["metadata"]["namespace"].as_str().unwrap_or_default()
}

/// The items of an array; none where there is no array.
pub(super) fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}
