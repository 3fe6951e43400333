//! Tags: what one may hold, and that building and taking apart are each other's inverse.

use proptest::prelude::*;

use crate::drivertag::tag::{IllegalTag, Parts, Tag};
use crate::facts::images::{DASHED_OS, TAG_LIMIT};

#[test]
fn a_tag_is_legal_or_it_is_said_why_not() {
    let longest = "a".repeat(TAG_LIMIT);
    for (text, want) in [
        ("535-5.15.0-118-generic-ubuntu22.04", Ok(())),
        ("525.60.13-", Ok(())),
        ("_x", Ok(())),
        (longest.as_str(), Ok(())),
        ("", Err(IllegalTag::Empty)),
        ("-x", Err(IllegalTag::Start('-'))),
        (".x", Err(IllegalTag::Start('.'))),
        ("6.6.87+", Err(IllegalTag::Character('+'))),
        ("4.19~rc1", Err(IllegalTag::Character('~'))),
        ("a b", Err(IllegalTag::Character(' '))),
        ("é", Err(IllegalTag::Character('é'))),
        ("sha256:abc", Err(IllegalTag::Character(':'))),
    ] {
        assert_eq!(Tag::parse(text).map(|_| ()), want, "{text}");
    }
    let n = TAG_LIMIT + 1;
    let long = Tag::parse(&"a".repeat(n)).unwrap_err();
    assert_eq!(long, IllegalTag::Long(n));
    assert_eq!(
        long.to_string(),
        "it has 129 characters, and a tag at most 128"
    );
}

#[test]
fn a_tag_is_taken_apart_from_both_ends() {
    for (tag, version, kernel, os) in [
        ("550.90.07-ubuntu22.04", "550.90.07", None, "ubuntu22.04"),
        ("580.82.07-rhel9", "580.82.07", None, "rhel9"),
        ("550.54.14-amzn2", "550.54.14", None, "amzn2"),
        ("550.54.14-sl-micro6.1", "550.54.14", None, "sl-micro6.1"),
        (
            "525-5.15.0-69-generic-ubuntu22.04",
            "525",
            Some("5.15.0-69-generic"),
            "ubuntu22.04",
        ),
        (
            "580-6.8.0-1046-azure-fde-ubuntu24.04",
            "580",
            Some("6.8.0-1046-azure-fde"),
            "ubuntu24.04",
        ),
        (
            "535-6.1.69-talos-talosv1.6.1",
            "535",
            Some("6.1.69-talos"),
            "talosv1.6.1",
        ),
        (
            "550.54.14-6.4.0-150600-default-sl-micro6.1",
            "550.54.14",
            Some("6.4.0-150600-default"),
            "sl-micro6.1",
        ),
        (
            "550.54.14-5.14.0-284.54.1.el9_2.aarch64_64k-rhcos4.15",
            "550.54.14",
            Some("5.14.0-284.54.1.el9_2.aarch64_64k"),
            "rhcos4.15",
        ),
    ] {
        assert_eq!(
            Parts::of(tag),
            Some(Parts {
                version,
                kernel,
                os
            }),
            "{tag}"
        );
    }
}

#[test]
fn what_has_neither_form_is_not_taken_apart() {
    for tag in [
        "",
        "latest",
        "580",
        "580.82.07",
        "525.60.13-",
        "v1.16.2",
        "v1.16.1-ubuntu20.04",
        "565.57.01-ubuntu22.04-ubuntu22.04",
        "535-5.15.0-118-generic",
        "-ubuntu22.04",
    ] {
        assert_eq!(Parts::of(tag), None, "{tag}");
    }
}

fn branch() -> impl Strategy<Value = String> {
    "[1-9][0-9]{2}(\\.[0-9]{1,3}){0,2}"
}

/// As NFD's label holds it: numbers, then a flavour that may hold dashes.
fn kernel() -> impl Strategy<Value = String> {
    "[1-9]\\.[0-9]{1,2}\\.[0-9]{1,2}-[0-9]{1,4}(\\.[0-9]{1,2}){0,2}(-(aws|azure|azure-fde|generic|generic-64k|gke|nvidia|rt-x)|\\.el9_[0-9]\\.(x86_64|aarch64_64k))?"
}

fn os() -> impl Strategy<Value = String> {
    let dashed = prop::sample::select(DASHED_OS.to_vec());
    prop_oneof![
        "(ubuntu|rhel|rhcos|rocky|ol|sles|amzn|cos|debian|scos)[0-9]{1,3}(\\.[0-9]{1,2}){0,2}",
        "talosv[0-9](\\.[0-9]{1,2}){0,2}",
        (dashed, "[0-9]{1,2}(\\.[0-9])?").prop_map(|(id, version)| format!("{id}{version}")),
    ]
}

/// By the grammar of the distribution spec, said in other words than the code's.
fn is_legal(text: &str) -> bool {
    let bytes = text.as_bytes();
    let word = |it: u8| it.is_ascii_alphanumeric() || it == b'_';
    (1..=128).contains(&bytes.len())
        && word(bytes[0])
        && bytes
            .iter()
            .all(|it| word(*it) || *it == b'.' || *it == b'-')
}

proptest! {
    #[test]
    fn a_precompiled_tag_comes_apart_into_what_it_was_built_from(branch in branch(), kernel in kernel(), os in os()) {
        let tag = Tag::precompiled(&branch, &kernel, &os).unwrap();
        let parts = Parts { version: &branch, kernel: Some(&kernel), os: &os };
        prop_assert_eq!(Parts::of(tag.as_str()), Some(parts));
    }

    #[test]
    fn a_conventional_tag_comes_apart_into_what_it_was_built_from(branch in branch(), os in os()) {
        let tag = Tag::conventional(&branch, &os).unwrap();
        let parts = Parts { version: &branch, kernel: None, os: &os };
        prop_assert_eq!(Parts::of(tag.as_str()), Some(parts));
    }

    #[test]
    fn whatever_is_built_is_a_legal_tag_or_no_tag(version in ".{0,40}", kernel in ".{0,60}", os in ".{0,40}") {
        let built = [Tag::conventional(&version, &os), Tag::precompiled(&version, &kernel, &os)];
        for tag in built.iter().flatten() {
            prop_assert!(is_legal(tag.as_str()));
        }
    }

    #[test]
    fn a_tag_is_refused_exactly_where_the_grammar_refuses_it(text in "[a-z0-9._+~: -]{0,140}") {
        prop_assert_eq!(Tag::parse(&text).is_ok(), is_legal(&text));
    }

    #[test]
    fn taking_apart_never_panics_and_never_invents(text in "\\PC{0,60}") {
        if let Some(parts) = Parts::of(&text) {
            let kernel = parts.kernel.map_or_else(String::new, |it| format!("-{it}"));
            prop_assert_eq!(format!("{}{}-{}", parts.version, kernel, parts.os), text);
        }
    }

    #[test]
    fn what_nfd_writes_is_fit_for_a_tag(raw in "[0-9]\\.[0-9]{1,2}[ -~]{0,40}") {
        let label = super::super::kernel::label_of(&raw);
        prop_assert!(Tag::precompiled("580", &label, "ubuntu24.04").is_ok(), "{}", label);
    }
}
