//! The flags every plugin has, spelled as kubectl spells them.

use std::time::Duration;

use clap::{ArgAction, Args, ValueEnum, ValueHint};
use gpu_core::cluster::selector::Selector;

/// All flags that every plugin has; `#[command(flatten)]` it into the plugin's own.
#[derive(Clone, Debug, Default, Args)]
pub struct SharedArgs {
    /// How to reach the cluster.
    #[command(flatten)]
    pub access: Access,
    /// What is answered about, and from what.
    #[command(flatten)]
    pub input: Input,
    /// How the answer looks.
    #[command(flatten)]
    pub output: Output,
}

/// kubectl's flags for reaching a cluster. An empty value counts as not given, as with kubectl.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Cluster access")]
pub struct Access {
    /// Path to the kubeconfig file to use.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub kubeconfig: Option<String>,
    /// The name of the kubeconfig context to use.
    #[arg(long, value_name = "NAME")]
    pub context: Option<String>,
    /// The name of the kubeconfig cluster to use.
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub cluster: Option<String>,
    /// The name of the kubeconfig user to use.
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub user: Option<String>,
    /// The operator's namespace; found by itself when absent.
    #[arg(short, long, value_parser = namespace)]
    pub namespace: Option<String>,
    /// The address and port of the Kubernetes API server.
    #[arg(short, long, value_name = "URL", hide_short_help = true)]
    pub server: Option<String>,
    /// Bearer token for authentication to the API server.
    #[arg(long, hide_short_help = true)]
    pub token: Option<String>,
    /// Username to impersonate; a regular user or a service account in a namespace.
    #[arg(long = "as", value_name = "USER", hide_short_help = true)]
    pub as_user: Option<String>,
    /// Group to impersonate; may be repeated.
    #[arg(long, value_name = "GROUP", hide_short_help = true)]
    pub as_group: Vec<String>,
    /// UID to impersonate.
    #[arg(long, value_name = "UID", hide_short_help = true)]
    pub as_uid: Option<String>,
    /// User extra to impersonate; may be repeated, also with the same key.
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_value, hide_short_help = true)]
    pub as_user_extra: Vec<(String, String)>,
    /// Path to a cert file for the certificate authority.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, hide_short_help = true)]
    pub certificate_authority: Option<String>,
    /// Path to a client certificate file for TLS.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, hide_short_help = true)]
    pub client_certificate: Option<String>,
    /// Path to a client key file for TLS.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, hide_short_help = true)]
    pub client_key: Option<String>,
    /// Do not check the server's certificate; this makes HTTPS connections insecure.
    #[arg(long, action = ArgAction::Set, num_args = 0..=1, require_equals = true,
          default_value_t = false, default_missing_value = "true", hide_default_value = true,
          value_name = "true|false", value_parser = boolean, hide_short_help = true)]
    pub insecure_skip_tls_verify: bool,
    /// Server name to use for checking the server's certificate, instead of its host name.
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub tls_server_name: Option<String>,
    /// URL of the proxy to use for all requests (http, https or socks5).
    #[arg(long, value_name = "URL", hide_short_help = true)]
    pub proxy_url: Option<String>,
    /// How long to wait for one request (30, 1s, 2m, 1h30m); 0 means forever. Unlike kubectl, not forever by default.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = RequestTimeout::parse, hide_short_help = true)]
    pub request_timeout: RequestTimeout,
    /// Number for the log level verbosity; 6 and above list every request.
    #[arg(
        short,
        long = "v",
        value_name = "LEVEL",
        default_value_t = 0,
        hide_default_value = true,
        hide_short_help = true
    )]
    pub v: i32,
}

/// What is answered about, and from what.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Input")]
pub struct Input {
    /// Recorded objects to read instead of a cluster: file, folder, must-gather folder or - for standard input; may be repeated.
    #[arg(short, long = "filename", value_name = "FILE", value_delimiter = ',', value_hint = ValueHint::AnyPath)]
    pub filename: Vec<String>,
    /// Go into the folders below the one named by --filename.
    #[arg(short = 'R', long, action = ArgAction::Set, num_args = 0..=1, require_equals = true,
          default_value_t = false, default_missing_value = "true", hide_default_value = true,
          value_name = "true|false", value_parser = boolean)]
    pub recursive: bool,
    /// Only nodes that match this label query; supports =, ==, !=, in and notin.
    #[arg(short = 'l', long, value_name = "QUERY", value_parser = Selector::parse)]
    pub selector: Option<Selector>,
    /// The operator's release, where the cluster does not tell.
    #[arg(long, value_name = "VERSION")]
    pub operator_version: Option<String>,
}

