//! Image references: how they are read, completed and refused.

use crate::drivertag::existence::Reference;
use crate::drivertag::reference::{Image, InvalidImage};
use crate::drivertag::tag::IllegalTag;

const DIGEST: &str = "sha256:c8f79faac2365fa2ac3c44bdcad334ff36dfdecd0503bcacee07d7d12a842e1a";

#[test]
fn a_reference_is_its_name_its_tag_and_its_digest() {
    let by_both = format!("nvcr.io/nvidia/driver:580-x@{DIGEST}");
    let by_digest = format!("nvcr.io/nvidia/driver@{DIGEST}");
    for (text, name, tag, digest) in [
        (
            "nvcr.io/nvidia/driver:550.90.07-ubuntu22.04",
            "nvcr.io/nvidia/driver",
            Some("550.90.07-ubuntu22.04"),
            None,
        ),
        (
            "registry.example.com:5000/nvidia/driver:1",
            "registry.example.com:5000/nvidia/driver",
            Some("1"),
            None,
        ),
        (
            "registry.example.com:5000/nvidia/driver",
            "registry.example.com:5000/nvidia/driver",
            None,
            None,
        ),
        ("driver", "driver", None, None),
        ("localhost/driver:x", "localhost/driver", Some("x"), None),
        (&by_digest, "nvcr.io/nvidia/driver", None, Some(DIGEST)),
        (
            &by_both,
            "nvcr.io/nvidia/driver",
            Some("580-x"),
            Some(DIGEST),
        ),
    ] {
        let image = Image::parse(text).unwrap();
        assert_eq!(image.name, name, "{text}");
        assert_eq!(image.tag.as_deref(), tag, "{text}");
        assert_eq!(image.digest.as_deref(), digest, "{text}");
        assert_eq!(image.to_string(), text);
    }
}

#[test]
fn what_is_left_out_is_completed_as_a_registry_needs_it() {
    let by_digest = format!("quay.io/a/b@{DIGEST}");
    for (text, registry, repository, reference) in [
        (
            "nvcr.io/nvidia/driver:x",
            "nvcr.io",
            "nvidia/driver",
            Reference::Tag("x".into()),
        ),
        (
            "nvidia/driver:x",
            "docker.io",
            "nvidia/driver",
            Reference::Tag("x".into()),
        ),
        (
            "driver",
            "docker.io",
            "library/driver",
            Reference::Tag("latest".into()),
        ),
        (
            "localhost:5000/driver:x",
            "localhost:5000",
            "driver",
            Reference::Tag("x".into()),
        ),
        (
            &by_digest,
            "quay.io",
            "a/b",
            Reference::Digest(DIGEST.into()),
        ),
    ] {
        let it = Image::parse(text).unwrap().reference();
        assert_eq!(
            (it.registry.as_str(), it.repository.as_str()),
            (registry, repository),
            "{text}"
        );
        assert_eq!(it.reference, reference, "{text}");
    }
}

#[test]
fn what_is_no_reference_is_said_to_be_none_and_why() {
    let short = format!("a/b@{}", &DIGEST[..70]);
    for (text, want) in [
        (short.as_str(), InvalidImage::DigestLength(63)),
        ("a/b@sha256:xyz", InvalidImage::Digest("sha256:xyz".into())),
        ("a/b@", InvalidImage::Digest(String::new())),
        ("a/b:6.6.87+", InvalidImage::Tag(IllegalTag::Character('+'))),
        ("a/b:", InvalidImage::Tag(IllegalTag::Empty)),
        (
            "nvcr.io/nvidia/driver:sha256:abc-5.15",
            InvalidImage::Tag(IllegalTag::Character(':')),
        ),
        ("nvcr.io/NVIDIA/driver:1", InvalidImage::Name('N')),
        ("a b", InvalidImage::Name(' ')),
        ("", InvalidImage::NoName),
        (":x", InvalidImage::NoName),
        ("nvcr.io/", InvalidImage::NoName),
        ("nvcr.io//driver", InvalidImage::NoName),
    ] {
        assert_eq!(Image::parse(text), Err(want), "{text:?}");
    }
    let why = Image::parse(&short).unwrap_err().to_string();
    assert_eq!(
        why,
        "its digest has 63 hexadecimal digits, and a sha256 digest has 64"
    );
}

#[test]
fn two_images_differ_only_where_both_say_so() {
    let differs = |a: &str, b: &str| Image::parse(a).unwrap().differs(&Image::parse(b).unwrap());
    let by_digest = format!("a/b@{DIGEST}");
    let by_both = format!("a/b:x@{DIGEST}");
    assert!(differs("a/b:x", "a/b:y"));
    assert!(!differs("a/b:x", "mirror.example/b:x"));
    assert!(!differs("a/b:x", &by_digest));
    assert!(!differs(&by_both, &by_digest));
    assert!(!differs(&by_both, "a/b:x"));
    assert!(differs(&by_both, "a/b:y"));
}
