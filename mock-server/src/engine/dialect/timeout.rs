//! The JSON form of a timeout: a number of seconds greater than 0, with or without a fraction.

use std::time::Duration;

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::Serializer;

pub(super) fn serialize<S: Serializer>(
    timeout: &Duration,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match timeout.subsec_nanos() {
        0 => serializer.serialize_u64(timeout.as_secs()),
        _ => serializer.serialize_f64(timeout.as_secs_f64()),
    }
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Duration, D::Error> {
    let seconds = f64::deserialize(deserializer)?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(timeout) if !timeout.is_zero() => Ok(timeout),
        _ => Err(D::Error::custom(format!(
            "found {seconds}; expected a number of seconds, at least 0.000000001 and less than \
             18446744073709551616"
        ))),
    }
}