/// How the answer looks and what it means to the caller.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Output")]
pub struct Output {
    /// Output format; without it, table on a terminal, else lines.
    #[arg(short = 'o', long = "output", value_name = "FORMAT")]
    pub format: Option<String>,
    /// Do not print headers.
    #[arg(long, action = ArgAction::Set, num_args = 0..=1, require_equals = true,
          default_value_t = false, default_missing_value = "true", hide_default_value = true,
          value_name = "true|false", value_parser = boolean)]
    pub no_headers: bool,
    /// Sort the table by this column.
    #[arg(long, value_name = "COLUMN")]
    pub sort_by: Option<String>,
    /// When to colour.
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    pub color: Color,
    /// The severity of a finding that makes the exit code 1.
    #[arg(long, value_enum, value_name = "SEVERITY", default_value_t)]
    pub fail_on: FailOn,
}

/// When to colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal that wants it.
    #[default]
    Auto,
    /// Even through a pipe.
    Always,
    /// Not at all.
    Never,
}

/// The severity of a finding that makes the exit code 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// An error.
    #[default]
    Error,
    /// An error or a warning.
    Warning,
    /// None.
    Never,
}

/// How long one request may take, tries included; `None` is forever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestTimeout(pub Option<Duration>);

impl Default for RequestTimeout {
    fn default() -> Self {
        Self(Some(Duration::from_secs(60)))
    }
}

impl RequestTimeout {
    /// Reads what kubectl reads: whole seconds, or numbers with units as in `1h30m`. The error is kubectl's.
    pub fn parse(text: &str) -> Result<Self, String> {
        let whole = text.parse().ok().map(Duration::from_secs);
        match whole.or_else(|| duration(text)) {
            Some(Duration::ZERO) => Ok(Self(None)),
            Some(it) => Ok(Self(Some(it))),
            None => Err(
                "Timeout must be a single integer in seconds, or an integer followed by \
                a corresponding time unit (e.g. 1s | 2m | 3h)"
                    .to_owned(),
            ),
        }
    }
}

/// Go's notation of a duration: `1h30m`, `1.5s`, `300ms`.
fn duration(text: &str) -> Option<Duration> {
    let mut rest = text;
    let mut sum = Duration::ZERO;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, tail) = rest.split_at(digits);
        let letters = tail
            .find(|c: char| c.is_ascii_digit() || c == '.')
            .unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(letters);
        let seconds = match unit {
            "h" => 3600.0,
            "m" => 60.0,
            "s" => 1.0,
            "ms" => 1e-3,
            "us" | "µs" => 1e-6,
            "ns" => 1e-9,
            _ => return None,
        };
        let part = Duration::try_from_secs_f64(number.parse::<f64>().ok()? * seconds).ok()?;
        sum = sum.checked_add(part)?;
        rest = tail;
    }
    (!text.is_empty()).then_some(sum)
}

/// What Go takes for a boolean, and so does kubectl.
fn boolean(text: &str) -> Result<bool, String> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok(false),
        _ => Err("it has to be true or false".to_owned()),
    }
}

fn key_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("it has to be KEY=VALUE".to_owned()),
    }
}

/// A namespace becomes part of a URL, so what cannot be one is refused before any request.
fn namespace(text: &str) -> Result<String, String> {
    let legal = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if text.len() > 63 || !text.chars().all(legal) {
        return Err("a namespace has at most 63 lower case letters, digits and dashes".to_owned());
    }
    Ok(text.to_owned())
}

