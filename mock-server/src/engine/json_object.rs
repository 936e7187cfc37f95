//! Writes the JSON objects of resources. A closure writes the fields of an object in their order.

use serde::Serialize;

/// A JSON object under construction.
///
/// `serde_json` examines strings byte by byte, so that handling `GET /me` would take a third longer.
pub(crate) struct Object<'a> {
    json: &'a mut Vec<u8>,
    is_empty: bool,
}

/// Returns the object with these fields as JSON.
pub(crate) fn to_json(fields: impl FnOnce(&mut Object<'_>)) -> Vec<u8> {
    // Enough for most objects.
    let mut json = Vec::with_capacity(4096);
    write_object(&mut json, fields);
    // The journal keeps it.
    json.shrink_to_fit();
    json
}

fn write_object(json: &mut Vec<u8>, fields: impl FnOnce(&mut Object<'_>)) {
    json.push(b'{');
    let is_empty = true;
    fields(&mut Object { json, is_empty });
    json.push(b'}');
}

impl Object<'_> {
    #[inline]
    pub(crate) fn string(&mut self, name: &'static str, text: &str) {
        self.name(name);
        write_string(self.json, text);
    }

    pub(crate) fn object(&mut self, name: &'static str, fields: impl FnOnce(&mut Object<'_>)) {
        self.name(name);
        write_object(self.json, fields);
    }

    /// Writes an array of objects; `fields` writes the fields of an item.
    pub(crate) fn array<T>(
        &mut self,
        name: &'static str,
        items: impl Iterator<Item = T>,
        fields: impl Fn(&mut Object<'_>, T),
    ) {
        self.name(name);
        self.json.push(b'[');
        for (index, item) in items.enumerate() {
            if index > 0 {
                self.json.push(b',');
            }
            write_object(self.json, |object| fields(object, item));
        }
        self.json.push(b']');
    }

    pub(crate) fn value(&mut self, name: &'static str, value: &impl Serialize) {
        self.name(name);
        serde_json::to_writer(&mut *self.json, value).expect("the values have a JSON form");
    }

    // Inlined, since the length of the name is known there.
    #[inline]
    fn name(&mut self, name: &'static str) {
        if !self.is_empty {
            self.json.push(b',');
        }
        self.is_empty = false;
        self.json.push(b'"');
        self.json.extend_from_slice(name.as_bytes());
        self.json.extend_from_slice(b"\":");
    }
}

fn write_string(json: &mut Vec<u8>, text: &str) {
    if has_escaped(text.as_bytes()) {
        serde_json::to_writer(json, text).expect("a string has a JSON form");
        return;
    }
    json.reserve(text.len() + 2);
    json.push(b'"');
    json.extend_from_slice(text.as_bytes());
    json.push(b'"');
}

/// Returns `true` if a byte must be escaped. The bytes of a block are examined at once.
fn has_escaped(text: &[u8]) -> bool {
    let or_byte = |any, byte: &u8| any | is_escaped(*byte);
    let or_block = |any, block: &[u8; 8]| any | block.iter().fold(false, or_byte);
    match text.last_chunk() {
        None => text.iter().fold(false, or_byte),
        // The last block may overlap the one before.
        Some(last) => (text.as_chunks().0.iter()).fold(or_block(false, last), or_block),
    }
}

fn is_escaped(byte: u8) -> bool {
    byte < b' ' || byte == b'"' || byte == b'\\'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested(texts: &[String]) -> Vec<u8> {
        to_json(|object| {
            object.array("all", texts.iter(), |object, text| {
                object.string("text", text)
            });
            object.value("number", &7);
            object.object("empty", |_| {});
        })
    }

    #[test]
    fn escapes_a_character_at_every_position() {
        for length in 1..=20 {
            for position in 0..length {
                let mut text = "a".repeat(length);
                text.replace_range(position..=position, "\"");
                let expected = format!(r#"{{"text":{}}}"#, serde_json::json!(text));
                assert_eq!(
                    String::from_utf8(to_json(|object| object.string("text", &text))).unwrap(),
                    expected
                );
            }
        }
    }

    #[test]
    fn writes_every_character_as_serde_json_does() {
        let characters = ('\0'..='\u{ff}').chain("…😀\u{2028}".chars());
        let texts: Vec<_> = characters
            .flat_map(|one| {
                [
                    one.to_string(),
                    format!("a long text before {one} and after"),
                ]
            })
            .chain([String::new()])
            .collect();
        let read: serde_json::Value = serde_json::from_slice(&nested(&texts)).unwrap();
        let all: Vec<_> = texts
            .iter()
            .map(|text| serde_json::json!({"text": text}))
            .collect();
        assert_eq!(
            read,
            serde_json::json!({"all": all, "number": 7, "empty": {}})
        );
        let json = nested(&["a".to_owned(), "\n".to_owned()]);
        let expected = r#"{"all":[{"text":"a"},{"text":"\n"}],"number":7,"empty":{}}"#;
        assert_eq!(String::from_utf8(json).unwrap(), expected);
    }
}
