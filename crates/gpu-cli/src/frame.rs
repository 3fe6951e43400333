//! The steps every plugin makes: check what was typed, read, and finish with an answer and an exit code.

use std::process::ExitCode;

use gpu_core::answer::wire::{Envelope, Source, Tool};
use gpu_core::answer::{Answer, FailOn, Finding, OwnFormat, Severity, exit_code};
use gpu_core::cluster::{Cluster, Read};
use gpu_core::facts::release::Release;
use gpu_core::render::{self, FORMATS, Format, Look};
use gpu_core::standing::{Scope, UnknownNode};

use crate::args::{self, SharedArgs};
use crate::error::Error;
use crate::nearest::nearest;
use crate::read::{self, Program, Reader};
use crate::write;
use crate::yaml;

/// What was typed, checked before the first request.
#[derive(Debug)]
pub struct Frame<'a> {
    program: Program,
    args: &'a SharedArgs,
    format: Format,
    /// The nodes that were asked about.
    pub scope: Scope,
    /// `--operator-version`.
    pub release: Option<Release>,
}

impl<'a> Frame<'a> {
    /// Checks what was typed. `nodes` are the node names, `own_formats` the formats that only this plugin
    /// has. The error is a usage error that names what would be right.
    pub fn new(
        program: Program,
        args: &'a SharedArgs,
        nodes: &[String],
        own_formats: &[OwnFormat],
    ) -> Result<Self, Error> {
        let format = match &args.output.format {
            Some(name) => format_named(name, own_formats)?,
            None if write::is_terminal() => Format::Table,
            None => Format::Lines,
        };
        let scope = Scope {
            names: nodes.to_vec(),
            selector: args.input.selector.clone().unwrap_or_default(),
        };
        let release = args
            .input
            .operator_version
            .as_deref()
            .map(release_named)
            .transpose()?;
        Ok(Self {
            program,
            args,
            format,
            scope,
            release,
        })
    }

    /// Opens what is to be read. The error says what is wrong with the kubeconfig or the recording.
    pub fn open(&self) -> Result<Reader, Error> {
        let mut reader = Reader::open(self.args, self.program)?;
        if let Some(tell) = write::progress() {
            reader.on_progress(tell);
        }
        Ok(reader)
    }

    /// Reads what every answer starts from.
    pub fn read(&self, reader: &Reader) -> Result<Cluster, Error> {
        let read = reader.cluster(self.args);
        settle_stderr(reader, read)
    }

    /// Reads a later round, if there is one.
    pub fn read_more(
        &self,
        reader: &Reader,
        cluster: &mut Cluster,
        reads: &[Read],
    ) -> Result<(), Error> {
        if reads.is_empty() {
            return Ok(());
        }
        let read = reader.more(cluster, reads);
        settle_stderr(reader, read)
    }

    /// Renders the answer, writes it, and says how the program ends.
    pub fn finish(
        &self,
        reader: &Reader,
        cluster: &Cluster,
        answer: &dyn Answer,
    ) -> Result<ExitCode, Error> {
        tell(reader);
        let color = write::wants_color(self.args.output.color);
        let text = self.render(answer, &self.envelope(reader, cluster), color)?;
        write::answer(&text, color).map_err(Error::Write)?;
        self.tell_what_lines_cannot(answer);
        let fail_on = match self.args.output.fail_on {
            args::FailOn::Error => FailOn::Error,
            args::FailOn::Warning => FailOn::Warning,
            args::FailOn::Never => FailOn::Never,
        };
        Ok(ExitCode::from(exit_code(answer, fail_on)))
    }

    fn render(
        &self,
        answer: &dyn Answer,
        envelope: &Envelope,
        color: bool,
    ) -> Result<String, Error> {
        let output = &self.args.output;
        let page = |wide| {
            let look = Look {
                color,
                no_headers: output.no_headers,
                sort_by: output.sort_by.clone(),
            };
            render::page(answer, wide, &look).map_err(|it| {
                let known: Vec<_> = it.known.iter().map(String::as_str).collect();
                unknown("column", &it.asked, &known)
            })
        };
        Ok(match self.format {
            Format::Table => page(false)?,
            Format::Wide => page(true)?,
            Format::Lines => render::lines(&answer.lines()),
            Format::Own(name) => answer.own_format(name).unwrap_or_default(),
            Format::Json => render::json(answer, envelope),
            Format::Yaml => yaml::yaml(answer, envelope),
            Format::Name => render::names(answer),
        })
    }

