//! Reads JSON that most parsers reject, so that a value that cannot be read hides only itself, and counts in any
//! notation.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::OnceLock;

use bytes::Bytes;
use serde_json::value::RawValue;
use serde_json::{Number, Value};

/// The maximum depth of arrays and objects, below that of `serde_json`, 128.
const MAX_DEPTH: usize = 100;

/// The largest number below which a floating-point number represents every integer: 2^53.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

/// Parses JSON of a response, after [`readable_json`]. Arrays and objects below `max_depth` levels also
/// become strings.
pub(crate) fn parse(json: &[u8], max_depth: usize) -> serde_json::Result<Value> {
    let text = readable_json(json);
    let quoted = quote_unreadable(&text, max_depth);
    serde_json::from_str(quoted.as_deref().unwrap_or(&text))
}

/// The body of a response, with its JSON text after [`readable_json`], which is created once: `None` if that is the
/// body as received.
#[derive(Clone, Default)]
pub(crate) struct Body {
    pub(crate) bytes: Bytes,
    pub(crate) json: OnceLock<Option<String>>,
}

impl Body {
    pub(crate) fn new(bytes: impl Into<Bytes>) -> Self {
        Self {
            bytes: bytes.into(),
            ..Self::default()
        }
    }

    /// Returns the text, after [`readable_json`].
    pub(crate) fn json(&self) -> &str {
        let replaced = || {
            let readable = readable_json(&self.bytes);
            (readable.as_bytes() != self.bytes).then(|| readable.into_owned())
        };
        match self.json.get_or_init(replaced) {
            Some(text) => text,
            None => std::str::from_utf8(&self.bytes).unwrap_or_default(),
        }
    }

    /// Returns the part of the text that is the field `data`.
    pub(crate) fn data(&self) -> Result<&str, String> {
        let fields: BTreeMap<String, &RawValue> =
            serde_json::from_str(self.json()).map_err(|error| match error.is_data() {
                true => "the response is not a JSON object with the field `data`".to_owned(),
                false => format!("the response is not valid JSON ({error})"),
            })?;
        let data = fields.get("data").map(|data| data.get());
        data.ok_or_else(|| "the response has no field `data`".to_owned())
    }
}

/// Replaces what JSON parsers reject in a response, as all calls do before they decode it.
///
/// Removes a byte order mark. Lone surrogates (services that cut texts by UTF-16 units write such halves of
/// an emoji) and bytes that are not UTF-8 become U+FFFD. Some values become strings of their JSON text:
///
/// - numbers beyond the range of a floating-point number,
/// - arrays and objects below the 100th level of nesting,
/// - integers beyond 64 bits in fields named `id`.
///
/// `NaN`, `Infinity` and `-Infinity` become null. The rest is unchanged, and may be invalid.
///
/// ```
/// let json = profile_sdk::internal::readable_json(br#"{"bio": "Ada \ud83d", "views": 1e999}"#);
/// assert_eq!(json, r#"{"bio": "Ada \ufffd", "views": "1e999"}"#);
/// ```
#[must_use]
pub fn readable_json(json: &[u8]) -> Cow<'_, str> {
    let mut text = String::from_utf8_lossy(without_mark(json));
    let whole = without_halves(&text);
    text = whole.map_or(text, Cow::Owned);
    let quoted = quote_unreadable(&text, MAX_DEPTH);
    quoted.map_or(text, Cow::Owned)
}

/// Removes the byte order mark that some services send.
pub(crate) fn without_mark(body: &[u8]) -> &[u8] {
    body.strip_prefix("\u{feff}".as_bytes()).unwrap_or(body)
}

