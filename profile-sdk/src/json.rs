//! Reads JSON that most parsers reject, so that a value that cannot be read hides only itself.

use std::borrow::Cow;

use serde_json::Value;
use serde_json::value::RawValue;

/// The maximum depth of arrays and objects. `serde_json` has the limit 128.
const MAX_DEPTH: usize = 100;

/// Parses JSON of a response, after [`readable_json`].
pub(crate) fn parse(json: &[u8]) -> serde_json::Result<Value> {
    serde_json::from_str(&readable_json(json))
}

/// Replaces what JSON parsers reject in a response, as all calls do before they decode it.
///
/// Removes a byte order mark. Half of an emoji, which services write that cut texts by UTF-16 units, and
/// bytes that are not UTF-8 become U+FFFD. Some values become strings of their JSON text: numbers beyond
/// the range of a floating-point number, arrays and objects that are nested too deeply, and integers
/// beyond 64 bits in fields named `id`. The rest is unchanged, and may be invalid.
///
/// ```
/// let json = profile_sdk::readable_json(br#"{"bio": "Ada \ud83d", "views": 1e999}"#);
/// assert_eq!(json, r#"{"bio": "Ada \ufffd", "views": "1e999"}"#);
/// ```
#[must_use]
pub fn readable_json(json: &[u8]) -> Cow<'_, str> {
    let mut text = String::from_utf8_lossy(without_mark(json));
    let whole = without_halves(&text);
    text = whole.map_or(text, Cow::Owned);
    let quoted = quote_unreadable(&text);
    quoted.map_or(text, Cow::Owned)
}

/// Removes the byte order mark that some services send.
pub(crate) fn without_mark(body: &[u8]) -> &[u8] {
    body.strip_prefix("\u{feff}".as_bytes()).unwrap_or(body)
}

/// Replaces escaped halves of surrogate pairs with U+FFFD. The length stays the same. Returns `None` if
/// there are none.
pub(crate) fn without_halves(text: &str) -> Option<String> {
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
            (None, _) => {
                1 + text[position + 1..]
                    .chars()
                    .next()
                    .map_or(0, char::len_utf8)
            }
        };
    }
    whole
}

/// Turns values that `serde_json` rejects or would change into strings of their JSON text. Returns `None`
/// if there are none.
fn quote_unreadable(text: &str) -> Option<String> {
    let (mut quoted, mut kept, mut position) = (String::new(), 0, 0);
    let (mut depth, mut is_id) = (0_usize, false);
    while let Some(first) = text[position..].chars().next() {
        let rest = &text[position..];
        let token = match first {
            '"' => &rest[..string_length(rest)],
            '-' | '0'..='9' => &rest[..number_length(rest)],
            '[' | '{' if depth == MAX_DEPTH => first_value(rest).unwrap_or(&rest[..1]),
            _ => &rest[..first.len_utf8()],
        };
        let is_unreadable = match first {
            '-' | '0'..='9' => is_unreadable(token, is_id),
            '[' | '{' => token.len() > 1,
            _ => false,
        };
        if is_unreadable {
            quoted += &text[kept..position];
            quoted += &Value::from(token).to_string();
            kept = position + token.len();
        }
        match token {
            "[" | "{" => depth += 1,
            "]" | "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        is_id = token == "\"id\"" || (is_id && (first == ':' || first.is_whitespace()));
        position += token.len();
    }
    (kept > 0).then(|| quoted + &text[kept..])
}

/// Returns `true` for a number beyond the range of a floating-point number, and for an integer beyond 64
/// bits that is an identifier, because a floating-point number could be a different one.
fn is_unreadable(number: &str, is_id: bool) -> bool {
    let is_integer = !number.contains(['.', 'e', 'E']);
    let is_exact = number.parse::<u64>().is_ok() || number.parse::<i64>().is_ok();
    number.parse().is_ok_and(f64::is_infinite) || (is_id && is_integer && !is_exact)
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

fn number_length(text: &str) -> usize {
    let end = text.find(|c: char| !matches!(c, '-' | '+' | '.' | 'e' | 'E' | '0'..='9'));
    end.unwrap_or(text.len())
}

/// Returns the text of the value at the start, if it is valid.
fn first_value(text: &str) -> Option<&str> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
    values.next()?.ok().map(RawValue::get)
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
            parse(br#"{"a": "\ud83d"}"#).unwrap(),
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
            assert_eq!(parse(body.as_bytes()).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn keeps_values_that_serde_json_rejects() {
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        for text in ["1e999", "-1e400", &deep] {
            let body = format!(r#"{{"a":{text},"b":[1,{{"c":2}}]}}"#);
            let read = parse(body.as_bytes()).unwrap();
            assert_eq!(read["b"], json!([1, {"c": 2}]));
            let mut kept = &read["a"];
            while let Some(elements) = kept.as_array() {
                kept = &elements[0];
            }
            assert!(text.contains(kept.as_str().unwrap()));
        }
        let nested = "[".repeat(MAX_DEPTH) + &"]".repeat(MAX_DEPTH);
        let expected: Value = serde_json::from_str(&nested).unwrap();
        assert_eq!(parse(nested.as_bytes()).unwrap(), expected);
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
            let (read, expected) = (parse(text.as_bytes()), serde_json::from_str::<Value>(text));
            assert_eq!(read.ok(), expected.ok(), "{text}");
        }
    }
}
