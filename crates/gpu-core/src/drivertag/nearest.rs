//! Of the images there are, the one nearest to an image that is not.

use std::collections::BTreeSet;

use super::kernel::{Kernel, distance};
use super::tag::Parts;

/// The nearest tag: a hint, never a match.
pub(super) fn nearest<'a>(wanted: &str, tags: &BTreeSet<&'a str>) -> Option<&'a str> {
    let want = Parts::of(wanted)?;
    let there: Vec<_> = tags
        .iter()
        .filter(|it| **it != wanted)
        .filter_map(|it| Some((*it, Parts::of(it)?)))
        .collect();
    match want.kernel {
        Some(kernel) => precompiled(want, kernel, &there),
        None => conventional(want, &there),
    }
}

/// The same branch, flavour and system with another kernel; else the same kernel with another branch.
fn precompiled<'a>(
    want: Parts<'_>,
    kernel: &str,
    there: &[(&'a str, Parts<'a>)],
) -> Option<&'a str> {
    let own = Kernel::parse(kernel);
    let alike = there.iter().filter_map(|(tag, parts)| {
        let kernel = Kernel::parse(parts.kernel?);
        let fits = parts.version == want.version && parts.os == want.os;
        (fits && kernel.flavour == own.flavour).then_some((*tag, kernel))
    });
    // Of two that are as far away the newer one, as it was built later.
    let nearest = alike.min_by(|(_, a), (_, b)| {
        own.distance(a)
            .cmp(&own.distance(b))
            .then_with(|| b.numbers.cmp(&a.numbers))
    });
    let other_branch = || {
        let same = there
            .iter()
            .filter(|(_, it)| it.kernel == want.kernel && it.os == want.os);
        nearest_version(want.version, same)
    };
    nearest.map(|it| it.0).or_else(other_branch)
}

/// Another version for the same system, else the same version for another version of the system.
fn conventional<'a>(want: Parts<'_>, there: &[(&'a str, Parts<'a>)]) -> Option<&'a str> {
    let built = || there.iter().filter(|(_, it)| it.kernel.is_none());
    let same_os = nearest_version(want.version, built().filter(|(_, it)| it.os == want.os));
    let (id, version) = system(want.os);
    let other_os = || {
        let alike = built().filter(|(_, it)| it.version == want.version && system(it.os).0 == id);
        alike
            .min_by_key(|(_, it)| distance(&numbers(system(it.os).1), &numbers(version)))
            .map(|it| it.0)
    };
    same_os.or_else(other_os)
}

fn nearest_version<'a, 'b>(
    wanted: &str,
    there: impl Iterator<Item = &'b (&'a str, Parts<'a>)>,
) -> Option<&'a str>
where
    'a: 'b,
{
    let own = numbers(wanted);
    let newer_first = |it: &Parts<'_>| std::cmp::Reverse(numbers(it.version));
    there
        .min_by_key(|(_, it)| (distance(&own, &numbers(it.version)), newer_first(it)))
        .map(|it| it.0)
}

/// `rhel8.9` is `rhel` and `8.9`.
fn system(os: &str) -> (&str, &str) {
    os.split_at(os.find(|c: char| c.is_ascii_digit()).unwrap_or(os.len()))
}

fn numbers(text: &str) -> Vec<u64> {
    Kernel::parse(text).numbers
}
