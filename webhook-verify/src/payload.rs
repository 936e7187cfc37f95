//! The payload of an authentic delivery as JSON, and the kind that it names itself.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use core::error::Error;
use core::fmt;

use serde::de::{Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};

/// Why an authentic payload is not what the receiver expects.
///
/// Answer 2xx all the same: the service did its part, and ten failed
/// deliveries in a row turn the webhook off. The text quotes nothing of the
/// payload; [`Error::source`] may, since it is `serde_json`'s.
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
        let misfit = match self.reason.is_data() {
            true => "does not fit the receiver's type",
            false => "is not JSON",
        };
        write!(
            f,
            "the payload is authentic and {misfit}, at line {} column {}; \
             answer 2xx, and read the body as it came",
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

/// Returns the text of the field of this name in a JSON object.
pub(crate) fn text_of_field(body: &[u8], name: &str) -> serde_json::Result<String> {
    let mut json = serde_json::Deserializer::from_slice(body);
    let text = (&mut json).deserialize_map(Field(name))?;
    json.end()?;
    Ok(text)
}

/// Looks for a field of an object that stands there once.
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
                return Err(A::Error::custom("the field is repeated"));
            }
        }
        found.ok_or_else(|| A::Error::custom("the field is missing"))
    }
}
