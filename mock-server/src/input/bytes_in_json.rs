//! Serializes bytes as a JSON string if they are UTF-8, and otherwise as `{"base64": "…"}`. For
//! serde's `with`.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Bytes with this JSON form.
#[derive(Serialize, Deserialize)]
pub(crate) struct BytesInJson(#[serde(with = "self")] pub(crate) Vec<u8>);

pub(crate) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    match std::str::from_utf8(bytes) {
        Ok(text) => serializer.serialize_str(text),
        Err(_) => {
            let base64 = STANDARD.encode(bytes);
            Encoded { base64 }.serialize(serializer)
        }
    }
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    deserializer.deserialize_any(TextOrBase64)
}

/// The JSON form of bytes that are not UTF-8.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Encoded {
    base64: String,
}

struct TextOrBase64;

impl<'de> Visitor<'de> for TextOrBase64 {
    type Value = Vec<u8>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(r#"a string or {"base64": "…"}"#)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Vec<u8>, E> {
        Ok(text.as_bytes().to_vec())
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Vec<u8>, A::Error> {
        let Encoded { base64 } = Encoded::deserialize(MapAccessDeserializer::new(map))?;
        STANDARD
            .decode(base64)
            .map_err(|_| A::Error::custom("not valid base64; expected padded base64 such as aGk="))
    }
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Holder(#[serde(with = "super")] Vec<u8>);

    #[test]
    fn bytes_survive_serialization() {
        for (bytes, json) in [
            (&b""[..], r#""""#),
            ("é\n".as_bytes(), r#""é\n""#),
            (b"\xff\x00", r#"{"base64":"/wA="}"#),
        ] {
            let holder = Holder(bytes.to_vec());
            assert_eq!(serde_json::to_string(&holder).unwrap(), json);
            assert_eq!(serde_json::from_str::<Holder>(json).unwrap(), holder);
        }
    }
}