/// What was given for a flag; an empty value counts as not given.
pub(crate) fn given(flag: Option<&String>) -> Option<&str> {
    flag.map(String::as_str).filter(|it| !it.is_empty())
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::*;

    #[derive(Debug, Parser)]
    struct Plugin {
        nodes: Vec<String>,
        #[command(flatten)]
        shared: SharedArgs,
    }

    fn parse(line: &str) -> Result<Plugin, String> {
        let words = std::iter::once("plugin").chain(line.split_whitespace());
        Plugin::try_parse_from(words).map_err(|it| it.to_string())
    }

    #[test]
    fn the_flags_do_not_contradict_each_other() {
        Plugin::command().debug_assert();
    }

    #[test]
    fn without_flags_everything_is_as_by_default() {
        let it = parse("").unwrap().shared;
        assert_eq!(format!("{it:?}"), format!("{:?}", SharedArgs::default()));
    }

    #[test]
    fn values_are_taken_with_and_without_an_equals_sign() {
        for line in [
            "--context=x -n gpu -s http://h -l a=b -o json -v 6 --as u --as-group g --as-group h",
            "--context x --namespace=gpu --server=http://h --selector=a=b --output=json --v=6 --as=u --as-group=g --as-group=h",
            "--context x -ngpu -shttp://h -l=a=b -ojson -v6 --as u --as-group g --as-group h",
        ] {
            let SharedArgs {
                access,
                input,
                output,
            } = parse(line).unwrap().shared;
            assert_eq!(access.context.as_deref(), Some("x"), "{line}");
            assert_eq!(access.namespace.as_deref(), Some("gpu"), "{line}");
            assert_eq!(access.server.as_deref(), Some("http://h"), "{line}");
            assert_eq!(
                input.selector,
                Some(Selector::parse("a=b").unwrap()),
                "{line}"
            );
            assert_eq!(output.format.as_deref(), Some("json"), "{line}");
            assert_eq!(access.v, 6, "{line}");
            assert_eq!(access.as_user.as_deref(), Some("u"), "{line}");
            assert_eq!(access.as_group, ["g", "h"], "{line}");
        }
    }

    #[test]
    fn booleans_are_taken_bare_and_with_a_value_and_never_swallow_the_next_word() {
        for (line, want) in [
            ("--no-headers node-1", true),
            ("--no-headers=true node-1", true),
            ("--no-headers=F node-1", false),
            ("node-1", false),
        ] {
            let it = parse(line).unwrap();
            assert_eq!(it.shared.output.no_headers, want, "{line}");
            assert_eq!(it.nodes, ["node-1"], "{line}");
        }
        assert!(parse("-R -f x").unwrap().shared.input.recursive);
        assert!(
            parse("--insecure-skip-tls-verify=maybe")
                .unwrap_err()
                .contains("true or false")
        );
    }

    #[test]
    fn files_are_repeated_and_joined_by_commas() {
        let files = parse("-f a,b --filename=c -f -")
            .unwrap()
            .shared
            .input
            .filename;
        assert_eq!(files, ["a", "b", "c", "-"]);
    }

    #[test]
    fn timeouts_are_read_as_kubectl_reads_them() {
        let ms = |it| Some(Duration::from_millis(it));
        for (text, want) in [
            ("0", None),
            ("0s", None),
            ("30", ms(30_000)),
            ("1s", ms(1_000)),
            ("2m", ms(120_000)),
            ("1h30m", ms(5_400_000)),
            ("1.5s", ms(1_500)),
            ("300ms", ms(300)),
        ] {
            assert_eq!(
                RequestTimeout::parse(text),
                Ok(RequestTimeout(want)),
                "{text}"
            );
        }
        for text in [
            "",
            "5x",
            "-1",
            "s",
            "1h30",
            "1..2s",
            "1e400s",
            "99999999999999999999h",
        ] {
            assert!(RequestTimeout::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_is_refused_before_any_request() {
        for (line, want) in [
            ("-n a/b", "lower case letters"),
            ("-l =x", "label selector"),
            ("--as-user-extra x", "KEY=VALUE"),
            ("--request-timeout=5x", "single integer in seconds"),
            ("--color=sometimes", "never"),
            ("--kubeconfg=x", "--kubeconfig"),
        ] {
            let error = parse(line).unwrap_err();
            assert!(error.contains(want), "{line}: {error}");
        }
    }
}
