//! A kernel's release: how NFD writes it into a label, and which of two is nearer to a third.

/// A kernel release taken apart: `6.8.0-1046-azure-fde` is 6, 8, 0, 1046 and the flavour `azure-fde`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Kernel<'a> {
    /// Its leading numbers, compared one by one.
    pub(super) numbers: Vec<u64>,
    /// What follows them: the flavour on Ubuntu, distribution and architecture on the RHEL family.
    pub(super) flavour: &'a str,
}

impl<'a> Kernel<'a> {
    /// Takes a release apart; whatever it holds, it has some numbers (maybe none) and some rest.
    pub(super) fn parse(text: &'a str) -> Self {
        let is_separator = |c: char| matches!(c, '.' | '-' | '_');
        let mut numbers = Vec::new();
        let mut rest = text;
        loop {
            let end = rest.find(is_separator).unwrap_or(rest.len());
            let Ok(number) = rest[..end].parse() else {
                break;
            };
            numbers.push(number);
            rest = rest[end..].trim_start_matches(is_separator);
        }
        Self {
            numbers,
            flavour: rest,
        }
    }

    /// How far it is from another, number by number, the first difference first.
    pub(super) fn distance(&self, other: &Self) -> Vec<u64> {
        distance(&self.numbers, &other.numbers)
    }
}

/// How far two lists of numbers are apart, the first difference first; a number that is not there counts as 0.
pub(super) fn distance(a: &[u64], b: &[u64]) -> Vec<u64> {
    let at = |list: &[u64], at: usize| list.get(at).copied().unwrap_or_default();
    (0..a.len().max(b.len()))
        .map(|place| at(a, place).abs_diff(at(b, place)))
        .collect()
}

/// How NFD writes a raw kernel release into its label: characters that a label cannot hold become `_`, and
/// separators at the ends go. Source: node-feature-discovery source/kernel/version.go.
pub(super) fn label_of(raw: &str) -> String {
    let replaced: String = raw
        .chars()
        .map(|c| match c {
            'A'..='Z' | 'a'..='z' | '0'..='9' | '_' | '.' | '-' => c,
            _ => '_',
        })
        .collect();
    replaced
        .trim_matches(|c| matches!(c, '-' | '_' | '.'))
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_is_its_numbers_and_its_flavour() {
        for (text, numbers, flavour) in [
            ("5.15.0-118-generic", &[5, 15, 0, 118][..], "generic"),
            ("6.8.0-1046-azure-fde", &[6, 8, 0, 1046], "azure-fde"),
            ("6.8.0-60-generic-64k", &[6, 8, 0, 60], "generic-64k"),
            ("6.1.69-talos", &[6, 1, 69], "talos"),
            (
                "5.14.0-427.33.1.el9_4.x86_64",
                &[5, 14, 0, 427, 33, 1],
                "el9_4.x86_64",
            ),
            ("6.12.57_deb13-amd64", &[6, 12, 57], "deb13-amd64"),
            ("6.6.87", &[6, 6, 87], ""),
            ("99999999999999999999.1", &[], "99999999999999999999.1"),
            ("", &[], ""),
            ("custom", &[], "custom"),
        ] {
            let it = Kernel::parse(text);
            assert_eq!(
                (it.numbers.as_slice(), it.flavour),
                (numbers, flavour),
                "{text}"
            );
        }
    }

    #[test]
    fn kernels_are_compared_number_by_number_and_not_as_text() {
        let far = |a, b| Kernel::parse(a).distance(&Kernel::parse(b));
        let from = "5.15.0-100-generic";
        assert!(far("5.15.0-97-generic", from) < far("5.15.0-91-generic", from));
        assert!(far("5.15.0-118-generic", from) < far("5.15.0-119-generic", from));
        assert!(far("5.15.0-1-generic", from) < far("6.8.0-100-generic", from));
        assert_eq!(far(from, from), [0, 0, 0, 0]);
    }

    #[test]
    fn a_label_says_what_nfd_makes_of_a_raw_release() {
        for (raw, label) in [
            ("5.15.0-118-generic", "5.15.0-118-generic"),
            ("6.6.87+", "6.6.87"),
            ("6.12.57+deb13-amd64", "6.12.57_deb13-amd64"),
            (
                "5.14.0-284.54.1.el9_2.aarch64+64k",
                "5.14.0-284.54.1.el9_2.aarch64_64k",
            ),
            (
                "5.14.0-427.33.1.el9_4.x86_64+rt",
                "5.14.0-427.33.1.el9_4.x86_64_rt",
            ),
            ("4.19~rc1~", "4.19_rc1"),
        ] {
            assert_eq!(label_of(raw), label, "{raw}");
        }
    }
}
