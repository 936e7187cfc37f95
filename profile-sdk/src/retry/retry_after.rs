//! The `Retry-After` header, in seconds or as a date.

use std::time::{Duration, SystemTime};

/// Parses the value of the header. Returns `None` if it is invalid.
///
/// A number that is too large becomes [`Duration::MAX`]. A date in the past becomes zero.
pub(crate) fn read_retry_after(text: &str, now: SystemTime) -> Option<Duration> {
    let text = text.trim();
    if text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.')
    {
        let seconds = text.parse().ok()?;
        return Some(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX));
    }
    let date = httpdate::parse_http_date(text).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::read_retry_after;

    fn read(text: &str) -> Option<Duration> {
        // Sun, 06 Nov 1994 08:49:37 GMT
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
        read_retry_after(text, now)
    }

    #[test]
    fn parses_seconds_and_dates() {
        for (text, seconds) in [
            ("0", 0.0),
            ("120", 120.0),
            (" 007 ", 7.0),
            ("1.5", 1.5),
            ("Sun, 06 Nov 1994 08:50:37 GMT", 60.0),
            ("Sunday, 06-Nov-94 08:49:40 GMT", 3.0),
            ("Sun Nov  6 08:49:38 1994", 1.0),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0),
        ] {
            assert_eq!(
                read(text),
                Some(Duration::from_secs_f64(seconds)),
                "{text:?}"
            );
        }
    }

    #[test]
    fn ignores_invalid_values() {
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
            assert_eq!(read(text), None, "{text:?}");
        }
        assert_eq!(read("100000000000000000000"), Some(Duration::MAX));
        assert_eq!(read(&"9".repeat(400)), Some(Duration::MAX));
    }
}
