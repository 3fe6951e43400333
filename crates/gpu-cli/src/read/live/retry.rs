//! Whether a failed request is worth another try, and when.

use std::time::Duration;

use super::failure::Failure;

/// How often one request is made at most.
const TRIES: u32 = 3;

/// How long a server can make us wait between two tries.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long to wait before the next try, or `None` to give up: only what passes by itself is tried again,
/// and only where the wait fits in what is left of the time.
pub(super) fn pause(failure: &Failure, tries: u32, left: Option<Duration>) -> Option<Duration> {
    let own = Duration::from_millis(100) * tries;
    let wait = match failure {
        Failure::Answered(it) if matches!(it.code.as_u16(), 429 | 503) => {
            it.retry_after.map_or(own, |it| it.min(PATIENCE))
        }
        Failure::Broken(_) => own,
        Failure::Answered(_) | Failure::Late(_) | Failure::Garbled(_) | Failure::Fatal(_) => {
            return None;
        }
    };
    (tries < TRIES && left.is_none_or(|left| wait < left)).then_some(wait)
}

#[cfg(test)]
mod tests {
    use http::StatusCode;

    use super::*;

    #[test]
    fn only_what_passes_by_itself_is_tried_again_and_only_in_time() {
        let ms = Duration::from_millis;
        let answered = |code: u16, retry_after: Option<u64>| {
            let code = StatusCode::from_u16(code).unwrap();
            Failure::of_answer(code, retry_after.map(Duration::from_secs), b"")
        };
        for (failure, tries, left, want) in [
            (answered(503, None), 1, None, Some(ms(100))),
            (answered(503, None), 2, None, Some(ms(200))),
            (answered(503, None), 3, None, None),
            (answered(429, Some(2)), 1, None, Some(ms(2_000))),
            (answered(429, Some(0)), 1, None, Some(ms(0))),
            (answered(429, Some(2)), 1, Some(ms(1_000)), None),
            (answered(429, Some(3_600)), 1, None, Some(PATIENCE)),
            (answered(500, Some(1)), 1, None, None),
            (answered(504, None), 1, None, None),
            (answered(403, None), 1, None, None),
            (Failure::Broken(String::new()), 1, None, Some(ms(100))),
            (Failure::Late(ms(1)), 1, None, None),
        ] {
            assert_eq!(
                pause(&failure, tries, left),
                want,
                "{failure:?} {tries} {left:?}"
            );
        }
    }
}
