//! When a request is sent again, and how long to wait before.
//!
//! Every request of this program means the same when sent twice, so a lost answer is no reason to give up.

use std::{
    hash::{BuildHasher as _, RandomState},
    thread,
    time::Duration,
};

use ureq::http::StatusCode;

use super::Answer;

/// Tries after the first.
pub const RETRIES: u32 = 5;
/// Wait before the first retry; doubled each time.
const FIRST: Duration = Duration::from_millis(200);
/// Longest wait, whatever the server asks for: someone watches this program.
const LONGEST: Duration = Duration::from_mins(1);

/// Statuses that say "later": request timeout, too many requests, and trouble behind the server.
fn may_pass(status: StatusCode) -> bool {
    status == StatusCode::REQUEST_TIMEOUT || status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error()
}

/// Errors of the way, not of the request.
fn may_heal(error: &ureq::Error) -> bool {
    matches!(
        error,
        ureq::Error::Io(_)
            | ureq::Error::Timeout(_)
            | ureq::Error::ConnectionFailed
            | ureq::Error::HostNotFound
            | ureq::Error::BodyStalled
            | ureq::Error::Protocol(_)
    )
}

/// The wait before a retry: half of the doubled time for sure, up to the whole of it by chance (`random` of 0 to 1), so
/// that jobs that failed together do not come back together. The server's own wish counts in full.
fn wait(retry: u32, random: f64, asked: Option<Duration>) -> Duration {
    let doubled = FIRST * 2_u32.saturating_pow(retry);
    let own = doubled.mul_f64(0.5 + random.clamp(0.0, 1.0) / 2.0);
    asked.map_or(own, |asked| asked.max(own)).min(LONGEST)
}

/// A number of 0 to 1 from the standard library's per-process random keys: enough to spread retries.
fn random() -> f64 {
    let bits = RandomState::new().hash_one(std::time::Instant::now());
    f64::from(u32::try_from(bits >> 32).unwrap_or_default()) / f64::from(u32::MAX)
}

/// Sends until an answer settles the matter or [`RETRIES`] are used up; the last answer is returned.
pub fn repeat(send: impl Fn() -> Answer) -> Answer {
    let mut retry = 0;
    loop {
        let answer = send();
        let asked = match &answer {
            Answer::Status { status, retry_after, .. } if may_pass(*status) => *retry_after,
            Answer::Broken(error) if may_heal(error) => None,
            _ => return answer,
        };
        if retry == RETRIES {
            return answer;
        }
        thread::sleep(wait(retry, random(), asked));
        retry += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_and_spread_and_end() {
        assert_eq!(wait(0, 0.0, None), Duration::from_millis(100));
        assert_eq!(wait(0, 1.0, None), Duration::from_millis(200));
        assert_eq!(wait(4, 1.0, None), Duration::from_millis(3_200));
        assert_eq!(wait(31, 1.0, None), LONGEST);
        assert_eq!(wait(0, 0.0, Some(Duration::from_secs(7))), Duration::from_secs(7));
        assert_eq!(wait(0, 0.0, Some(Duration::from_hours(24))), LONGEST);
        assert!((0.0..=1.0).contains(&random()));
    }

    #[test]
    fn refusals_are_final_and_trouble_is_not() {
        for status in [400, 401, 403, 404, 409, 413, 422] {
            assert!(!may_pass(StatusCode::from_u16(status).expect("a status")), "{status}");
        }
        for status in [408, 429, 500, 502, 503, 504, 507] {
            assert!(may_pass(StatusCode::from_u16(status).expect("a status")), "{status}");
        }
    }
}
