//! Waiting: as told, not longer than `--request-timeout`, and not again and again for a dead registry.

use std::time::{Duration, Instant};

use gpu_cli::registry::look_up;
use gpu_core::drivertag::existence::Existence;

use crate::bench::{ask, check, options, question};
use crate::mock::{Mock, Reply, manifest, no};

fn throttled(retry_after: &str) -> Reply {
    no(429, "TOOMANYREQUESTS", "slow down").with("Retry-After", retry_after)
}

#[test]
fn a_throttled_question_waits_as_told() {
    let mock = Mock::start(|it| match it.before {
        0 => throttled("1"),
        _ => manifest(),
    });
    let started = Instant::now();
    assert_eq!(ask(&mock.host, &options()), Existence::Present);
    let took = started.elapsed();
    assert!((1000..3000).contains(&took.as_millis()), "{took:?}");
    assert_eq!(mock.asked().len(), 2);
}

#[test]
fn a_pause_is_for_all_questions_to_that_registry() {
    let mock = Mock::start(|it| match it.path().ends_with("/0") && it.before == 0 {
        true => throttled("1"),
        false => manifest(),
    });
    let questions: Vec<_> = (0..8)
        .map(|it| question(&mock.host, &it.to_string(), &[]))
        .collect();
    let started = Instant::now();
    assert_eq!(look_up(&questions, &options()), vec![Existence::Present; 8]);
    assert!(started.elapsed() < Duration::from_secs(3));
    assert_eq!(mock.asked().len(), 9);
}

#[test]
fn nobody_waits_longer_than_there_is_time() {
    let mut options = options();
    for limit in [Some(Duration::from_secs(5)), None] {
        options.timeout = limit;
        let mock = Mock::start(|_| throttled("3600"));
        let started = Instant::now();
        let got = ask(&mock.host, &options);
        check(
            &got,
            "throttled",
            "429 Too Many Requests; it asks to wait 3600 s",
        );
        assert!(started.elapsed() < Duration::from_secs(2));
        assert_eq!(mock.asked().len(), 1);
    }
    // A date as a registry writes it, and one that never stops asking.
    let mock = Mock::start(|_| throttled("Fri, 01 Jan 2100 00:00:00 GMT"));
    check(&ask(&mock.host, &options), "throttled", "it asks to wait");
    let mock = Mock::start(|_| throttled("0"));
    check(&ask(&mock.host, &options), "throttled", "429");
    assert_eq!(mock.asked().len(), 6);
    let mock = Mock::start(|_| no(503, "UNAVAILABLE", "").with("Retry-After", "3600"));
    check(&ask(&mock.host, &options), "unreachable", "503");
}

#[test]
fn a_silent_registry_costs_the_time_of_one_question() {
    let mock = Mock::start(|_| Reply::Silence);
    let mut options = options();
    options.timeout = Some(Duration::from_millis(700));
    let questions: Vec<_> = (0..40)
        .map(|it| question(&mock.host, &it.to_string(), &[]))
        .collect();
    let started = Instant::now();
    let answers = look_up(&questions, &options);
    answers
        .iter()
        .for_each(|it| check(it, "unreachable", "no answer within 700ms"));
    let took = started.elapsed();
    assert!(took < Duration::from_secs(3), "{took:?}");
}
