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
        let Some(number) = leading_number(value) else {
            return;
        };
        match name {
            "limit" | "q" => _ = self.limit.get_or_insert(number),
            "remaining" | "r" => _ = self.remaining.get_or_insert(number),
            "reset" | "t" => _ = self.reset_after.get_or_insert(until(number, now)),
            _ => {}
        }
    }
}

/// Returns the time until a window ends. Some services send seconds from now, others seconds of
/// Unix time.
fn until(number: u64, now: impl Fn() -> SystemTime) -> Duration {
    const MAX_WINDOW_SECONDS: u64 = 1_000_000_000;
    let number = Duration::from_secs(number);
    if number.as_secs() < MAX_WINDOW_SECONDS {
        return number;
    }
    let now = now().duration_since(SystemTime::UNIX_EPOCH);
    number.saturating_sub(now.unwrap_or_default())
}

fn leading_number(text: &str) -> Option<u64> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit());
    text[..end.unwrap_or(text.len())].parse().ok()
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
