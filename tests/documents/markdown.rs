//! The structure of a document: what has to be the same in every language.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// One part of a document, without its words.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Heading(HeadingLevel),
    /// The first line of a fence, and what is in it.
    Block(String, String),
    /// The cells of each row.
    Table(Vec<usize>),
    /// The number of items.
    List(usize),
    /// Where it is, and whether it has a text for those who do not see it.
    Picture(String, bool),
    Comment(String),
}

/// All parts, in their order.
pub(crate) fn parts(text: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut words = String::new();
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Heading { level, .. }) => parts.push(Part::Heading(level)),
            Event::Start(Tag::CodeBlock(kind)) => {
                let info = match kind {
                    CodeBlockKind::Fenced(it) => it.to_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                parts.push(Part::Block(info, String::new()));
                words.clear();
            }
            Event::End(TagEnd::CodeBlock) => {
                if let Some(Part::Block(_, text)) = parts.last_mut() {
                    *text = std::mem::take(&mut words);
                }
            }
            Event::Start(Tag::Table(_)) => parts.push(Part::Table(Vec::new())),
            Event::Start(Tag::TableHead | Tag::TableRow) => rows(&mut parts).push(0),
            Event::Start(Tag::TableCell) => {
                *rows(&mut parts).last_mut().expect("a cell is in a row") += 1;
            }
            Event::Start(Tag::List(_)) => parts.push(Part::List(0)),
            Event::Start(Tag::Item) => match parts.last_mut() {
                Some(Part::List(n_items)) => *n_items += 1,
                _ => panic!("an item holds more than words: {parts:?}"),
            },
            Event::Start(Tag::Image { dest_url, .. }) => {
                parts.push(Part::Picture(dest_url.to_string(), false));
                words.clear();
            }
            Event::End(TagEnd::Image) => {
                if let Some(Part::Picture(_, is_told)) = parts.last_mut() {
                    *is_told = !words.trim().is_empty();
                }
            }
            Event::Html(it) => parts.push(Part::Comment(it.trim().to_owned())),
            Event::Text(it) => words.push_str(&it),
            _ => {}
        }
    }
    parts
}

fn rows(parts: &mut [Part]) -> &mut Vec<usize> {
    match parts.last_mut() {
        Some(Part::Table(rows)) => rows,
        _ => panic!("a row is in a table"),
    }
}

/// The block below a comment.
pub(crate) fn block_below(text: &str, comment: &str) -> String {
    let mut parts = parts(text).into_iter();
    let comment = Part::Comment(format!("<!-- {comment} -->"));
    parts
        .find(|it| *it == comment)
        .unwrap_or_else(|| panic!("{comment:?} is there"));
    match parts.next() {
        Some(Part::Block(_, text)) => text,
        other => panic!("a block is below {comment:?}, not {other:?}"),
    }
}

#[test]
fn the_parts_of_a_document_are_found_in_their_order() {
    let text = "# A\n\n![b](c.svg) ![](d.svg)\n\n<!-- e -->\n```sh\n# f\n```\n\n|g|h|\n|-|-|\n|i|j|\n\n- k\n- l\n";
    let block = Part::Block("sh".to_owned(), "# f\n".to_owned());
    assert_eq!(
        parts(text),
        [
            Part::Heading(HeadingLevel::H1),
            Part::Picture("c.svg".to_owned(), true),
            Part::Picture("d.svg".to_owned(), false),
            Part::Comment("<!-- e -->".to_owned()),
            block,
            Part::Table(vec![2, 2]),
            Part::List(2),
        ]
    );
    assert_eq!(block_below(text, "e"), "# f\n");
}
