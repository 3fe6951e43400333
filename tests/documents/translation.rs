//! README in English and in Korean: the same headings, blocks, tables, lists and pictures, in the same order.

use suite::root;

use crate::document;
use crate::markdown::{Part, parts};

const LANGUAGES: [&str; 2] = ["README.md", "README.ko.md"];

#[test]
fn the_two_languages_of_the_readme_have_the_same_parts() {
    let [english, korean] = LANGUAGES.map(|it| parts(&document(it)));
    for (at, (english, korean)) in english.iter().zip(&korean).enumerate() {
        assert_eq!(english, korean, "part {at} differs");
    }
    assert_eq!(english.len(), korean.len());
}

#[test]
fn each_language_leads_to_the_other_before_anything_else() {
    for (name, other) in [LANGUAGES, ["README.ko.md", "README.md"]].map(|it| (it[0], it[1])) {
        let text = document(name);
        let line = text.lines().nth(2).unwrap_or_default();
        assert!(line.contains(&format!("]({other})")), "{name}: {line}");
    }
}

#[test]
fn every_drawn_picture_is_in_the_readme_and_is_told_to_those_who_do_not_see_it() {
    let shown = parts(&document("README.md"));
    let drawn = root().join("docs/img").read_dir().expect("the pictures");
    for it in drawn {
        let name = it.expect("an entry").file_name();
        let path = format!("docs/img/{}", name.to_string_lossy());
        let told = Part::Picture(path, true);
        assert!(shown.contains(&told), "{told:?}");
    }
}

#[test]
fn the_korean_readme_is_korean() {
    let text = document("README.ko.md");
    let is_korean = |c: char| ('가'..='힣').contains(&c);
    for heading in text.lines().filter(|it| it.starts_with("## ")) {
        assert!(heading.contains(is_korean), "{heading}");
    }
}
