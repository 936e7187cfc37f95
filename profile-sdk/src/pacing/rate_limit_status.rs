//! The state of the key's rate limit, from response headers.

use std::time::{Duration, SystemTime};

use reqwest::header::HeaderMap;

use crate::number::{self, YEAR};

/// The state of the key's rate limit, from the latest responses that reported it.
///
/// Returned by [`Client::rate_limit`](crate::Client::rate_limit). The specification does not define
/// the headers, so every field can be `None`. (Specification: Limits.)
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RateLimitStatus {
    /// The number of requests allowed per window.
    pub limit: Option<u64>,
    /// The number of requests left in the window after the latest response.
    pub remaining: Option<u64>,
    /// The time until the window ends, or `None` if it has ended.
    pub reset_after: Option<Duration>,
    /// The time that the service requested to wait after a 429, or `None` if it has passed.
    pub retry_after: Option<Duration>,
    /// The remaining pause of all requests after a 429: `retry_after`, but no longer than
    /// [`RetryPolicy::max_wait`](crate::RetryPolicy::max_wait). `None` if there is no pause.
    pub paused_for: Option<Duration>,
}

/// The rate limit headers of one response.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct RateLimitHeaders {
    pub(crate) limit: Option<u64>,
    pub(crate) remaining: Option<u64>,
    pub(crate) reset_after: Option<Duration>,
}

impl RateLimitHeaders {
    /// Parses `RateLimit-*` and `X-RateLimit-*`. Returns `None` if there is no such header.
    pub(crate) fn read(headers: &HeaderMap, now: impl Fn() -> SystemTime) -> Option<Self> {
        let mut read = Self::default();
        for (name, value) in headers {
            let name = name.as_str();
            let name = name.strip_prefix("x-").unwrap_or(name);
            let Some(name) = name.strip_prefix("ratelimit-") else {
                continue;
            };
            let text = value.to_str().unwrap_or_default().trim();
            match name {
                "limit" => read.limit = number::leading_number(text).or(read.limit),
                "remaining" => read.remaining = number::leading_number(text).or(read.remaining),
                "reset" => read.reset_after = until(text, &now).or(read.reset_after),
                _ => {}
            }
        }
        (read != Self::default()).then_some(read)
    }
}

/// Returns the time until a window ends, or `None` if the text has an unknown form. Services send
/// seconds from now, or Unix time in seconds or milliseconds, maybe with parameters as in `5;w=60`.
fn until(text: &str, now: impl Fn() -> SystemTime) -> Option<Duration> {
    const MIN_UNIX_TIME: f64 = 1e9;
    const MIN_UNIX_MILLISECONDS: f64 = 1e11;
    let number = number::first_decimal(text)?;
    let seconds = match number < MIN_UNIX_MILLISECONDS {
        true => number,
        false => number / 1000.0,
    };
    let time = Duration::try_from_secs_f64(seconds).ok()?;
    if number < MIN_UNIX_TIME {
        return Some(time.min(YEAR));
    }
    let now = now().duration_since(SystemTime::UNIX_EPOCH);
    Some(time.saturating_sub(now.unwrap_or_default()).min(YEAR))
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

    use crate::pacing::rate_limit_status::RateLimitHeaders;

    fn read(headers: &[(&'static str, &'static str)]) -> Option<(Option<u64>, Option<u64>, u64)> {
        let headers: HeaderMap = headers
            .iter()
            .map(|(name, value)| {
                (
                    HeaderName::from_static(name),
                    HeaderValue::from_static(value),
                )
            })
            .collect();
        let now = || SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
        let read = RateLimitHeaders::read(&headers, now)?;
        let reset_after = read.reset_after.unwrap_or_default().as_secs();
        Some((read.limit, read.remaining, reset_after))
    }

    #[test]
    fn reads_the_usual_headers() {
        let all = Some((Some(100), Some(7), 5));
        for headers in [
            &[
                ("ratelimit-limit", "100, 100;w=60"),
                ("ratelimit-remaining", "7"),
                ("ratelimit-reset", "5"),
            ][..],
            &[
                ("x-ratelimit-limit", "100"),
                ("x-ratelimit-remaining", "7"),
                ("x-ratelimit-reset", "1800000005"),
            ],
            &[
                ("ratelimit-limit", "100"),
                ("ratelimit-remaining", "7"),
                ("ratelimit-reset", "5.9"),
            ],
            &[
                ("ratelimit-limit", "100"),
                ("ratelimit-remaining", "7"),
                ("ratelimit-reset", "5;w=60"),
            ],
            &[
                ("x-ratelimit-limit", "100"),
                ("x-ratelimit-remaining", "7"),
                ("x-ratelimit-reset", "1800000005123"),
            ],
            &[
                ("x-ratelimit-limit", "100"),
                ("x-ratelimit-remaining", "7"),
                ("x-ratelimit-reset", "1800000005.5"),
            ],
            &[
                ("ratelimit-limit", "100"),
                ("ratelimit-remaining", "7"),
                ("ratelimit-reset", "5"),
                ("x-ratelimit-limit", "-"),
                ("x-ratelimit-remaining", "-"),
                ("x-ratelimit-reset", "2027-01-15T08:00:09Z"),
            ],
        ] {
            assert_eq!(read(headers), all, "{headers:?}");
        }
    }

    #[test]
    fn ignores_invalid_values() {
        assert_eq!(
            read(&[("date", "x"), ("x-request-id", "1"), ("ratelimit", "")]),
            None
        );
        assert_eq!(
            read(&[("ratelimit-limit", "-1"), ("ratelimit-reset", "NaN")]),
            None
        );
        assert_eq!(read(&[("x-ratelimit-limit", "99999999999999999999")]), None);
        for reset in [
            "Fri, 15 Jan 2027 08:00:05 GMT",
            "2027-01-15T08:00:05Z",
            "500ms",
            "6m0s",
            "1h",
            "5 seconds",
            "1e3",
            ".",
            "-5",
        ] {
            assert_eq!(read(&[("x-ratelimit-reset", reset)]), None, "{reset}");
        }
        let over = [("x-ratelimit-reset", "1700000000")];
        assert_eq!(read(&over), Some((None, None, 0)));
    }
}
