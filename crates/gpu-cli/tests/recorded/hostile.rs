//! Input that means harm: too deep, too long, multiplying, damaged.

use super::*;

#[test]
fn hostile_input_ends_in_an_error_and_not_in_a_crash() {
    let deep = 100_000;
    let bomb: String = (0..30).fold("a0: &a0 [x, x]\n".to_owned(), |text, n| {
        text + &format!(
            "a{}: &a{} [*a{n}, *a{n}, *a{n}, *a{n}, *a{n}, *a{n}, *a{n}, *a{n}]\n",
            n + 1,
            n + 1
        )
    });
    for text in [
        "[".repeat(deep),
        "{\"items\":[".repeat(deep),
        format!("{}{}", "[".repeat(deep), "]".repeat(deep)),
        "- ".repeat(deep),
        "a: [".repeat(deep),
        (0..2000)
            .map(|n| format!("{}a:\n", " ".repeat(n)))
            .collect(),
        bomb,
        "---\n".repeat(deep),
        "\u{0}".repeat(deep),
        "&a [*a]\n".to_owned(),
        "!!binary x: !foo {? [a] : b}\n".to_owned(),
    ] {
        let start: String = text.chars().take(30).collect();
        let error = piped(&text).expect_err(&start);
        assert!(error.to_string().len() < 500, "{start}");
    }
}

#[test]
fn nesting_is_read_as_deep_as_an_object_may_have_it() {
    let nested = |n: usize| format!("{}{}", "{\"a\":".repeat(n) + "1", "}".repeat(n));
    let policy = |n: usize| {
        format!(
            "{{\"apiVersion\":\"nvidia.com/v1\",\"kind\":\"ClusterPolicy\",\"metadata\":{{\"name\":\"c\"}},\"status\":{{\"conditions\":5}},\"spec\":{}}}",
            nested(n)
        )
    };
    for text in [
        policy(55),
        format!(
            "x: 1\n---\nitems:\n- {}\napiVersion: v1\nkind: List\n",
            policy(55)
        ),
    ] {
        let cluster = piped(&text).unwrap();
        assert_eq!(cluster.unreadable.len(), 1, "{text}");
    }
    for text in [
        policy(200),
        format!(
            "x: 1\n---\nitems:\n- {}\napiVersion: v1\nkind: List\n",
            policy(200)
        ),
    ] {
        assert!(piped(&text).is_err());
    }
}

#[test]
fn a_line_may_be_as_long_as_it_likes() {
    let long = "x".repeat(3_000_000);
    let json = format!(
        "{{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{{\"name\":\"a\",\"annotations\":{{\"l\":\"{long}\"}}}}}}"
    );
    assert_eq!(piped(&json).unwrap().nodes.len(), 1);
    let yaml = format!("{NODE_YAML}  annotations:\n    l: {long}\n    m: \"{long}\"\n");
    assert_eq!(piped(&yaml).unwrap().nodes.len(), 1);
    assert!(complaint(&json[..json.len() - 1]).len() < 300);
}

/// A small generator whose numbers are the same on every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % below
    }
}

#[test]
fn damaged_recordings_never_panic() {
    let bad = POD_JSON.replace("\"a\"", "[1]");
    let yaml = format!(
        "# x\napiVersion: v1\nitems:\n- {NODE_JSON}\n- apiVersion: v1\n  kind: Pod\n  metadata: &m\n    name: \"ä\\u0041\"\n    labels: {{a: 1, b: 'c'}}\n  spec:\n    <<: *m\n    text: |\n      ---x\n- {bad}\nkind: List\n---\n{POD_YAML}...\n{SET_JSON}\n"
    );
    let json = format!(
        "{{\"kind\": \"List\",\n \"apiVersion\": \"v1\",\n \"items\": [{NODE_JSON},\n{bad}, {POD_JSON}]}}\n{SET_JSON}\n---\n{POD_YAML}"
    );
    let seeds = [
        yaml.clone().into_bytes(),
        json.clone().into_bytes(),
        gzip(json.as_bytes()),
    ];
    let pieces: [&[u8]; 16] = [
        b"{",
        b"}",
        b"[",
        b"]",
        b"\"",
        b"\n---\n",
        b"\n",
        b": ",
        b"- ",
        b"\xff",
        b"\0",
        b"*m",
        b"&m ",
        b"\xc3\xa4",
        b"\"kind\":",
        b"9e999",
    ];
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    for _ in 0..2_000 {
        let mut bytes = seeds[dice.roll(seeds.len())].clone();
        for _ in 0..=dice.roll(4) {
            let at = dice.roll(bytes.len());
            match dice.roll(5) {
                0 => bytes[at] = u8::try_from(dice.roll(256)).unwrap(),
                1 => drop(bytes.drain(at..(at + 1 + dice.roll(30)).min(bytes.len()))),
                2 => drop(bytes.splice(at..at, pieces[dice.roll(pieces.len())].iter().copied())),
                3 => bytes.truncate(at + 1),
                _ => bytes.extend_from_within(at..),
            }
            if bytes.is_empty() {
                bytes.push(b'x');
            }
        }
        if let Err(error) = piped(&bytes) {
            let message = error.to_string();
            assert!(
                message.lines().all(|it| !it.contains(char::is_control)),
                "{message:?}"
            );
        }
    }
}
