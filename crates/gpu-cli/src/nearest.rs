//! The nearest of the names there are, for what was typed and is not there.

/// Below this similarity (0 to 1) a name is no help.
const ALIKE: f64 = 0.7;

/// The name most like what was typed, if one is alike.
pub(crate) fn nearest<'a>(
    typed: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let typed = typed.to_lowercase();
    known
        .into_iter()
        .map(|it| (strsim::jaro_winkler(&typed, &it.to_lowercase()), it))
        .filter(|(alike, _)| *alike >= ALIKE)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, it)| it)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found_and_a_strange_one_is_not() {
        assert_eq!(nearest("jsn", ["table", "json", "yaml"]), Some("json"));
        assert_eq!(
            nearest("lab-node-9", ["lab-node-0", "cp"]),
            Some("lab-node-0")
        );
        assert_eq!(nearest("zzz", ["table", "json"]), None);
    }
}
