//! What is typed after `-l`, and what is asked of the API server.

use serde_json::json;

use crate::cluster::rows;
use crate::cluster::selector::{Labels, Requirement, Selector, Test};

fn requirement(key: &str, test: Test) -> Requirement {
    Requirement {
        key: key.into(),
        test,
    }
}

fn texts(values: &[&str]) -> Vec<String> {
    values.iter().map(|it| (*it).to_owned()).collect()
}

/// Every kind of requirement that a query can say.
fn sayable() -> Vec<Requirement> {
    let mut all = Vec::new();
    for key in ["app", "nvidia.com/gpu.deploy.driver", "a-b_c.d/E"] {
        all.push(requirement(key, Test::Exists));
        all.push(requirement(key, Test::Absent));
        for values in [&["x"][..], &["x", "y"], &[""], &["", "x"], &["v1.2-a_b"]] {
            all.push(requirement(key, Test::In(texts(values))));
            all.push(requirement(key, Test::NotIn(texts(values))));
        }
    }
    all
}

#[test]
fn what_is_asked_of_the_server_reads_back_to_the_same() {
    let all = sayable();
    for first in &all {
        let one = Selector(vec![first.clone()]);
        assert_eq!(Selector::parse(&one.to_query().unwrap()), Ok(one));
        for second in &all {
            let two = Selector(vec![first.clone(), second.clone()]);
            assert_eq!(Selector::parse(&two.to_query().unwrap()), Ok(two));
        }
    }
    let whole = Selector(all);
    assert_eq!(Selector::parse(&whole.to_query().unwrap()), Ok(whole));
}

#[test]
fn queries_are_written_as_the_server_reads_them() {
    for (test, want) in [
        (Test::In(texts(&["x"])), Some("app in (x)")),
        (Test::In(texts(&["x", "y"])), Some("app in (x,y)")),
        (Test::NotIn(texts(&["x"])), Some("app notin (x)")),
        (Test::Exists, Some("app")),
        (Test::Absent, Some("!app")),
        (Test::Above(3), Some("app>3")),
        (Test::Below(3), Some("app<3")),
        (Test::Never, None),
    ] {
        let query = Selector(vec![requirement("app", test.clone())]).to_query();
        assert_eq!(query.as_deref(), want, "{test:?}");
    }
    assert_eq!(Selector::default().to_query().as_deref(), Some(""));
}

#[test]
fn one_part_without_a_form_leaves_the_whole_without_one() {
    let parts = vec![
        requirement("app", Test::Exists),
        requirement("n", Test::Never),
    ];
    assert_eq!(Selector(parts).to_query(), None);
}

#[test]
fn what_people_type_is_read_as_kubectl_reads_it() {
    let is = |key: &str, value: &str| requirement(key, Test::In(texts(&[value])));
    for (typed, want) in [
        ("", vec![]),
        ("  ", vec![]),
        ("app", vec![requirement("app", Test::Exists)]),
        ("! app", vec![requirement("app", Test::Absent)]),
        ("app=x", vec![is("app", "x")]),
        ("app==x", vec![is("app", "x")]),
        ("app = x", vec![is("app", "x")]),
        ("app== x", vec![is("app", "x")]),
        ("app=", vec![is("app", "")]),
        (
            "app!=x",
            vec![requirement("app", Test::NotIn(texts(&["x"])))],
        ),
        (
            "app != x",
            vec![requirement("app", Test::NotIn(texts(&["x"])))],
        ),
        ("app!=", vec![requirement("app", Test::NotIn(texts(&[""])))]),
        (
            "app in (x)",
            vec![requirement("app", Test::In(texts(&["x"])))],
        ),
        (
            "app in(x)",
            vec![requirement("app", Test::In(texts(&["x"])))],
        ),
        (
            "app  in  ( x , y )",
            vec![requirement("app", Test::In(texts(&["x", "y"])))],
        ),
        (
            "app\tnotin\t(x)",
            vec![requirement("app", Test::NotIn(texts(&["x"])))],
        ),
        (
            "app in ()",
            vec![requirement("app", Test::In(texts(&[""])))],
        ),
        ("a=b,c", vec![is("a", "b"), requirement("c", Test::Exists)]),
        (" a=b , c=d ", vec![is("a", "b"), is("c", "d")]),
        ("a=b,", vec![is("a", "b")]),
        ("in=notin", vec![is("in", "notin")]),
        (
            "kubernetes.io/os=linux",
            vec![is("kubernetes.io/os", "linux")],
        ),
    ] {
        assert_eq!(Selector::parse(typed), Ok(Selector(want)), "{typed}");
    }
}

