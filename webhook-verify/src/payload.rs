//! The payload of an authentic delivery as JSON, and the kind that it names itself.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use core::error::Error;
use core::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};

use crate::{EventKind, KindError, Verified};

/// Why an authentic payload is not what the receiver expects.
///
/// Answer 2xx all the same: the service did its part, and ten failed
/// deliveries in a row turn the webhook off. The text quotes nothing of the
/// payload; [`Error::source`] may, since it is `serde_json`'s.
#[derive(Debug)]
pub struct PayloadError {
    reason: Box<serde_json::Error>,
}

impl<B: AsRef<[u8]>> Verified<B> {
    /// The body as JSON of the caller's type. The specification does not show
    /// the shape of payloads (section Events).
    ///
    /// # Errors
    ///
    /// [`PayloadError`] when the body is no JSON or does not fit `T`. The
    /// delivery is authentic all the same: answer 2xx.
    ///
    /// # Examples
    ///
    /// ```
    /// use webhook_verify::{PayloadError, Verified};
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Payload {
    ///     created_at: String,
    /// }
    ///
    /// fn created_at(delivery: &Verified<Vec<u8>>) -> Result<String, PayloadError> {
    ///     Ok(delivery.json::<Payload>()?.created_at)
    /// }
    /// ```
    pub fn json<'a, T: Deserialize<'a>>(&'a self) -> Result<T, PayloadError> {
        serde_json::from_slice(self.body()).map_err(|reason| PayloadError {
            reason: Box::new(reason),
        })
    }

    /// The header's kind, if the payload is a JSON object whose `field` names the same one.
    ///
    /// The header is not covered by the signature and the payload is, so this
    /// is how to act on a kind safely. Give the field that the service writes
    /// the kind into; the specification does not show its name.
    ///
    /// # Errors
    ///
    /// [`KindError`] when the header names no kind or another one than the
    /// field, and when the field is missing, repeated or no string. Do not act
    /// on the header then, and answer 2xx.
    ///
    /// # Examples
    ///
    /// ```
    /// use webhook_verify::{EventKind, Headers, Secret, Verifier, sign};
    ///
    /// let secret = Secret::new("It's a Secret to Everybody")?;
    /// let body = r#"{"type": "post.liked"}"#;
    /// let signature = sign(&secret, body);
    /// let headers = Headers::from_values([signature.as_bytes()], [&b"post.liked"[..]]);
    ///
    /// let verified = Verifier::new(secret).verify(headers, body)?;
    /// assert_eq!(verified.confirm_kind_in("type"), Ok(EventKind::PostLiked));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn confirm_kind_in(&self, field: &str) -> Result<EventKind, KindError> {
        let mut json = serde_json::Deserializer::from_slice(self.body());
        let named = (&mut json)
            .deserialize_map(Field(field))
            .and_then(|named| json.end().map(|()| named))
            .map_err(|_| KindError::NoField)?;
        self.confirm_kind(&named)
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
