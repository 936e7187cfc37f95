//! Numbers in responses: counts in any notation, and numbers at the start of texts.

use std::time::Duration;

use serde::Deserialize;
use serde::de::{Deserializer, Error, Unexpected};
use serde_json::{Number, Value};

/// The largest number below which a floating-point number represents every integer: 2^53.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

/// The maximum of durations that come from a service or are added to an `Instant`, which may not represent more.
pub(crate) const YEAR: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// Decodes a count. `12` and `12.0` are the same number.
pub(crate) fn read_count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    count_of_number(&Number::deserialize(deserializer)?)
}

/// Decodes a count that may be null.
pub(crate) fn read_optional_count<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<u64>, D::Error> {
    let number = Option::<Number>::deserialize(deserializer)?;
    number.as_ref().map(count_of_number).transpose()
}

/// Returns the count in a value, if it is one.
pub(crate) fn count_of(value: &Value) -> Option<u64> {
    whole_number(value.as_number()?)
}

fn count_of_number<E: Error>(number: &Number) -> Result<u64, E> {
    whole_number(number).ok_or_else(|| {
        let found = number.to_string();
        E::invalid_value(Unexpected::Other(&found), &"a non-negative integer")
    })
}

fn whole_number(number: &Number) -> Option<u64> {
    number.as_u64().or_else(|| {
        let number = number.as_f64()?;
        let is_exact = (0.0..=MAX_EXACT).contains(&number) && number.fract() == 0.0;
        is_exact.then_some(number as u64)
    })
}

/// Returns the first number of a header, without a sign or an exponent. Proxies join repeated headers.
pub(crate) fn first_decimal(text: &str) -> Option<f64> {
    let first = text.split([',', ';']).next()?.trim();
    let is_decimal = |byte: u8| byte.is_ascii_digit() || byte == b'.';
    first.parse().ok().filter(|_| first.bytes().all(is_decimal))
}

/// Returns the whole number at the start of a text, as in `100, 100;w=60`.
pub(crate) fn leading_number(text: &str) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_digit());
    text[..end.unwrap_or(text.len())].parse().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{count_of, read_count, read_optional_count};

    #[test]
    fn decodes_whole_numbers_in_any_notation() {
        for (json, count) in [
            ("0", 0),
            ("12", 12),
            ("12.0", 12),
            ("1.2e1", 12),
            ("-0.0", 0),
            ("18446744073709551615", u64::MAX),
        ] {
            let mut deserializer = serde_json::Deserializer::from_str(json);
            assert_eq!(read_count(&mut deserializer).unwrap(), count, "{json}");
            let value = serde_json::from_str(json).unwrap();
            assert_eq!(count_of(&value), Some(count), "{json}");
        }
        assert_eq!(read_optional_count(json!(null)).unwrap(), None);
        assert_eq!(read_optional_count(json!(12.0)).unwrap(), Some(12));
    }

    #[test]
    fn rejects_values_that_are_not_counts() {
        for (json, found) in [
            (
                json!(-1),
                "invalid value: -1, expected a non-negative integer",
            ),
            (
                json!(1.5),
                "invalid value: 1.5, expected a non-negative integer",
            ),
            (
                json!(1e16),
                "invalid value: 1e+16, expected a non-negative integer",
            ),
            (
                json!("12"),
                "invalid type: string \"12\", expected a JSON number",
            ),
        ] {
            assert_eq!(read_count(&json).unwrap_err().to_string(), found);
            assert_eq!(count_of(&json), None);
        }
    }
}
