//! The issue forms obey GitHub's rules; what breaks one would show only on GitHub, as a form that is not offered.

use std::collections::BTreeSet;

use serde::Deserialize;
use suite::root;

use crate::document;

const FOLDER: &str = ".github/ISSUE_TEMPLATE";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Form {
    name: String,
    description: String,
    title: String,
    labels: Vec<String>,
    body: Vec<Field>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Field {
    #[serde(rename = "type")]
    kind: Kind,
    id: Option<String>,
    attributes: Attributes,
    #[serde(default)]
    validations: Validations,
}

#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Markdown,
    Input,
    Textarea,
    Dropdown,
    Checkboxes,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Attributes {
    label: Option<String>,
    description: Option<String>,
    placeholder: Option<String>,
    render: Option<String>,
    value: Option<String>,
    #[serde(default)]
    options: Vec<Choice>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Choice {
    Word(String),
    Box(Tick),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Tick {
    label: String,
    #[serde(default, rename = "required")]
    _required: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Validations {
    required: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Config {
    blank_issues_enabled: bool,
    contact_links: Vec<Contact>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Contact {
    name: String,
    url: String,
    about: String,
}

/// Something that has to hold, and what to say where it does not.
type Claim = (bool, &'static str);

/// Which rule a field breaks.
fn broken(field: &Field) -> Option<&'static str> {
    let rules = words(field).into_iter().chain(choices(field));
    rules.filter(|(holds, _)| !holds).map(|it| it.1).next()
}

/// What is said of a field.
fn words(field: &Field) -> [Claim; 6] {
    let it = &field.attributes;
    let is_markdown = field.kind == Kind::Markdown;
    let has_text = |it: &String| !it.trim().is_empty();
    let fits_id = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    [
        (
            is_markdown == field.id.is_none(),
            "an id for all but markdown",
        ),
        (
            field
                .id
                .iter()
                .all(|it| has_text(it) && it.chars().all(fits_id)),
            "an id of letters, digits, - and _",
        ),
        (
            is_markdown == it.label.is_none(),
            "a label for all but markdown",
        ),
        (
            !is_markdown || it.value.as_ref().is_some_and(has_text),
            "markdown has a value",
        ),
        (it.label.iter().all(has_text), "a label says something"),
        (
            it.description.iter().all(has_text),
            "a description says something",
        ),
    ]
}

/// How a field is filled in.
fn choices(field: &Field) -> [Claim; 5] {
    let it = &field.attributes;
    let is = |kind| field.kind == kind;
    let is_chosen = is(Kind::Dropdown) || is(Kind::Checkboxes);
    let fits = |choice: &Choice| match choice {
        // GitHub adds the empty choice by itself under this name.
        Choice::Word(it) => is(Kind::Dropdown) && !it.eq_ignore_ascii_case("none"),
        Choice::Box(it) => is(Kind::Checkboxes) && !it.label.is_empty(),
    };
    [
        (
            it.render.is_none() || is(Kind::Textarea),
            "only a textarea is rendered",
        ),
        (
            it.placeholder.is_none() || is(Kind::Textarea) || is(Kind::Input),
            "a placeholder is for what is typed",
        ),
        (
            it.options.is_empty() != is_chosen,
            "options for what is chosen, and for nothing else",
        ),
        (
            it.options.iter().all(fits),
            "options of the field's own kind",
        ),
        (
            !field.validations.required || !(is(Kind::Markdown) || is(Kind::Checkboxes)),
            "boxes are required one by one",
        ),
    ]
}

/// Are all of them there, and none twice?
fn are_apart<'a>(texts: impl Iterator<Item = &'a str>) -> bool {
    let texts: Vec<&str> = texts.collect();
    texts.iter().collect::<BTreeSet<_>>().len() == texts.len()
}

/// The names of the forms, without config.yml.
fn forms() -> Vec<String> {
    let folder = root().join(FOLDER).read_dir().expect("the forms");
    let names = folder.map(|it| it.expect("an entry").file_name());
    let names = names.map(|it| it.to_string_lossy().into_owned());
    names.filter(|it| it != "config.yml").collect()
}

#[test]
fn every_form_is_one_that_github_offers() {
    let mut names = BTreeSet::new();
    for file in forms() {
        let text = document(&format!("{FOLDER}/{file}"));
        let form: Form = serde_yaml::from_str(&text).unwrap_or_else(|it| panic!("{file}: {it}"));
        assert!(file.ends_with(".yml"), "{file}");
        assert!(
            !form.name.is_empty() && names.insert(form.name.clone()),
            "{file}"
        );
        assert!(
            !form.description.is_empty() && !form.title.is_empty(),
            "{file}"
        );
        assert!(are_apart(form.labels.iter().map(String::as_str)), "{file}");
        assert!(
            form.body.iter().any(|it| it.kind != Kind::Markdown),
            "{file}"
        );
        for it in &form.body {
            assert_eq!(broken(it), None, "{file}: {it:?}");
            let options = it.attributes.options.iter().map(|it| match it {
                Choice::Word(it) => it.as_str(),
                Choice::Box(it) => it.label.as_str(),
            });
            assert!(are_apart(options), "{file}: {it:?}");
        }
        assert!(
            are_apart(form.body.iter().filter_map(|it| it.id.as_deref())),
            "{file}"
        );
        let labels = form
            .body
            .iter()
            .filter_map(|it| it.attributes.label.as_deref());
        assert!(are_apart(labels), "{file}");
        assert!(text.contains("https://github.com/kubectl-gpu/kubectl-gpu#make-a-recording"));
    }
    assert_eq!(names.len(), 3);
}

#[test]
fn a_form_that_breaks_a_rule_is_found() {
    for (field, rule) in [
        (
            "{type: input, attributes: {label: A}}",
            "an id for all but markdown",
        ),
        (
            "{type: input, id: a b, attributes: {label: A}}",
            "an id of letters",
        ),
        ("{type: markdown, attributes: {}}", "markdown has a value"),
        (
            "{type: dropdown, id: a, attributes: {label: A}}",
            "options for what is chosen",
        ),
        (
            "{type: dropdown, id: a, attributes: {label: A, options: [None]}}",
            "of the field's own kind",
        ),
        (
            "{type: input, id: a, attributes: {label: A, render: text}}",
            "only a textarea",
        ),
    ] {
        let parsed: Field = serde_yaml::from_str(field).expect("YAML");
        let found = broken(&parsed).unwrap_or_default();
        assert!(found.contains(rule), "{field}: {found}");
    }
}

#[test]
fn the_chooser_leads_to_places_outside_of_the_forms() {
    let text = document(&format!("{FOLDER}/config.yml"));
    let config: Config = serde_yaml::from_str(&text).expect("YAML");
    assert!(!config.blank_issues_enabled);
    for it in config.contact_links {
        assert!(it.url.starts_with("https://"), "{it:?}");
        assert!(!it.name.is_empty() && !it.about.is_empty(), "{it:?}");
    }
}
