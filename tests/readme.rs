//! README's command blocks are run, so they cannot rot.

use suite::{bin_dir, root};

#[test]
fn the_commands_of_the_readme_do_what_it_says() {
    let Some(programs) = lab::programs_or_skip("the_commands_of_the_readme_do_what_it_says") else {
        return;
    };
    let kubectl = programs.path("kubectl");
    let path = std::env::join_paths([bin_dir(), kubectl.parent().expect("a folder")])
        .expect("no odd entries");
    let cases = trycmd::TestCases::new();
    cases
        .env("PATH", path.to_string_lossy())
        .env("HOME", "/nonexistent")
        .env("LC_ALL", "C.UTF-8")
        .register_bin("kubectl", trycmd::schema::Bin::Path(kubectl))
        .register_bin("cargo", trycmd::schema::Bin::Path(env!("CARGO").into()))
        .case(root().join("README.md"));
}
