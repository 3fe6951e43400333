//! Selectors: what is typed after `-l`, what a DaemonSet selects its pods and its nodes by.

use std::collections::BTreeMap;

use super::rows;

/// Labels of one object.
pub type Labels = BTreeMap<String, String>;

/// One requirement on a label (or field).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// The label's key.
    pub key: String,
    /// What its value has to be.
    pub test: Test,
}

/// What the value of a label has to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Test {
    /// One of these.
    In(Vec<String>),
    /// Absent, or none of these.
    NotIn(Vec<String>),
    /// There.
    Exists,
    /// Not there.
    Absent,
    /// A whole number greater than this.
    Above(i64),
    /// A whole number less than this.
    Below(i64),
    /// An operator we do not know; matches nothing, as the scheduler does.
    Never,
}

impl Requirement {
    /// Does an object whose label has this value meet it?
    pub fn meets(&self, value: Option<&str>) -> bool {
        let number = || value.and_then(|it| it.parse::<i64>().ok());
        match &self.test {
            Test::In(any) => value.is_some_and(|it| any.iter().any(|one| one == it)),
            Test::NotIn(none) => value.is_none_or(|it| none.iter().all(|one| one != it)),
            Test::Exists => value.is_some(),
            Test::Absent => value.is_none(),
            Test::Above(than) => number().is_some_and(|it| it > *than),
            Test::Below(than) => number().is_some_and(|it| it < *than),
            Test::Never => false,
        }
    }
}

impl From<rows::Requirement> for Requirement {
    fn from(row: rows::Requirement) -> Self {
        let values: Vec<String> = row.values.into_iter().map(|it| it.0).collect();
        let bound = values.first().and_then(|it| it.parse().ok());
        let test = match (row.operator.as_str(), bound) {
            ("In", _) => Test::In(values),
            ("NotIn", _) => Test::NotIn(values),
            ("Exists", _) => Test::Exists,
            ("DoesNotExist", _) => Test::Absent,
            ("Gt", Some(than)) => Test::Above(than),
            ("Lt", Some(than)) => Test::Below(than),
            _ => Test::Never,
        };
        Self { key: row.key, test }
    }
}

/// Requirements that all have to be met.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selector(pub Vec<Requirement>);

impl Selector {
    /// Do these labels meet all of it? An empty selector matches everything.
    pub fn matches(&self, labels: &Labels) -> bool {
        self.unmet(labels).is_none()
    }

    /// The first requirement these labels do not meet.
    pub fn unmet(&self, labels: &Labels) -> Option<&Requirement> {
        self.0
            .iter()
            .find(|it| !it.meets(labels.get(&it.key).map(String::as_str)))
    }

    /// The same in the API server's query syntax; `None` where it has no form there.
    pub fn to_query(&self) -> Option<String> {
        let one = |it: &Requirement| {
            let key = &it.key;
            match &it.test {
                Test::In(values) => Some(format!("{key} in ({})", values.join(","))),
                Test::NotIn(values) => Some(format!("{key} notin ({})", values.join(","))),
                Test::Exists => Some(key.clone()),
                Test::Absent => Some(format!("!{key}")),
                Test::Above(than) => Some(format!("{key}>{than}")),
                Test::Below(than) => Some(format!("{key}<{than}")),
                Test::Never => None,
            }
        };
        self.0
            .iter()
            .map(one)
            .collect::<Option<Vec<_>>>()
            .map(|it| it.join(","))
    }

