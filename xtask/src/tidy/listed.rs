//! Every rule file of gpu-core is in its list, under its own name.

use super::tree::{File, Tree};

const FOLDERS: [&str; 3] = [
    "crates/gpu-core/src/audit/rules/",
    "crates/gpu-core/src/order/rules/",
    "crates/gpu-core/src/drivertag/rules/",
];

/// A rule's file, its id and its place in the list belong together.
pub(super) fn rules(tree: &Tree) -> Vec<String> {
    FOLDERS.iter().flat_map(|it| folder(tree, it)).collect()
}

fn folder(tree: &Tree, folder: &str) -> Vec<String> {
    let path = format!("{folder}mod.rs");
    let Some(list) = tree.file(&path) else {
        return vec![format!("{path}:1: is not there")];
    };
    let bare = list.code().bare;
    let files = tree.rust(folder).filter(|it| it.path != path);
    files.flat_map(|it| file(it, &bare)).collect()
}

fn file(file: &File, list: &str) -> Vec<String> {
    let stem = file.name().trim_end_matches(".rs");
    let want = stem.replace('_', "-");
    let mut problems = Vec::new();
    match id(&file.code().uncommented) {
        Some(id) if id == want => {}
        Some(id) => problems.push(format!("{}:1: its id is '{id}', not '{want}'", file.path)),
        None => problems.push(format!("{}:1: it has no rule with an id", file.path)),
    }
    let lines: Vec<&str> = list.lines().map(str::trim).collect();
    let constant = format!("{stem}::RULE");
    let is_entry = |it: &str| it.split([',', '[', ']', ' ']).any(|word| word == constant);
    if !lines.iter().any(|it| is_entry(it)) {
        problems.push(format!("{}:1: {constant} is not in RULES", file.path));
    }
    problems
}

fn id(code: &str) -> Option<&str> {
    let (_, after) = code.split_once("id: \"")?;
    Some(after.split_once('"')?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(list: &str, rule: &str) -> Vec<String> {
        rules(&Tree::of(&[
            ("crates/gpu-core/src/audit/rules/mod.rs", list),
            ("crates/gpu-core/src/audit/rules/pod_lost.rs", rule),
            ("crates/gpu-core/src/order/rules/mod.rs", ""),
            ("crates/gpu-core/src/drivertag/rules/mod.rs", ""),
        ]))
    }

    const LIST: &str = "mod pod_lost;\npub const RULES: &[Rule] = &[pod_lost::RULE];\n";
    const RULE: &str = "const RULE: Rule = Rule {\n    id: \"pod-lost\",\n};\n";

    #[test]
    fn a_rule_that_is_listed_under_its_name_is_silent() {
        assert_eq!(found(LIST, RULE), [""; 0]);
    }

    #[test]
    fn a_rule_outside_of_the_list_and_one_under_another_name_are_found() {
        assert!(found("mod pod_lost;\n", RULE)[0].ends_with("pod_lost::RULE is not in RULES"));
        assert!(found("const A: &str = \"pod_lost::RULE\";", RULE)[0].ends_with("not in RULES"));
        let other = RULE.replace("pod-lost", "pod-gone");
        assert!(found(LIST, &other)[0].ends_with("its id is 'pod-gone', not 'pod-lost'"));
        assert!(found(LIST, "// id: \"pod-lost\"\n")[0].ends_with("no rule with an id"));
        assert!(rules(&Tree::of(&[]))[0].ends_with("is not there"));
    }
}
