//! The state of the key's rate limit, from response headers.

use std::time::{Duration, SystemTime};

use reqwest::header::HeaderMap;

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
    /// The time for which the client holds its requests after a 429: `retry_after`, but no longer
    /// than [`RetryPolicy::max_wait`](crate::RetryPolicy::max_wait). `None` if it does not hold them.
    /// [`Client::clear_hold`](crate::Client::clear_hold) ends the hold.
    pub held_for: Option<Duration>,
}

/// The rate limit headers of one response.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct RateLimitHeaders {
    pub(crate) limit: Option<u64>,
    pub(crate) remaining: Option<u64>,
    pub(crate) reset_after: Option<Duration>,
}

impl RateLimitHeaders {
    /// Parses `RateLimit-*`, `X-RateLimit-*` and the structured `RateLimit`. Returns `None` if
    /// there is no such header.
    pub(crate) fn read(headers: &HeaderMap, now: impl Fn() -> SystemTime) -> Option<Self> {
        let mut read = Self::default();
        for (name, value) in headers {
            let name = name.as_str();
            // Skip other headers quickly, because this runs for every response.
            if !name.starts_with("ratelimit") && !name.starts_with("x-rate") {
                continue;
            }
            let Ok(value) = value.to_str() else { continue };
            match name {
                "ratelimit" | "ratelimit-policy" => read.structured(value, &now),
                _ if name.ends_with("-reset-after") => read.field("reset-after", value, &now),
                _ => read.field(name.rsplit('-').next().unwrap_or_default(), value, &now),
            }
        }
        (read != Self::default()).then_some(read)
    }

    /// Parses `limit=100, remaining=7, reset=5` (an earlier draft), or `"default";r=7;t=5` and its
    /// policy `"default";q=100;w=60` (a later draft). Of several policies, uses the first.
    fn structured(&mut self, value: &str, now: &impl Fn() -> SystemTime) {
        for parameter in value.split([',', ';']) {
            if let Some((name, value)) = parameter.trim().split_once('=') {
                self.field(name, value, now);
            }
        }
    }

    fn field(&mut self, name: &str, value: &str, now: &impl Fn() -> SystemTime) {
        let number = leading_number(value);
        let count = number
            .split('.')
            .next()
            .and_then(|count| count.parse().ok());
        let seconds = number.parse().ok();
        match name {
            "limit" | "q" => self.limit = self.limit.or(count),
            "remaining" | "r" => self.remaining = self.remaining.or(count),
            "reset" | "t" => {
                let reset_after = || until(seconds?, now);
                self.reset_after = self.reset_after.or_else(reset_after);
            }
            // More precise than a reset that is rounded to seconds.
            "reset-after" => {
                let reset_after = seconds.and_then(|after| Duration::try_from_secs_f64(after).ok());
                self.reset_after = reset_after.or(self.reset_after);
            }
            _ => {}
        }
    }
}

/// Returns the time until a window ends. Services send seconds from now, or Unix time in seconds or
/// milliseconds.
fn until(number: f64, now: impl Fn() -> SystemTime) -> Option<Duration> {
    const MIN_UNIX_SECONDS: f64 = 1e9;
    const MIN_UNIX_MILLISECONDS: f64 = 1e11;
    if number < MIN_UNIX_SECONDS {
        return Duration::try_from_secs_f64(number).ok();
    }
    let is_milliseconds = number >= MIN_UNIX_MILLISECONDS;
    let seconds = if is_milliseconds {
        number / 1e3
    } else {
        number
    };
    let reset_at = Duration::try_from_secs_f64(seconds).ok()?;
    let now = now().duration_since(SystemTime::UNIX_EPOCH);
    Some(reset_at.saturating_sub(now.unwrap_or_default()))
}

/// Returns the digits at the start of a text, with a decimal point.
fn leading_number(text: &str) -> &str {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.');
    &text[..end.unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

    use super::RateLimitHeaders;

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
                ("x-rate-limit-limit", "100"),
                ("x-rate-limit-remaining", "7"),
                ("x-rate-limit-reset", "5.5"),
            ],
            &[
                ("x-ratelimit-limit", "100"),
                ("x-ratelimit-remaining", "7"),
                ("x-ratelimit-reset", "1800000005000"),
            ],
            &[
                ("x-ratelimit-limit", "100"),
                ("x-ratelimit-remaining", "7"),
                ("x-ratelimit-reset", "1800000006"),
                ("x-ratelimit-reset-after", "5.25"),
            ],
            &[("ratelimit", "limit=100, remaining=7, reset=5")],
            &[
                ("ratelimit", r#""default";r=7;t=5, "daily";r=70;t=50"#),
                (
                    "ratelimit-policy",
                    r#""default";q=100;w=60, "daily";q=1000;w=86400"#,
                ),
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
        let over = [("x-ratelimit-reset", "1700000000")];
        assert_eq!(read(&over), Some((None, None, 0)));
    }
}
