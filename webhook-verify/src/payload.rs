//! JSON payloads, and the event kind in a payload.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use core::error::Error;
use core::fmt;

use serde::de::{Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};

/// An error for an authentic payload that is not valid JSON or does not match the receiver's type.
///
/// Respond with 2xx nevertheless, because ten failed deliveries in a row turn the webhook off.
///
/// The message does not quote the payload, but [`Error::source`], the error of `serde_json`, may.
#[derive(Debug)]
pub struct PayloadError {
    reason: Box<serde_json::Error>,
}

impl PayloadError {
    pub(crate) fn new(reason: serde_json::Error) -> Self {
        Self {
            reason: Box::new(reason),
        }
    }
}

impl fmt::Display for PayloadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let problem = match self.reason.is_data() {
            true => "does not match the receiver's type",
            false => "is not valid JSON",
        };
        write!(
            f,
            "the delivery is authentic, but its payload {problem}, at line {} column {}; \
             respond with 2xx",
            self.reason.line(),
            self.reason.column()
        )
    }
}

impl Error for PayloadError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.reason)
    }
}

/// Returns the value of a string field of a JSON object.
pub(crate) fn string_field(body: &[u8], name: &str) -> serde_json::Result<String> {
    let mut json = serde_json::Deserializer::from_slice(body);
    let value = (&mut json).deserialize_map(Field(name))?;
    json.end()?;
    Ok(value)
}

/// Reads the string value of a field that must occur exactly once.
struct Field<'f>(&'f str);

impl<'de> Visitor<'de> for Field<'_> {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object with the field {}", self.0)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<String, A::Error> {
        let mut found = None;
        while let Some(name) = map.next_key::<Cow<'de, str>>()? {
            if name != self.0 {
                map.next_value::<IgnoredAny>()?;
            } else if found.replace(map.next_value()?).is_some() {
                return Err(A::Error::custom("duplicate field"));
            }
        }
        found.ok_or_else(|| A::Error::custom("missing field"))
    }
}