/// Replaces escaped halves of surrogate pairs with U+FFFD. The length stays the same. Returns `None` if
/// there are none.
fn without_halves(text: &str) -> Option<String> {
    let unit = |start: usize| {
        let digits = text.get(start..start + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let mut whole = None;
    let mut position = 0;
    while let Some(found) = text[position..].find('\\') {
        position += found;
        position += match (unit(position), unit(position + 6)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                let whole = whole.get_or_insert_with(|| text.to_owned());
                whole.replace_range(position..position + 6, "\\ufffd");
                6
            }
            (Some(_), _) => 6,
            (None, _) => 1 + usize::from(text[position + 1..].starts_with('\\')),
        };
    }
    whole
}

/// Turns values that `serde_json` rejects or would change into strings of their JSON text, and those that are not
/// numbers into null. Returns `None` if there are none.
fn quote_unreadable(text: &str, max_depth: usize) -> Option<String> {
    let (mut quoted, mut kept) = (String::new(), 0);
    let (mut deep, mut is_id) = (None, false);
    for token in json_tokens(text) {
        let end = token.start + token.text.len();
        let is_no_number = matches!(token.text, "NaN" | "Infinity" | "-Infinity");
        let replaced = match token.text {
            _ if token.depth <= max_depth => {
                (is_no_number || is_unreadable(token.text, is_id)).then_some(token.start)
            }
            "[" | "{" if token.depth == max_depth + 1 => {
                deep = Some(token.start);
                None
            }
            "]" | "}" if token.depth == max_depth + 1 => deep.take(),
            _ => None,
        };
        if let Some(start) = replaced {
            quoted += &text[kept..start];
            let unreadable = Some(&text[start..end]).filter(|_| !is_no_number);
            quoted += &Value::from(unreadable).to_string();
            kept = end;
        }
        is_id = token.text == "\"id\"" || (is_id && token.text == ":");
    }
    (kept > 0).then(|| quoted + &text[kept..])
}

/// Returns `true` for a number beyond the range of a floating-point number, and for an integer beyond 64
/// bits that is an identifier, because a floating-point number could be a different one.
fn is_unreadable(number: &str, is_id: bool) -> bool {
    let is_integer = !number.contains(['.', 'e', 'E']);
    let is_exact = number.parse::<u64>().is_ok() || number.parse::<i64>().is_ok();
    let parsed = number.parse::<f64>().ok();
    let parsed = parsed.filter(|_| number.ends_with(|c: char| c.is_ascii_digit()));
    parsed.is_some_and(|parsed| parsed.is_infinite() || (is_id && is_integer && !is_exact))
}

/// A token of a JSON text: a string with its quotation marks, another value, or a punctuation mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct JsonToken<'a> {
    /// The text of the token.
    pub text: &'a str,
    /// The number of arrays and objects that the token is in. A bracket is in its array or object.
    pub depth: usize,
    /// The position in the JSON text.
    start: usize,
}

/// Splits a JSON text into its tokens, with their nesting depth. White space is omitted.
///
/// ```
/// let tokens = profile_sdk::internal::json_tokens(r#"{"id": [1.50]}"#);
/// let tokens: Vec<_> = tokens.map(|token| (token.text, token.depth)).collect();
/// let id = [("\"id\"", 1), (":", 1), ("[", 2), ("1.50", 2), ("]", 2)];
/// assert_eq!(tokens, [&[("{", 1)], &id[..], &[("}", 1)]].concat());
/// ```
pub fn json_tokens(json: &str) -> impl Iterator<Item = JsonToken<'_>> {
    let (mut end, mut depth) = (0, 0_usize);
    std::iter::from_fn(move || {
        let rest = json[end..].trim_ascii_start();
        let first = rest.chars().next()?;
        let is_punctuation = |c| matches!(c, '{' | '}' | '[' | ']' | ',' | ':');
        let length = match first {
            '"' => string_length(rest),
            first if is_punctuation(first) => 1,
            _ => rest
                .find(|c: char| is_punctuation(c) || c == '"' || c.is_ascii_whitespace())
                .unwrap_or(rest.len()),
        };
        let start = json.len() - rest.len();
        end = start + length;
        depth += usize::from(matches!(first, '{' | '['));
        let token = JsonToken {
            text: &rest[..length],
            depth,
            start,
        };
        depth = depth.saturating_sub(usize::from(matches!(first, '}' | ']')));
        Some(token)
    })
}

fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    let end = text[1..].find(|c: char| {
        let is_end = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_end
    });
    end.map_or(text.len(), |end| end + 2)
}

/// Returns the count in a value, if it is one.
pub(crate) fn count_of(value: &Value) -> Option<u64> {
    whole_number(value.as_number()?)
}

/// Returns a number as a count, if it is one. `12` and `12.0` are the same number.
pub(crate) fn whole_number(number: &Number) -> Option<u64> {
    number.as_u64().or_else(|| {
        let number = number.as_f64()?;
        let is_exact = (0.0..=MAX_EXACT).contains(&number) && number.fract() == 0.0;
        is_exact.then_some(number as u64)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{MAX_DEPTH, parse, readable_json};

    #[test]
    fn replaces_halves_of_emoji() {
        for (json, readable) in [
            (r#""\ud83d""#, r#""\ufffd""#),
            (r#""\uDE00 \uD83D""#, r#""\ufffd \ufffd""#),
            (r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
            (r#""\ud83d\u0041\n""#, r#""\ufffd\u0041\n""#),
            (r#""\\ud83d \\\ud83d""#, r#""\\ud83d \\\ufffd""#),
            (r#"{"\ud83d":1}"#, r#"{"\ufffd":1}"#),
            (r#""\ud83d\ude00 \u00e9""#, r#""\ud83d\ude00 \u00e9""#),
            (r#""\é \u12 \"#, r#""\é \u12 \"#),
            ("\u{feff}1", "1"),
        ] {
            assert_eq!(readable_json(json.as_bytes()), readable);
        }
        assert_eq!(readable_json(b"\"a\xf0\x9f\""), "\"a\u{fffd}\"");
        assert_eq!(
            parse(br#"{"a": "\ud83d"}"#, MAX_DEPTH).unwrap(),
            json!({"a": "\u{fffd}"})
        );
    }

    #[test]
    fn keeps_every_digit_of_ids() {
        for (text, value) in [
            ("18446744073709551615", json!(u64::MAX)),
            ("-3", json!(-3)),
            ("18446744073709551616", json!("18446744073709551616")),
            ("-98765432109876543210", json!("-98765432109876543210")),
            ("1e30", json!(1e30)),
            ("1.50", json!(1.5)),
            (r#""7""#, json!("7")),
            ("null", json!(null)),
            (r#"{"id":1.5}"#, json!({"id": 1.5})),
        ] {
            let body = format!(r#"[{{"id": {text} , "n": 1.5}}]"#);
            let expected = json!([{"id": value, "n": 1.5}]);
            assert_eq!(
                parse(body.as_bytes(), MAX_DEPTH).unwrap(),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn keeps_values_that_serde_json_rejects() {
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        for text in ["1e999", "-1e400", &deep] {
            let body = format!(r#"{{"a":{text},"b":[1,{{"c":2}}]}}"#);
            let read = parse(body.as_bytes(), MAX_DEPTH).unwrap();
            assert_eq!(read["b"], json!([1, {"c": 2}]));
            let mut kept = &read["a"];
            while let Some(elements) = kept.as_array() {
                kept = &elements[0];
            }
            assert!(text.contains(kept.as_str().unwrap()));
        }
        let nested = "[".repeat(MAX_DEPTH) + &"]".repeat(MAX_DEPTH);
        let expected: Value = serde_json::from_str(&nested).unwrap();
        assert_eq!(parse(nested.as_bytes(), MAX_DEPTH).unwrap(), expected);
    }

    #[test]
    fn parses_everything_else_like_serde_json() {
        for text in [
            r#" {"a":[true,null,"é\n",-1,2.5,1e300,{}],"a":2,"id":"x"} "#,
            "18446744073709551616",
            "",
            "[1,",
            "[1] 2",
            "{\"id\"",
            "{\"a\" 1}",
        ] {
            let read = parse(text.as_bytes(), MAX_DEPTH);
            let expected = serde_json::from_str::<Value>(text);
            assert_eq!(read.ok(), expected.ok(), "{text}");
        }
    }
}
