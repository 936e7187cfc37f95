//! Decoding of counts: whole numbers in any JSON notation.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Unexpected, Visitor};
use serde_json::Value;

/// The largest number below which a floating-point number represents every integer: 2^53.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

/// Decodes a count. `12` and `12.0` are the same number.
pub(crate) fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    Count::deserialize(deserializer).map(|count| count.0)
}

/// Decodes a count that may be null.
pub(crate) fn read_optional<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<u64>, D::Error> {
    let count = Option::<Count>::deserialize(deserializer)?;
    Ok(count.map(|count| count.0))
}

/// Returns the count in a value, if it is one.
pub(crate) fn of_value(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| whole_number(value.as_f64()?))
}

struct Count(u64);

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_u64(CountVisitor).map(Self)
    }
}

struct CountVisitor;

impl Visitor<'_> for CountVisitor {
    type Value = u64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a non-negative integer")
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<u64, E> {
        Ok(number)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<u64, E> {
        u64::try_from(number).map_err(|_| E::invalid_value(Unexpected::Signed(number), &self))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<u64, E> {
        whole_number(number).ok_or_else(|| E::invalid_value(Unexpected::Float(number), &self))
    }
}

fn whole_number(number: f64) -> Option<u64> {
    let exact = (0.0..=MAX_EXACT).contains(&number) && number.fract() == 0.0;
    exact.then_some(number as u64)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{of_value, read, read_optional};

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
            assert_eq!(read(&mut deserializer).unwrap(), count, "{json}");
            let value = serde_json::from_str(json).unwrap();
            assert_eq!(of_value(&value), Some(count), "{json}");
        }
        assert_eq!(read_optional(json!(null)).unwrap(), None);
        assert_eq!(read_optional(json!(12.0)).unwrap(), Some(12));
    }

    #[test]
    fn rejects_values_that_are_not_counts() {
        for (json, found) in [
            (json!(-1), "invalid value: integer `-1`"),
            (json!(1.5), "invalid value: floating point `1.5`"),
            (json!(1e16), "invalid value: floating point `1e+16`"),
            (json!("12"), "invalid type: string \"12\""),
        ] {
            let expected = format!("{found}, expected a non-negative integer");
            assert_eq!(read(&json).unwrap_err().to_string(), expected);
            assert_eq!(of_value(&json), None);
        }
    }
}
