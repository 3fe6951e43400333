//! Lists of images: the forms they come in, and what they tell.

use super::inventory;
use crate::drivertag::Inventory;
use crate::drivertag::inventory::Listed;
use crate::drivertag::reference::Image;

const TAG: &str = "580.126.20-ubuntu22.04";

#[test]
fn every_form_of_a_list_says_the_same() {
    for (form, text) in [
        ("bare tags", "580.126.20-ubuntu22.04\n580.126.20-rhel9\n"),
        (
            "comments and odd white space",
            "# ours\r\n\r\n  580.126.20-ubuntu22.04   # since May\r\n",
        ),
        ("a byte order mark", "\u{feff}580.126.20-ubuntu22.04"),
        (
            "a YAML list",
            "- 580.126.20-rhel9\n- '580.126.20-ubuntu22.04'\n- \"x\"\n",
        ),
        (
            "full references",
            "mirror.example:5000/gpu/driver:580.126.20-ubuntu22.04\n",
        ),
        (
            "another name",
            "mirror.example/nvidia-driver:580.126.20-ubuntu22.04\n",
        ),
        (
            "a registry's tags/list",
            r#"{"name":"nvidia/driver","tags":["580.126.20-rhel9","580.126.20-ubuntu22.04"]}"#,
        ),
        (
            "skopeo list-tags",
            "{\n  \"Repository\": \"nvcr.io/nvidia/driver\",\n  \"Tags\": [\n    \"580.126.20-ubuntu22.04\"\n  ]\n}\n",
        ),
        (
            "a JSON array",
            r#"["nvcr.io/nvidia/driver:580.126.20-ubuntu22.04"]"#,
        ),
    ] {
        let list = inventory(text);
        let holds = |tag: &str| {
            let image = Image::parse(&format!("nvcr.io/nvidia/driver:{tag}")).unwrap();
            list.holds(&image, true)
        };
        assert_eq!(holds(TAG), Listed::Present, "{form}");
        assert_eq!(holds("580.126.20-ubuntu24.04"), Listed::Absent, "{form}");
        assert_eq!(holds("580.126.20-ubuntu22"), Listed::Absent, "{form}");
    }
}

#[test]
fn lists_add_up_and_an_empty_one_holds_nothing() {
    let mut list = inventory("# nothing yet\n");
    let image = Image::parse(&format!("a/driver:{TAG}")).unwrap();
    assert_eq!(list.holds(&image, true), Listed::Absent);
    list.take(r#"{"name":"x/driver","tags":null}"#).unwrap();
    assert_eq!(list.holds(&image, true), Listed::Absent);
    list.take(TAG).unwrap();
    assert_eq!(list.holds(&image, true), Listed::Present);
}

#[test]
fn tags_without_a_name_speak_of_the_driver_only() {
    let gds = Image::parse("nvcr.io/nvidia/cloud-native/nvidia-fs:2.17.5-ubuntu22.04").unwrap();
    for (text, want) in [
        ("580.126.20-ubuntu22.04", Listed::Unknown),
        ("2.17.5-ubuntu22.04", Listed::Present),
        (
            "mirror.example/nvidia-fs:2.16.0-ubuntu22.04",
            Listed::Absent,
        ),
        (
            "mirror.example/nvidia-fs:2.17.5-ubuntu22.04",
            Listed::Present,
        ),
    ] {
        assert_eq!(inventory(text).holds(&gds, false), want, "{text}");
    }
}

#[test]
fn digests_are_compared_where_the_list_has_some() {
    let digest = format!("sha256:{}", "a".repeat(64));
    let other = format!("sha256:{}", "b".repeat(64));
    let image = Image::parse(&format!("nvcr.io/nvidia/driver@{digest}")).unwrap();
    for (text, want) in [
        (TAG.to_owned(), Listed::Unknown),
        (format!("m.example/driver@{digest}"), Listed::Present),
        (format!("m.example/driver@{other}"), Listed::Absent),
    ] {
        assert_eq!(inventory(&text).holds(&image, true), want, "{text}");
    }
}

#[test]
fn what_is_no_list_is_refused_with_its_line() {
    for (text, line, why) in [
        (
            "580-x\na b c\n",
            Some(2),
            "neither a tag nor an image reference",
        ),
        (
            "m.example/driver@sha256:abc",
            Some(1),
            "3 hexadecimal digits",
        ),
        ("<html>", Some(1), "neither"),
        ("{\"errors\":[]}", None, "no list \"tags\""),
        ("{\"tags\":[1]}", None, "1 is no tag"),
        ("{\"tags\":", None, "it is no JSON"),
        ("[\"a b\"]", None, "neither"),
    ] {
        let bad = Inventory::default().take(text).unwrap_err();
        assert_eq!(bad.line, line, "{text}");
        assert!(bad.why.contains(why), "{text}: {}", bad.why);
    }
}