    fn envelope(&self, reader: &Reader, cluster: &Cluster) -> Envelope {
        let (kind, context, files) = match reader.source() {
            read::Source::Live { context, .. } => ("live", context, Vec::new()),
            read::Source::Recorded { paths } => ("recorded", None, paths),
        };
        Envelope {
            tool: Tool {
                name: self.program.name.to_owned(),
                version: self.program.version.to_owned(),
            },
            source: Source {
                kind,
                context,
                namespace: cluster.namespace.clone(),
                files,
            },
            seen_at: cluster.seen_at.map(|it| it.to_string()),
        }
    }

    /// Formats of one record a line have no place for gaps and for errors about the cluster as a whole.
    fn tell_what_lines_cannot(&self, answer: &dyn Answer) {
        if !matches!(self.format, Format::Lines | Format::Own(_) | Format::Name) {
            return;
        }
        for gap in answer.gaps() {
            write::remark(&format!(
                "unseen: {}: {}; {}",
                gap.what, gap.why, gap.effect
            ));
        }
        let n = answer.errors_beyond_lines();
        if n > 0 && self.format != Format::Name {
            let (errors, them) = if n == 1 {
                ("error", "it")
            } else {
                ("errors", "them")
            };
            let first = answer
                .findings()
                .iter()
                .find(|it| it.severity == Severity::Error);
            let about = |it: &Finding| {
                it.node
                    .as_ref()
                    .map_or_else(String::new, |it| format!(" on node/{it}"))
            };
            let first = first.map_or_else(String::new, |it| {
                format!(" (first: {}{})", it.rule, about(it))
            });
            write::remark(&format!(
                "{n} {errors} that these lines have no word for{first}; -o wide shows {them}"
            ));
        }
    }
}

/// After a round: takes the progress away, and where it failed passes on what else was said, since no answer will.
fn settle_stderr<T>(reader: &Reader, read: Result<T, Error>) -> Result<T, Error> {
    write::end_progress();
    if read.is_err() {
        tell(reader);
    }
    read
}

/// Passes on what the server warned of, and the log.
fn tell(reader: &Reader) {
    for it in reader.warnings() {
        write::remark(&format!("Warning: {it}"));
    }
    for it in reader.log() {
        write::remark(&it);
    }
}

/// How a program ends: with the answer's exit code, or with an error and a hint on standard error.
pub fn end(ending: Result<ExitCode, Error>) -> ExitCode {
    ending.unwrap_or_else(|error| {
        remark(&error.line());
        if let Some(hint) = error.hint() {
            remark(&format!("hint: {hint}"));
        }
        ExitCode::from(error.exit_code())
    })
}

/// Writes lines that need no cluster: `roster`, `rules`, `explain`.
pub fn print(text: &str) -> Result<ExitCode, Error> {
    write::answer(text, false).map_err(Error::Write)?;
    Ok(ExitCode::SUCCESS)
}

/// Text for the reader of standard error; it may have several lines, as a snippet of a file has.
pub fn remark(text: &str) {
    text.lines().for_each(write::remark);
}

/// A node that was named and is not there, as an error with the nearest name.
pub fn unknown_node(it: UnknownNode) -> Error {
    let known: Vec<_> = it.known.iter().map(String::as_str).collect();
    let nearest = nearest(&it.name, known.iter().copied());
    let near = nearest.map_or_else(String::new, |it| format!("; did you mean \"{it}\"?"));
    Error::Usage(format!("nodes \"{}\" not found{near}", it.name))
}

/// A usage error: a thing of this kind is not known, and which there are.
pub fn unknown(kind: &str, typed: &str, known: &[&str]) -> Error {
    let near = match nearest(typed, known.iter().copied()) {
        Some(it) => format!("; did you mean \"{it}\"?"),
        None => ".".to_owned(),
    };
    Error::Usage(format!(
        "unknown {kind} \"{typed}\"{near} There are: {}",
        known.join(", ")
    ))
}

fn format_named(name: &str, own: &[OwnFormat]) -> Result<Format, Error> {
    if let Some((format, _, _)) = FORMATS.iter().find(|(_, it, _)| *it == name) {
        return Ok(*format);
    }
    if let Some(it) = own.iter().find(|it| it.name == name) {
        return Ok(Format::Own(it.name));
    }
    let shared = FORMATS.iter().map(|(_, name, _)| *name);
    let known: Vec<_> = shared.chain(own.iter().map(|it| it.name)).collect();
    let family = name.split('=').next().unwrap_or_default();
    if ["jsonpath", "go-template", "custom-columns"]
        .iter()
        .any(|it| family.starts_with(it))
    {
        return Err(Error::Usage(format!(
            "output format {family} is not supported; use -o json and jq, for example: -o json | jq -r '.findings[].message'"
        )));
    }
    Err(unknown("output format", name, &known))
}

fn release_named(text: &str) -> Result<Release, Error> {
    Release::parse(text).ok_or_else(|| {
        Error::Usage(format!(
            "cannot read \"{text}\" as an operator version, such as v24.9.2"
        ))
    })
}
