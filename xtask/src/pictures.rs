//! `cargo xtask pictures`: docs/img/, what a terminal shows of real runs, as SVG.

use std::{
    env,
    process::{Command, Stdio},
};

use anstyle::{Color, RgbColor};
use anstyle_svg::{Palette, Term};

use crate::{
    Failure,
    cargo::{binary, build_binaries, root},
    generated::{self, Generated},
    only_check,
};

const FOLDER: &str = "docs/img";

/// One row a picture.
struct Picture {
    /// What is typed after `kubectl`; the picture is named for it.
    plugin: &'static str,
    /// What a screen reader says of it.
    title: &'static str,
    /// Its arguments, each row a line at the prompt.
    lines: &'static [&'static [&'static str]],
}

/// Each is a broken cluster with one story, narrow enough to be read on a page.
const PICTURES: &[Picture] = &[
    Picture {
        plugin: "gpu-audit",
        title: "kubectl gpu-audit: a table of nodes and operands; the driver of gpu-b fails, and one finding says why five \
                operands wait behind it",
        lines: &[&["-f", "tests/clusters/driver-stuck-in-init-live"]],
    },
    Picture {
        plugin: "gpu-drivertag",
        title: "kubectl gpu-drivertag: the next driver has no image for the system of gpu-b, and has one for gpu-c",
        lines: &[
            &["gpu-b", "gpu-c", "--driver", "610.57.04"],
            &[
                "--inventory",
                "tests/clusters/C49-system-needs-another-branch/inventory.txt",
            ],
            &["-f", "tests/clusters/C60a-healthy-nvidiadriver-two-systems"],
        ],
    },
    Picture {
        plugin: "gpu-order",
        title: "kubectl gpu-order: the chain of operands on gpu-b; its first broken link is the container toolkit, which \
                a label opts out",
        lines: &[&["-f", "tests/clusters/device-plugin-without-toolkit-live"]],
    },
];

/// Colours that can be read on this ground, in the order of ANSI; the ground differs from a white and from a black page.
const TERM: Term = Term::new()
    .palette(Palette([
        rgb(0x484f58),
        rgb(0xff7b72),
        rgb(0x56d364),
        rgb(0xe3b341),
        rgb(0x79c0ff),
        rgb(0xd2a8ff),
        rgb(0x56d4dd),
        rgb(0xe6edf3),
        rgb(0x6e7681),
        rgb(0xffa198),
        rgb(0x7ee787),
        rgb(0xf2cc60),
        rgb(0xa5d6ff),
        rgb(0xe2c5ff),
        rgb(0xb3f0ff),
        rgb(0xffffff),
    ]))
    .fg_color(Color::Rgb(rgb(0xe6edf3)))
    .bg_color(Color::Rgb(rgb(0x1c2128)));

const fn rgb(value: u32) -> RgbColor {
    let [_, red, green, blue] = value.to_be_bytes();
    RgbColor(red, green, blue)
}

/// Writes docs/img/, or only compares it.
pub(crate) fn run(args: &[String]) -> Result<(), Failure> {
    if only_check(args)? {
        return Ok(check()?);
    }
    Ok(generated::print(&all()?)?)
}

/// Compares what is there with what would be written.
pub(crate) fn check() -> Result<(), String> {
    let whole = [(FOLDER, ".svg")];
    generated::compare(&all()?, &whole, "the plugins print it", "pictures")
}

fn all() -> Result<Vec<Generated>, String> {
    build_binaries()?;
    PICTURES
        .iter()
        .map(|it| {
            Ok(Generated {
                path: format!("{FOLDER}/{}.svg", it.plugin),
                text: svg(it.title, &format!("{}\n{}", prompt(it), shown(it)?))
                    .ok_or("anstyle-svg draws something else than an SVG with a size")?,
            })
        })
        .collect()
}

/// The line that a person has typed, broken where its rows are.
fn prompt(picture: &Picture) -> String {
    let rows: Vec<String> = picture.lines.iter().map(|it| it.join(" ")).collect();
    format!(
        "\u{1b}[2m$\u{1b}[0m \u{1b}[1mkubectl {} {}\u{1b}[0m",
        picture.plugin,
        rows.join(" \\\n    ")
    )
}

/// What a terminal shows, in an environment that holds nothing of this machine. Findings are no failure.
fn shown(picture: &Picture) -> Result<String, String> {
    let program = format!("kubectl-{}", picture.plugin.replace('-', "_"));
    let mut command = Command::new(binary(&program)?);
    command.args(picture.lines.concat());
    command.args(["--output", "table", "--color", "always"]);
    command.current_dir(root()).env_clear().stdin(Stdio::null());
    // Windows starts no program without it.
    if let Some(system) = env::var_os("SystemRoot") {
        command.env("SystemRoot", system);
    }
    let done = command
        .output()
        .map_err(|error| format!("cannot run {program}: {error}"))?;
    let said = String::from_utf8_lossy(&done.stderr);
    if !said.is_empty() || !matches!(done.status.code(), Some(0 | 1)) {
        return Err(format!("{program} failed ({}): {said}", done.status));
    }
    Ok(String::from_utf8_lossy(&done.stdout).into_owned())
}

/// The picture, with its title where screen readers look for it and a size that a page may scale.
fn svg(title: &str, ansi: &str) -> Option<String> {
    let drawn = TERM.render_svg(ansi.trim_end());
    let (head, rest) = drawn.split_once(">\n")?;
    let size = |name: &str| {
        let (_, after) = head.split_once(&format!(" {name}=\""))?;
        Some(after.split_once("px\"")?.0)
    };
    let (width, height) = (size("width")?, size("height")?);
    Some(format!(
        "<!-- Drawn from a run by `cargo xtask pictures`; changes here are lost. -->\n\
         {head} viewBox=\"0 0 {width} {height}\" role=\"img\" aria-labelledby=\"title\">\n  \
         <title id=\"title\">{title}</title>\n{rest}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_in_the_picture_is_the_one_that_runs() {
        let text: String = prompt(&PICTURES[1]);
        let plain = text.replace("\u{1b}[0m", "").replace("\u{1b}[1m", "");
        let plain = plain.replace("\u{1b}[2m", "").replace(" \\\n   ", "");
        let words: Vec<&str> = plain.split(' ').collect();
        assert_eq!(words[..3], ["$", "kubectl", "gpu-drivertag"]);
        assert_eq!(words[3..], PICTURES[1].lines.concat());
    }

    #[test]
    fn a_picture_has_a_title_a_size_and_the_text_with_its_colours() {
        let text = svg("what it shows", "a <b>\n\u{1b}[31mred\u{1b}[0m\n").unwrap();
        for part in [
            "role=\"img\" aria-labelledby=\"title\">",
            "<title id=\"title\">what it shows</title>",
            "viewBox=\"0 0 740 56\"",
            "a &lt;b&gt;",
            "class=\"fg-red\">red<",
            ".fg-red { fill: #FF7B72 }",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    #[test]
    fn the_pictures_of_this_tree_are_narrow_enough_for_a_page() {
        for it in PICTURES {
            let path = format!("{FOLDER}/{}.svg", it.plugin);
            let text = std::fs::read_to_string(root().join(path)).unwrap();
            let (_, after) = text.split_once("<svg width=\"").unwrap();
            let (width, _) = after.split_once("px\"").unwrap();
            // 115 columns, and a margin on both sides.
            assert!(
                width.parse::<u32>().unwrap() <= 986,
                "{}: {width}",
                it.plugin
            );
        }
    }

    #[test]
    fn every_plugin_has_a_picture_and_its_title_is_plain_text() {
        let plugins = crate::plugins::read(root()).unwrap();
        for it in &plugins {
            assert!(
                PICTURES.iter().any(|other| other.plugin == it.name),
                "{}",
                it.name
            );
        }
        for it in PICTURES {
            assert!(!it.title.contains(['<', '>', '&', '\n']), "{}", it.title);
        }
    }
}
