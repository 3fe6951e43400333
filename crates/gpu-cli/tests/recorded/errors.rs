//! What is said of input that cannot be read.

use super::*;

#[test]
fn a_syntax_error_shows_the_place() {
    for (text, message) in [
        (
            "apiVersion: v1\nkind: Node\nmetadata:\n  name: a\n labels: {}\n",
            "<stdin>:5:2: while parsing a block mapping, did not find expected key\n5 |  labels: {}\n  |  ^",
        ),
        (
            "a: 1\n---\nb: c: d\n",
            "<stdin>:3:5: mapping values are not allowed in this context\n3 | b: c: d\n  |     ^",
        ),
        (
            "kind: [a\n",
            "<stdin>:1:7: unclosed bracket '['\n1 | kind: [a\n  |       ^",
        ),
        (
            "a: *b\n",
            "<stdin>:1:4: reference to unknown value\n1 | a: *b\n  |    ^",
        ),
        (
            "apiVersion: v1\nkind: Node\nmetadata: {name: a}\nmetadata: {name: b}\n",
            "<stdin>:4:1: duplicate mapping key `metadata` is not allowed here\n4 | metadata: {name: b}\n  | ^",
        ),
        (
            "kind: a\0b\n",
            "<stdin>:1:8: a NUL character, which no text has\n1 | kind: a\\u{0}b\n  |        ^",
        ),
        (
            r#"{"kind": "List",, }"#,
            "<stdin>:1:17: key must be a string\n1 | {\"kind\": \"List\",, }\n  |                 ^",
        ),
        (
            "{\n  \"kind\": \"\u{1b}[31mPod\"\n}\n",
            "<stdin>:2:12: control character (\\u0000-\\u001F) found while parsing a string\n2 |   \"kind\": \"^[[31mPod\"\n  |            ^",
        ),
        ("{}\n{}\n}\n", "<stdin>:3:1: expected value\n3 | }\n  | ^"),
        (
            "---\n{}\n---\n{\"ä\": nul}\n",
            "<stdin>:4:10: expected ident\n4 | {\"ä\": nul}\n  |          ^",
        ),
    ] {
        assert_eq!(complaint(text), message, "{text}");
    }
}

#[test]
fn a_recording_that_breaks_off_is_not_taken_for_a_whole_one() {
    let list = format!("{{\"kind\": \"List\",\n  \"items\": [\n    {NODE_JSON},\n");
    let yaml = "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Node\n  metadata:\n    name: a\n";
    let half = gzip(NODE_JSON.repeat(1000).as_bytes());
    for (text, line, place) in [
        (
            list.as_bytes(),
            "the text breaks off here: EOF while parsing a value",
            "<stdin>:3:63: ",
        ),
        (
            yaml.as_bytes(),
            "the text breaks off here: the list has items and no kind",
            "<stdin>:6:12: ",
        ),
        (
            &half[..half.len() / 2],
            "is gzip, but damaged or cut off: unexpected end of file",
            "<stdin> ",
        ),
    ] {
        let error = piped(text).unwrap_err();
        let message = error.to_string();
        assert_eq!(message.lines().next().unwrap(), format!("{place}{line}"));
        assert!(error.hint().unwrap().starts_with(
            "the recording broke off before its end; record with `kubectl get nodes,"
        ));
    }
}

#[test]
fn input_without_objects_is_refused_and_says_what_it_is() {
    for (text, message) in [
        ("", "<stdin> is empty"),
        (" \n\t\n", "<stdin> is empty"),
        ("# nothing\n---\n...\n", "<stdin> is empty"),
        ("\u{feff}", "<stdin> is empty"),
        ("null\n", "<stdin> holds no objects"),
        (
            "apiVersion: v1\nkind: List\nitems: []\n",
            "<stdin> holds no objects",
        ),
        ("[]", "<stdin> holds no objects"),
        (
            "image: {}\nnodeSelector: {}\naffinity: {}\nkind: 5\ndriver: {}\n",
            "<stdin> holds no Kubernetes objects, but a mapping with the keys image, nodeSelector, affinity and 1 more",
        ),
        (
            "kind: Pod\n",
            "<stdin> holds no Kubernetes objects, but a mapping with the key kind",
        ),
        (
            "error: You must be logged in to the server (Unauthorized)\n",
            "<stdin> holds no Kubernetes objects, but a mapping with the key error",
        ),
        (
            "No resources found",
            "<stdin> holds no Kubernetes objects, but the text \"No resources found\"",
        ),
        (
            "[1, 2]",
            "<stdin> holds no Kubernetes objects, but the text \"1\"",
        ),
        (
            "NAME   STATUS\ngpu-a  Ready\n",
            "<stdin> holds no Kubernetes objects, but the text \"NAME   STATUS gpu-a  Ready\"",
        ),
    ] {
        assert_eq!(complaint(text), message, "{text}");
    }
    let files: [(&str, &[u8]); 2] = [("a.yaml", b"a: 1\n"), ("b.json", b"[]")];
    let folder = folder(&files);
    let message = complaint_in(folder.path(), &["a.yaml", "b.json"], false);
    assert_eq!(
        message,
        "a.yaml, b.json hold no Kubernetes objects, but a mapping with the key a"
    );
}

#[test]
fn what_is_not_utf_8_text_is_called_by_its_name() {
    let utf16: Vec<u8> = NODE_JSON
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let marked = [b"\xff\xfe", &utf16[..]].concat();
    let mut tar = vec![b'x'; 600];
    tar[257..262].copy_from_slice(b"ustar");
    for (bytes, message) in [
        (utf16, "<stdin> is UTF-16 text, and only UTF-8 is read"),
        (marked, "<stdin> is UTF-16 text, and only UTF-8 is read"),
        (gzip(&tar), "<stdin> is a tar archive"),
        (b"PK\x03\x04xx".to_vec(), "<stdin> is a zip archive"),
        (
            b"a: 1\nb: \xff\n".to_vec(),
            "<stdin> is not text: line 2 holds bytes that are not UTF-8",
        ),
    ] {
        let error = piped(&bytes).unwrap_err();
        assert_eq!(error.to_string(), message);
        assert!(error.hint().is_some(), "{message}");
    }
}