    /// Reads kubectl's `-l` syntax: `a=b`, `a==b`, `a!=b`, `a in (b,c)`, `a notin (b)`, `a>1`, `a<1`, `a`, `!a`, joined by commas.
    /// The error says which part cannot be read.
    pub fn parse(text: &str) -> Result<Self, String> {
        split_outside_brackets(text)
            .into_iter()
            .map(str::trim)
            .filter(|it| !it.is_empty())
            .map(requirement)
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

impl From<rows::LabelSelector> for Selector {
    fn from(row: rows::LabelSelector) -> Self {
        let exact = row
            .match_labels
            .into_iter()
            .map(|(key, value)| Requirement {
                key,
                test: Test::In(vec![value.0]),
            });
        Self(
            exact
                .chain(row.match_expressions.into_iter().map(Requirement::from))
                .collect(),
        )
    }
}

fn split_outside_brackets(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0_i32, 0);
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

fn requirement(part: &str) -> Result<Requirement, String> {
    let bad = || format!("cannot read \"{part}\" as a label selector");
    let (key, test) = if let Some(key) = part.strip_prefix('!') {
        (key.trim(), Test::Absent)
    } else if let Some((key, value)) = part.split_once("!=") {
        (key.trim(), Test::NotIn(vec![value.trim().to_owned()]))
    } else if let Some((key, value)) = part.split_once('=') {
        (
            key.trim(),
            Test::In(vec![
                value.strip_prefix('=').unwrap_or(value).trim().to_owned(),
            ]),
        )
    } else if let Some((key, than)) = part.split_once('>') {
        (
            key.trim(),
            Test::Above(than.trim().parse().map_err(|_| bad())?),
        )
    } else if let Some((key, than)) = part.split_once('<') {
        (
            key.trim(),
            Test::Below(than.trim().parse().map_err(|_| bad())?),
        )
    } else if let Some((head, values)) = part.strip_suffix(')').and_then(|it| it.split_once('(')) {
        let values = values.split(',').map(|it| it.trim().to_owned()).collect();
        match head
            .trim()
            .rsplit_once(char::is_whitespace)
            .ok_or_else(bad)?
        {
            (key, "in") => (key.trim(), Test::In(values)),
            (key, "notin") => (key.trim(), Test::NotIn(values)),
            _ => return Err(bad()),
        }
    } else {
        (part, Test::Exists)
    };
    let legal = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    let values_legal = match &test {
        Test::In(values) | Test::NotIn(values) => values.iter().all(|it| it.chars().all(legal)),
        _ => true,
    };
    if key.is_empty() || !key.chars().all(legal) || !values_legal {
        return Err(bad());
    }
    Ok(Requirement {
        key: key.to_owned(),
        test,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(pairs: &[(&str, &str)]) -> Labels {
        pairs
            .iter()
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
            .collect()
    }

    #[test]
    fn selectors_match_as_kubectl_does() {
        let node = labels(&[("pool", "gpu"), ("zone", "a"), ("empty", "")]);
        for (text, want) in [
            ("", true),
            ("pool=gpu", true),
            ("pool==gpu", true),
            ("pool = gpu", true),
            ("pool!=gpu", false),
            ("absent!=x", true),
            ("pool in (cpu, gpu)", true),
            ("pool notin (gpu)", false),
            ("absent notin (gpu)", true),
            ("pool", true),
            ("!pool", false),
            ("!absent", true),
            ("pool=gpu,zone in (b,c)", false),
            ("pool=gpu,zone in (a,b),!absent", true),
            ("empty=", true),
        ] {
            assert_eq!(
                Selector::parse(text).unwrap().matches(&node),
                want,
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_no_selector_is_named() {
        for text in ["=x", "a b", "a in b", "a within (b)", "a=(b)", "a=b c", "!"] {
            assert!(
                Selector::parse(text).unwrap_err().contains("cannot read"),
                "{text}"
            );
        }
    }

    #[test]
    fn numbers_are_compared_as_numbers_and_the_unknown_never_matches() {
        let row = |operator: &str, value: &str| {
            Requirement::from(rows::Requirement {
                key: "n".into(),
                operator: operator.into(),
                values: vec![rows::Text(value.into())],
            })
        };
        assert!(row("Gt", "9").meets(Some("10")));
        assert!(!row("Gt", "9").meets(Some("x")));
        assert!(row("Lt", "10").meets(Some("9")));
        assert!(!row("Like", "9").meets(Some("9")));
        assert!(!row("Gt", "x").meets(Some("9")));
    }
}
