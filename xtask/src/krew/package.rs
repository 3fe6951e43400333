//! What a manifest says of an archive, against the archive itself.

use super::manifest::{FileRule, PlatformRow};
use crate::dist::{self, Found, Plain};

/// Names that krew's validation takes for a licence, in any case.
const LICENCES: &[&str] = &[
    "license",
    "license.txt",
    "license.md",
    "licenses",
    "licenses.txt",
    "licenses.md",
    "copying",
    "copying.txt",
];

/// Everything that would keep krew from installing these bytes by this row, or its validation from passing them.
pub(super) fn problems(row: &PlatformRow, bytes: &[u8]) -> Vec<String> {
    let mut problems = Vec::new();
    let sum = dist::sha256(bytes);
    if sum != row.sha256 {
        problems.push(format!("its sha256 is {sum}, not {}", row.sha256));
    }
    let found = match dist::read(bytes) {
        Ok(found) => found,
        Err(error) => {
            problems.push(error);
            return problems;
        }
    };
    for it in &found {
        if it.plain == Plain::Neither {
            problems.push(format!("{} is neither a file nor a folder", it.name));
        }
        if it.name.starts_with('/') || it.name.split(['/', '\\']).any(|it| it == "..") {
            problems.push(format!("{} leaves the archive", it.name));
        }
    }
    problems.extend(installed(row, &found));
    problems
}

/// krew moves what `files` names into the plugin's folder, and drops the rest.
fn installed(row: &PlatformRow, found: &[Found]) -> Vec<String> {
    let mut problems = Vec::new();
    let mut paths: Vec<(String, &Found)> = Vec::new();
    let everything = [FileRule {
        from: "*".to_owned(),
        to: ".".to_owned(),
    }];
    let rules = row.files.as_deref().unwrap_or(&everything);
    for rule in rules {
        let moved: Vec<&Found> = found
            .iter()
            .filter(|it| matches(&rule.from, &it.name))
            .collect();
        if moved.is_empty() {
            problems.push(format!("nothing in it is called {}", rule.from));
        }
        paths.extend(moved.into_iter().map(|it| (destination(rule, it), it)));
    }
    match paths.iter().find(|(path, _)| *path == row.bin) {
        None => problems.push(format!("bin {} is not installed", row.bin)),
        Some((_, it)) if it.mode.is_some_and(|mode| mode & 0o111 != 0o111) => {
            problems.push(format!("{} is not executable", row.bin));
        }
        Some(_) => {}
    }
    let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_lowercase();
    if !paths
        .iter()
        .any(|(path, _)| LICENCES.contains(&name(path).as_str()))
    {
        problems.push("no licence is installed".to_owned());
    }
    problems
}

fn matches(pattern: &str, name: &str) -> bool {
    let name = name.trim_start_matches("./");
    pattern == name || (pattern == "*" && !name.contains('/'))
}

fn destination(rule: &FileRule, it: &Found) -> String {
    let name = it.name.rsplit('/').next().unwrap_or_default();
    match rule.to.as_str() {
        "." => name.to_owned(),
        folder => format!("{folder}/{name}"),
    }
}

#[cfg(test)]
mod tests {
    use flate2::{Compression, write::GzEncoder};
    use tar::{Builder, EntryType, Header};

    use super::*;

    /// A tar.gz of files, each with its bits, and of links to the licence.
    fn archive(files: &[(&str, u32)], links: &[&str]) -> Vec<u8> {
        let mut tar = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        for (name, mode) in files {
            let mut header = Header::new_ustar();
            // Set past the library's own check, which refuses what a hostile archive holds.
            header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
            header.set_size(1);
            header.set_mode(*mode);
            header.set_cksum();
            tar.append(&header, b"x".as_slice()).unwrap();
        }
        for name in links {
            let mut header = Header::new_ustar();
            header.set_entry_type(EntryType::Symlink);
            header.set_size(0);
            header.set_mode(0o777);
            tar.append_link(&mut header, name, "LICENSE").unwrap();
        }
        tar.into_inner().unwrap().finish().unwrap()
    }

    fn row(bytes: &[u8], files: &[(&str, &str)]) -> PlatformRow {
        let files = files
            .iter()
            .map(|(from, to)| format!("{{from: {from}, to: {to}}}"));
        let files: Vec<String> = files.collect();
        let text = format!(
            "{{selector: {{matchLabels: {{os: linux}}}}, uri: x, sha256: {}, bin: program, files: [{}]}}",
            crate::dist::sha256(bytes),
            files.join(", ")
        );
        serde_yaml::from_str(&text).unwrap()
    }

    const RULES: &[(&str, &str)] = &[("program", "."), ("LICENSE", ".")];
    const FILES: &[(&str, u32)] = &[("program", 0o755), ("LICENSE", 0o644)];

    #[test]
    fn an_archive_as_it_should_be_has_no_problem() {
        let bytes = archive(FILES, &[]);
        assert_eq!(problems(&row(&bytes, RULES), &bytes), [""; 0]);
        let dotted = archive(&[("./program", 0o755), ("./LICENSE", 0o644)], &[]);
        assert_eq!(problems(&row(&dotted, RULES), &dotted), [""; 0]);
        let mut all = row(&bytes, RULES);
        all.files = None;
        assert_eq!(problems(&all, &bytes), [""; 0]);
    }

    #[test]
    fn each_thing_that_krew_or_its_validation_refuses_is_named() {
        let with = |more: &(&'static str, u32)| [FILES, &[*more]].concat();
        for (bytes, rules, want) in [
            (
                archive(FILES, &["link"]),
                RULES,
                "link is neither a file nor a folder",
            ),
            (
                archive(&with(&("../x", 0o644)), &[]),
                RULES,
                "../x leaves the archive",
            ),
            (
                archive(&with(&("/x", 0o644)), &[]),
                RULES,
                "/x leaves the archive",
            ),
            (
                archive(&FILES[..1], &[]),
                RULES,
                "nothing in it is called LICENSE",
            ),
            (archive(FILES, &[]), &RULES[..1], "no licence is installed"),
            (
                archive(FILES, &[]),
                &RULES[1..],
                "bin program is not installed",
            ),
            (
                archive(FILES, &[]),
                &[("program", "x"), ("LICENSE", ".")],
                "bin program is not installed",
            ),
            (
                archive(&[("program", 0o644), FILES[1]], &[]),
                RULES,
                "program is not executable",
            ),
            (b"text".to_vec(), RULES, "neither a tar.gz nor a zip"),
        ] {
            let found = problems(&row(&bytes, rules), &bytes).join("; ");
            assert!(found.contains(want), "{want}: {found}");
        }
    }

    #[test]
    fn bytes_with_another_checksum_are_found() {
        let bytes = archive(FILES, &[]);
        let other = archive(FILES, &["link"]);
        let found = problems(&row(&other, RULES), &bytes).join("; ");
        assert!(found.starts_with("its sha256 is "), "{found}");
    }
}
