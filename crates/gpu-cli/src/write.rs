//! The only code that prints.

use std::cell::Cell;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::time::{Duration, Instant};

use anstream::{AutoStream, ColorChoice};
use gpu_core::render::plain;

use crate::args::Color;

/// Progress shows up when reading takes longer than this.
const PATIENCE: Duration = Duration::from_secs(1);

/// Is standard output a terminal?
pub(crate) fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Should standard output be coloured? As kubectl decides it: a terminal that is not dumb, and no `NO_COLOR`, even empty.
pub(crate) fn wants_color(when: Color) -> bool {
    match when {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => {
            is_terminal()
                && std::env::var_os("NO_COLOR").is_none()
                && std::env::var_os("TERM").is_none_or(|it| it != "dumb")
        }
    }
}

/// Writes the answer. A reader that has gone away is no error; the error is for anything else, such as a full disk.
pub(crate) fn answer(text: &str, color: bool) -> io::Result<()> {
    let choice = if color {
        ColorChoice::AlwaysAnsi
    } else {
        ColorChoice::Never
    };
    // Without colours the text holds no escape sequence, and stripping would cost a pass over it.
    let written = if color {
        let mut out = AutoStream::new(io::stdout().lock(), choice);
        out.write_all(text.as_bytes()).and_then(|()| out.flush())
    } else {
        let mut out = io::stdout().lock();
        out.write_all(text.as_bytes()).and_then(|()| out.flush())
    };
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// Writes one line to standard error, made safe for a terminal; nobody can be told where that fails.
pub(crate) fn remark(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", plain(line));
}

/// Tells a person at a terminal that reading goes on, after a second and then page by page.
pub(crate) fn progress() -> Option<Box<dyn Fn(usize)>> {
    if !io::stderr().is_terminal() {
        return None;
    }
    let start = Instant::now();
    let shown = Cell::new(false);
    Some(Box::new(move |n_pages| {
        if start.elapsed() >= PATIENCE {
            shown.set(true);
            let _ = write!(io::stderr().lock(), "\rreading: {n_pages} pages ");
        }
    }))
}

/// Takes the line of `progress` away again.
pub(crate) fn end_progress() {
    if io::stderr().is_terminal() {
        let _ = write!(io::stderr().lock(), "\r\u{1b}[K");
    }
}
