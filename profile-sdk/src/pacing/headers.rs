//! Reads the headers of a response about rate limits and waits.

use std::time::{Duration, SystemTime};

use reqwest::header::HeaderMap;

use crate::pacing::YEAR;

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
                "limit" => read.limit = leading_number(text).or(read.limit),
                "remaining" => read.remaining = leading_number(text).or(read.remaining),
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
    let number = first_decimal(text)?;
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

/// Parses the value of `Retry-After`. Returns `None` if it is invalid.
///
/// A longer time than a year becomes a year. A date in the past becomes zero.
pub(super) fn read_retry_after(text: &str, now: SystemTime) -> Option<Duration> {
    if let Some(seconds) = first_decimal(text) {
        return Some(Duration::try_from_secs_f64(seconds).map_or(YEAR, |wait| wait.min(YEAR)));
    }
    let date = httpdate::parse_http_date(text.trim()).ok()?;
    Some(date.duration_since(now).unwrap_or_default().min(YEAR))
}

/// Returns the first number of a header, without a sign or an exponent. Proxies join repeated headers.
fn first_decimal(text: &str) -> Option<f64> {
    let first = text.split([',', ';']).next()?.trim();
    let is_decimal = |byte: u8| byte.is_ascii_digit() || byte == b'.';
    first.parse().ok().filter(|_| first.bytes().all(is_decimal))
}

/// Returns the whole number at the start of a text, as in `100, 100;w=60`.
pub(super) fn leading_number(text: &str) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_digit());
    text[..end.unwrap_or(text.len())].parse().ok()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

    use super::{RateLimitHeaders, YEAR, read_retry_after};

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

    fn read_wait(text: &str) -> Option<Duration> {
        // Sun, 06 Nov 1994 08:49:37 GMT
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
        read_retry_after(text, now)
    }

    #[test]
    fn parses_retry_after_in_seconds_and_dates() {
        for (text, seconds) in [
            ("0", 0.0),
            ("120", 120.0),
            ("120, 60", 120.0),
            (" 007 ", 7.0),
            ("1.5", 1.5),
            ("Sun, 06 Nov 1994 08:50:37 GMT", 60.0),
            ("Sunday, 06-Nov-94 08:49:40 GMT", 3.0),
            ("Sun Nov  6 08:49:38 1994", 1.0),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0),
        ] {
            assert_eq!(
                read_wait(text),
                Some(Duration::from_secs_f64(seconds)),
                "{text:?}"
            );
        }
    }

    #[test]
    fn ignores_an_invalid_retry_after() {
        for text in [
            "",
            "-1",
            "NaN",
            "inf",
            "1e3",
            "+5",
            "soon",
            ".",
            "1.2.3",
            "Sun, 99 Nov 1994 08:50:37 GMT",
            "٣",
        ] {
            assert_eq!(read_wait(text), None, "{text:?}");
        }
        assert_eq!(read_wait("100000000000000000000"), Some(YEAR));
        assert_eq!(read_wait(&"9".repeat(400)), Some(YEAR));
    }
}
