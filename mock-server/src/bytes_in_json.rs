//! How bytes that need not be text stand in JSON: as a string where they are UTF-8, and otherwise as
//! `{"base64": "…"}`. Written for serde's `with`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Bytes that stand in JSON so.
#[derive(Serialize, Deserialize)]
pub(crate) struct BytesInJson(#[serde(with = "self")] pub(crate) Vec<u8>);

pub(crate) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    match std::str::from_utf8(bytes) {
        Ok(text) => serializer.serialize_str(text),
        Err(_) => {
            let base64 = STANDARD.encode(bytes);
            Form::Encoded { base64 }.serialize(serializer)
        }
    }
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    match Form::deserialize(deserializer)? {
        Form::Text(text) => Ok(text.into_bytes()),
        Form::Encoded { base64 } => STANDARD.decode(base64).map_err(D::Error::custom),
    }
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Form {
    Text(String),
    Encoded { base64: String },
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Holder(#[serde(with = "super")] Vec<u8>);

    #[test]
    fn bytes_come_back_as_they_went() {
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
