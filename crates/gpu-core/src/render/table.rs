//! Tables in kubectl's look: upper-case headers, three spaces, no borders, no wrapping.

use comfy_table::{CellAlignment, ContentArrangement, presets};
use owo_colors::OwoColorize;

use super::{Look, NoSuchColumn, plain};
use crate::answer::{Cell, Table, Tone};

/// The table as text, each line ending in a line feed; empty where there are no rows.
pub(super) fn table(
    mut table: Table,
    look: &Look,
    sort_by: Option<&str>,
) -> Result<String, NoSuchColumn> {
    if let Some(asked) = sort_by {
        sort(&mut table, asked)?;
    }
    if table.rows.is_empty() {
        return Ok(String::new());
    }
    let mut out = comfy_table::Table::new();
    out.load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Disabled);
    if !look.no_headers {
        out.set_header(&table.header);
    }
    for row in &table.rows {
        out.add_row(row.iter().map(|it| cell(it, look.color)));
    }
    for column in out.column_iter_mut() {
        column.set_padding((0, 3));
        column.set_cell_alignment(CellAlignment::Left);
    }
    Ok(out
        .lines()
        .map(|line| line.trim_end().to_owned() + "\n")
        .collect())
}

fn cell(cell: &Cell, color: bool) -> String {
    let text = plain(&cell.text);
    match cell.tone {
        _ if !color => text,
        Tone::Good => text.green().to_string(),
        Tone::Bad => text.red().bold().to_string(),
        Tone::Odd => text.yellow().to_string(),
        Tone::Quiet => text.dimmed().to_string(),
        Tone::Plain => text,
    }
}

/// Sorts rows by a column; numbers inside the text count as numbers, so `gpu-9` comes before `gpu-10`.
fn sort(table: &mut Table, asked: &str) -> Result<(), NoSuchColumn> {
    let fold = |text: &str| text.to_uppercase().replace(['_', ' '], "-");
    let at = table
        .header
        .iter()
        .position(|it| fold(it) == fold(asked))
        .ok_or_else(|| NoSuchColumn {
            asked: asked.to_owned(),
            known: table.header.iter().map(|it| it.to_lowercase()).collect(),
        })?;
    table
        .rows
        .sort_by_key(|row| natural(row.get(at).map_or("", |it| &it.text)));
    Ok(())
}

/// A sort key in which digits count as numbers.
fn natural(text: &str) -> Vec<(u64, String)> {
    let mut key = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let number = rest[..digits].parse().unwrap_or(u64::MAX);
        let after = &rest[digits..];
        let letters = after
            .find(|c: char| c.is_ascii_digit())
            .unwrap_or(after.len());
        key.push((
            if digits > 0 { number } else { 0 },
            after[..letters].to_owned(),
        ));
        rest = &after[letters..];
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Table {
        let row = |name: &str, state: &str, tone| vec![Cell::from(name), Cell::toned(state, tone)];
        Table {
            header: vec!["NODE".into(), "DRIVER".into()],
            rows: vec![
                row("gpu-10", "ready", Tone::Good),
                row("gpu-9", "MISSING", Tone::Bad),
            ],
        }
    }

    #[test]
    fn a_table_looks_like_kubectls() {
        let text = table(example(), &Look::default(), None).unwrap();
        assert_eq!(text, "NODE     DRIVER\ngpu-10   ready\ngpu-9    MISSING\n");
    }

    #[test]
    fn colour_does_not_move_a_column() {
        let look = Look {
            color: true,
            ..Look::default()
        };
        let text = table(example(), &look, None).unwrap();
        let strip = |it: &str| {
            it.replace("\u{1b}[32m", "")
                .replace("\u{1b}[39m", "")
                .replace("\u{1b}[31m", "")
                .replace("\u{1b}[1m", "")
                .replace("\u{1b}[0m", "")
        };
        assert!(text.contains('\u{1b}'));
        assert_eq!(
            strip(&text),
            "NODE     DRIVER\ngpu-10   ready\ngpu-9    MISSING\n"
        );
    }

    #[test]
    fn rows_are_sorted_with_numbers_as_numbers_and_an_unknown_column_is_named() {
        let look = Look {
            no_headers: true,
            ..Look::default()
        };
        assert_eq!(
            table(example(), &look, Some("node")).unwrap(),
            "gpu-9    MISSING\ngpu-10   ready\n"
        );
        let err = table(example(), &look, Some("pods")).unwrap_err();
        assert_eq!(err.known, ["node", "driver"]);
    }

    #[test]
    fn numbers_inside_of_names_count_as_numbers() {
        let mut names = [
            "gpu-10",
            "gpu-9",
            "gpu",
            "gpu-9a",
            "",
            "gpu-010",
            "9",
            "10-a",
            "a10b2",
            "a10b10",
            "gpu-99999999999999999999999",
        ];
        names.sort_by_key(|it| natural(it));
        assert_eq!(
            names,
            [
                "",
                "a10b2",
                "a10b10",
                "gpu",
                "gpu-9",
                "gpu-9a",
                "gpu-10",
                "gpu-010",
                "gpu-99999999999999999999999",
                "9",
                "10-a",
            ]
        );
    }

    #[test]
    fn a_column_is_named_in_any_spelling_of_it() {
        let header = || Table {
            header: vec!["NODE".into(), "WAITS-FOR".into()],
            rows: vec![vec![Cell::from("a"), Cell::from("b")]],
        };
        for typed in ["waits-for", "WAITS-FOR", "waits_for", "Waits For"] {
            assert!(
                table(header(), &Look::default(), Some(typed)).is_ok(),
                "{typed}"
            );
        }
        for typed in ["", "waits", "waitsfor", "node "] {
            assert!(
                table(header(), &Look::default(), Some(typed)).is_err(),
                "{typed}"
            );
        }
    }

    #[test]
    fn rows_with_the_same_value_keep_their_order() {
        let row = |name: &str| vec![Cell::from(name), Cell::from("x")];
        let same = Table {
            header: vec!["NODE".into(), "DRIVER".into()],
            rows: ["c", "a", "b"].map(row).into(),
        };
        let look = Look {
            no_headers: true,
            ..Look::default()
        };
        assert_eq!(
            table(same, &look, Some("driver")).unwrap(),
            "c   x\na   x\nb   x\n"
        );
    }

    #[test]
    fn columns_are_as_wide_as_their_text_is_on_a_terminal() {
        let row = |name: &str| vec![Cell::from(name), Cell::from("ready")];
        let wide = Table {
            header: vec!["NODE".into(), "DRIVER".into()],
            rows: ["한국", "a\u{1b}b", "gpu-1"].map(row).into(),
        };
        let text = table(wide, &Look::default(), None).unwrap();
        assert_eq!(
            text,
            "NODE    DRIVER\n한국    ready\na^[b    ready\ngpu-1   ready\n"
        );
    }

    #[test]
    fn no_line_ends_in_white_space() {
        let rows = vec![
            vec![Cell::from("a"), Cell::from("")],
            vec![Cell::from("longer"), Cell::from("")],
        ];
        let empty = Table {
            header: vec!["NODE".into(), "WHY".into()],
            rows,
        };
        assert_eq!(
            table(empty, &Look::default(), None).unwrap(),
            "NODE     WHY\na\nlonger\n"
        );
    }
}