#[test]
fn what_kubectl_refuses_is_refused_and_quoted() {
    for (typed, part) in [
        ("=", "="),
        ("=x", "=x"),
        ("!=x", "!=x"),
        ("!", "!"),
        ("a b", "a b"),
        ("a=b=c", "a=b=c"),
        ("a=b c", "a=b c"),
        ("a=b;c=d", "a=b;c=d"),
        ("a in", "a in"),
        ("a in x", "a in x"),
        ("a in (x", "a in (x"),
        ("a in x)", "a in x)"),
        ("a in ((x))", "a in ((x))"),
        ("a near (x)", "a near (x)"),
        ("(x)", "(x)"),
        ("a=(x)", "a=(x)"),
        ("a=\"x\"", "a=\"x\""),
        ("a,b c,d", "b c"),
        ("gpu=é", "gpu=é"),
    ] {
        let why = Selector::parse(typed).unwrap_err();
        assert_eq!(
            why,
            format!("cannot read \"{part}\" as a label selector"),
            "{typed}"
        );
    }
}

#[test]
fn all_parts_have_to_be_met_and_the_first_that_is_not_is_told() {
    let labels: Labels = [("a", "1"), ("b", "2")]
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .into();
    for (typed, unmet) in [
        ("a=1,b=2", None),
        ("a=1,b=3", Some("b")),
        ("a=0,b=3", Some("a")),
        ("a,b,!c", None),
        ("a,b,!b", Some("b")),
    ] {
        let selector = Selector::parse(typed).unwrap();
        let found = selector.unmet(&labels).map(|it| it.key.as_str());
        assert_eq!(found, unmet, "{typed}");
        assert_eq!(selector.matches(&labels), unmet.is_none());
    }
}

#[test]
fn requirements_of_objects_are_read_with_their_operators() {
    for (operator, values, want) in [
        ("In", json!(["a", "b"]), Test::In(texts(&["a", "b"]))),
        ("In", json!([]), Test::In(vec![])),
        ("NotIn", json!(["a"]), Test::NotIn(texts(&["a"]))),
        ("Exists", json!(null), Test::Exists),
        ("DoesNotExist", json!([]), Test::Absent),
        ("Gt", json!(["5"]), Test::Above(5)),
        ("Gt", json!([5]), Test::Above(5)),
        ("Lt", json!(["-5"]), Test::Below(-5)),
        ("Gt", json!([]), Test::Never),
        ("Lt", json!(["x"]), Test::Never),
        ("in", json!(["a"]), Test::Never),
        ("", json!([]), Test::Never),
    ] {
        let row = json!({ "key": "k", "operator": operator, "values": values });
        let row: rows::Requirement = serde_json::from_value(row).unwrap();
        assert_eq!(Requirement::from(row), requirement("k", want));
    }
}

#[test]
fn numbers_are_compared_whole() {
    for (test, value, want) in [
        (Test::Above(9), Some("10"), true),
        (Test::Above(10), Some("10"), false),
        (Test::Below(10), Some("9"), true),
        (Test::Below(10), Some("10"), false),
        (Test::Above(0), Some("9.5"), false),
        (Test::Above(0), Some(""), false),
        (Test::Above(-1), None, false),
        (Test::Above(0), Some("99999999999999999999"), false),
    ] {
        assert_eq!(
            requirement("n", test.clone()).meets(value),
            want,
            "{test:?} {value:?}"
        );
    }
}
