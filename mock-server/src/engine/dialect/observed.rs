//! The settings with status codes and names that were observed at a running service. They are empty by
//! default, and take precedence over the other settings.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use http::HeaderName;
use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize};

use crate::engine::problems::ProblemKind;

/// The status codes, codes and messages of rejections.
///
/// As JSON it is an object with an object for each code of the mock, such as
/// `{"unknown_field": {"status": 400, "code": "E17", "message": "invalid request"}}`. All three
/// fields are optional; the status is 400 to 599. Verdicts and the journal show the code of the mock.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Rejections(#[serde(deserialize_with = "by_code")] BTreeMap<String, ObservedRejection>);

/// The response to a rejection, as far as it was observed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(in crate::engine) struct ObservedRejection {
    #[serde(deserialize_with = "error_status")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::engine) status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::engine) code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::engine) message: Option<String>,
}

impl Rejections {
    /// Returns the response to the rejection with this code of the mock.
    pub(in crate::engine) fn get(&self, code: &str) -> Option<&ObservedRejection> {
        self.0.get(code)
    }
}

/// The status codes of successful writes.
///
/// As JSON it is an object with the optional fields `created`, `edited` and `deleted`, each 200 to
/// 299. A response with 204 or 205 has no body.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WriteStatuses {
    #[serde(deserialize_with = "success_status")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::engine) created: Option<u16>,
    #[serde(deserialize_with = "success_status")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::engine) edited: Option<u16>,
    #[serde(deserialize_with = "success_status")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::engine) deleted: Option<u16>,
}

/// The names of the headers about the rate limit.
///
/// As JSON it is an object with the optional fields `limit`, `remaining` and `reset`. A header
/// without a name is not sent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RateLimitHeaderNames {
    #[serde(deserialize_with = "header_name")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::engine) limit: Option<String>,
    #[serde(deserialize_with = "header_name")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::engine) remaining: Option<String>,
    #[serde(deserialize_with = "header_name")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::engine) reset: Option<String>,
}

fn by_code<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, ObservedRejection>, D::Error> {
    let mut rejections: BTreeMap<String, ObservedRejection> = BTreeMap::deserialize(deserializer)?;
    // Older files have one code for both.
    if let Some(observed) = rejections.remove("key_invalid") {
        for code in ["malformed_authorization", "unknown_key"] {
            let new = rejections.entry(code.to_owned());
            new.or_insert_with(|| observed.clone());
        }
    }
    let is_unknown = |code: &&String| ProblemKind::rejections().all(|known| known != **code);
    match rejections.keys().find(is_unknown) {
        Some(code) => {
            let known: Vec<_> = ProblemKind::rejections().collect();
            let known = known.join(", ");
            Err(D::Error::custom(format!(
                "unknown rejection `{code}`; expected one of {known}"
            )))
        }
        None => Ok(rejections),
    }
}

fn error_status<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u16>, D::Error> {
    status(deserializer, 400..=599)
}

fn success_status<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u16>, D::Error> {
    status(deserializer, 200..=299)
}

fn status<'de, D: Deserializer<'de>>(
    deserializer: D,
    expected: RangeInclusive<u16>,
) -> Result<Option<u16>, D::Error> {
    let status = u16::deserialize(deserializer)?;
    if expected.contains(&status) {
        return Ok(Some(status));
    }
    let (min, max) = (expected.start(), expected.end());
    Err(D::Error::custom(format!(
        "found {status}; expected a status code from {min} to {max}"
    )))
}

fn header_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let name = String::deserialize(deserializer)?;
    match HeaderName::from_bytes(name.as_bytes()) {
        Ok(name) => Ok(Some(name.as_str().to_owned())),
        Err(_) => Err(D::Error::custom(format!(
            "found {name:?}; expected the name of a header, such as X-RateLimit-Limit"
        ))),
    }
}
