//! Makes text from the service safe to print.

use std::borrow::Cow;
use std::env;
use std::ffi::OsStr;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use anstyle_parse::{DefaultCharAccumulator, Parser, Perform};
use profile_sdk::{ApiKey, ProfileField, with_visibility};
use serde_json::Value;

use super::safe_url::hide_user;

/// The keys of the environment and of clients. A webhook secret is redacted like a key.
static SECRETS: LazyLock<Mutex<Vec<ApiKey>>> = LazyLock::new(|| {
    let text = |name| env::var(name).ok();
    let key = text("PROFILE_API_KEY").and_then(|key| as_key(&key));
    let secret = text("PROFILE_WEBHOOK_SECRET").and_then(|secret| secret_as_key(&secret));
    Mutex::new(key.into_iter().chain(secret).collect())
});

fn as_key(text: &str) -> Option<ApiKey> {
    ApiKey::new(text.trim_start_matches('\u{feff}').trim()).ok()
}

fn secret_as_key(secret: &str) -> Option<ApiKey> {
    as_key(secret).filter(|_| secret.len() >= SHORTEST)
}

/// The minimum length of what may be a key or a webhook secret. Shorter ones would occur in messages.
const SHORTEST: usize = 12;

const REDACTED: &str = "[redacted]";

/// Unicode's line separator and paragraph separator.
const LINE_BREAKS: [char; 2] = ['\u{2028}', '\u{2029}'];

/// Returns the keys that are redacted in everything that is printed from now on.
pub(crate) fn secrets() -> MutexGuard<'static, Vec<ApiKey>> {
    SECRETS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Adds a key to them.
pub(crate) fn add_secret(key: &ApiKey) {
    let mut secrets = secrets();
    // Each one costs a search of every text.
    if !secrets.contains(key) {
        secrets.push(key.clone());
    }
}

/// Adds a webhook secret to them.
#[cfg(feature = "webhook")]
pub(crate) fn add_webhook_secret(secret: &[u8]) {
    secret_as_key(&String::from_utf8_lossy(secret))
        .iter()
        .for_each(add_secret);
}

/// Adds an argument to them if [`argument`] does not show it.
pub(crate) fn redact_misplaced(word: &[u8]) {
    if argument(word) == REDACTED {
        as_key(&String::from_utf8_lossy(word))
            .iter()
            .for_each(add_secret);
    }
}

/// Redacts the keys, which a service may echo, and which may be misplaced arguments.
pub(crate) fn redact_key(text: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    for key in secrets().iter() {
        if let Cow::Owned(redacted) = key.redact_in(&text) {
            text = Cow::Owned(redacted);
        }
    }
    text
}

/// Redacts the key in the string values of a document that the program built: its names and syntax are the
/// program's.
pub(crate) fn redact_values(document: &mut Value) {
    match document {
        Value::String(text) => *text = redact_key(text).into_owned(),
        Value::Array(values) => values.iter_mut().for_each(redact_values),
        Value::Object(fields) => fields.values_mut().for_each(redact_values),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Removes escape sequences and control characters, except line breaks and tabs.
///
/// Characters that reorder text and invisible characters are removed too, since they can make one
/// text look like another. The key is redacted.
pub(crate) fn printable(text: &str) -> String {
    let text = without_escape_sequences(text)
        .replace("\r\n", "\n")
        .replace(LINE_BREAKS, "\n");
    let text: String = visible(&text)
        .filter(|&c| matches!(c, '\n' | '\t') || !c.is_control())
        .collect();
    redact_key(&text).into_owned()
}

/// Returns the text as a TSV field. Backslashes, tabs and line breaks are escaped, and the key is
/// redacted.
pub(crate) fn tsv_field(text: &str) -> String {
    let mut field = String::with_capacity(text.len());
    let text = without_escape_sequences(text);
    let text: String = visible(&text).filter(is_kept).collect();
    for c in redact_key(&text).chars() {
        match c {
            '\\' => field.push_str("\\\\"),
            '\t' => field.push_str("\\t"),
            '\r' => field.push_str("\\r"),
            c if c == '\n' || LINE_BREAKS.contains(&c) => field.push_str("\\n"),
            c => field.push(c),
        }
    }
    field
}

/// Returns the text as a CSV field, which the writer quotes: off a terminal, with all characters but
/// escape sequences and control characters. The key is redacted.
pub(crate) fn csv_field(text: &str, is_terminal: bool) -> String {
    if is_terminal {
        return printable(text);
    }
    let text = without_escape_sequences(text);
    let text: String = text.chars().filter(is_kept).collect();
    redact_key(&text).into_owned()
}

/// Returns `false` for control characters other than tabs and line breaks.
fn is_kept(c: &char) -> bool {
    matches!(c, '\t' | '\r' | '\n') || !c.is_control()
}

/// Escapes characters in JSON that could control a terminal or reorder its text, and invisible ones on a
/// terminal. They occur only in strings; JSON itself requires escapes only below U+0020. The key must
/// have been redacted.
pub(crate) fn json_text(json: &str, is_terminal: bool) -> Cow<'_, str> {
    let is_control =
        |c: char| matches!(c, '\u{7f}'..='\u{9f}') || reorders(c) || LINE_BREAKS.contains(&c);
    if !json.contains(|c: char| is_control(c) || (is_terminal && !c.is_ascii())) {
        return Cow::Borrowed(json);
    }
    let mut text = String::with_capacity(json.len() + 16);
    for (c, is_visible) in with_visibility(json) {
        match is_control(c) || (is_terminal && !is_visible) {
            true => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    text += &format!("\\u{unit:04x}");
                }
            }
            false => text.push(c),
        }
    }
    Cow::Owned(text)
}

/// Returns a path or another text of the user for a message. Characters that would not be seen, spaces other
/// than U+0020, and bytes that are not UTF-8 are escaped. The user name and password of a URL are hidden.
pub(crate) fn escaped(text: &(impl AsRef<OsStr> + ?Sized)) -> String {
    escaped_bytes(text.as_ref().as_encoded_bytes())
}

/// Returns an argument or a value for a message, unless it may be an API key that was passed by mistake: names
/// such as `default_output` and `work_account_2` are shown, and misspelled profile fields.
pub(crate) fn argument(bytes: &[u8]) -> String {
    const LONGEST_WORD: usize = 12;
    const LONGEST_NUMBER: usize = 3;
    let is_token = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.~+=".contains(byte);
    let is_random = |byte: &u8| byte.is_ascii_digit() || *byte == b'_';
    let text = str::from_utf8(bytes).unwrap_or_default();
    let text = text.trim_start_matches('-');
    let is_word = |part: &str| match part.parse::<u64>() {
        Ok(_) => part.len() <= LONGEST_NUMBER,
        Err(_) => part.len() <= LONGEST_WORD && part.bytes().all(|byte| byte.is_ascii_alphabetic()),
    };
    let is_field = |field: &ProfileField| strsim::osa_distance(field.name(), text) <= 2;
    let may_be_key = text.len() >= SHORTEST
        && bytes.iter().all(is_token)
        && bytes.iter().any(is_random)
        && !text.split(['_', '-', '.', '=']).all(is_word)
        && !ProfileField::ALL.iter().any(is_field);
    match may_be_key {
        true => REDACTED.to_owned(),
        false => escaped_bytes(bytes),
    }
}

fn escaped_bytes(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let is_path = text.starts_with('.') || (text.starts_with('/') && !text.starts_with("//"));
    let user = text.rfind('@').or_else(|| text.rfind("%40"));
    let has_user = !is_path && text[..user.unwrap_or_default()].contains(':');
    let hidden = has_user.then(|| hide_user(&text));
    let bytes = hidden.as_deref().map_or(bytes, str::as_bytes);
    let mut shown = String::new();
    for chunk in bytes.utf8_chunks() {
        for (c, is_visible) in with_visibility(chunk.valid()) {
            match is_visible && !c.is_control() && (c == ' ' || !c.is_whitespace()) {
                true => shown.push(c),
                false => shown.extend(c.escape_default()),
            }
        }
        for byte in chunk.invalid() {
            shown += &format!("\\x{byte:02x}");
        }
    }
    shown
}

/// Removes escape sequences. As on a terminal, an unterminated sequence extends to the end of the
/// text.
fn without_escape_sequences(text: &str) -> String {
    let mut kept = PlainText(String::with_capacity(text.len()));
    let mut parser = Parser::<DefaultCharAccumulator>::new();
    let mut advance = |bytes: &[u8]| {
        for &byte in bytes {
            parser.advance(&mut kept, byte);
        }
    };
    for c in text.chars() {
        match c {
            // The parser accepts C1 characters only as ESC and a second character.
            '\u{80}'..='\u{9f}' => advance(&[0x1b, c as u8 - 0x40]),
            _ => advance(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    kept.0
}

/// Collects the characters outside escape sequences.
struct PlainText(String);

impl Perform for PlainText {
    fn print(&mut self, c: char) {
        self.0.push(c);
    }

    fn execute(&mut self, byte: u8) {
        self.0.push(char::from(byte));
    }
}

/// Removes characters that reorder text, and invisible ones.
fn visible(text: &str) -> impl Iterator<Item = char> {
    let visible = with_visibility(text).filter(|(_, is_visible)| *is_visible);
    visible.map(|(c, _)| c)
}

fn reorders(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use crate::terminal::printable::{json_text, printable, tsv_field};

    #[test]
    fn removes_control_characters() {
        assert_eq!(printable("a\u{1b}[31mb\u{7}\u{9b}0mc\r\nd\te"), "abc\nd\te");
        assert_eq!(printable("a\u{202e}b"), "ab");
    }

    #[test]
    fn removes_escape_sequences() {
        for (text, expected) in [
            ("\u{1b}[38;2;1;2;3ma\u{1b}[?25l\u{1b}[10;20Hb", "ab"),
            ("a\u{1b}]0;title\u{7}b", "ab"),
            ("\u{9d}0;title\u{9c}a\u{85}b", "ab"),
            (
                "\u{1b}]8;;https://x\u{1b}\\text\u{1b}]8;;\u{1b}\\!",
                "text!",
            ),
            ("a\u{1b}P0q\u{1b}\\b\u{1b}_x\u{1b}\\c", "abc"),
            ("\u{1b}(Ba\u{1b}cb\u{1b}7c\u{1b}=d", "abcd"),
            ("a\u{1b}\u{1b}[31mb\u{1b}", "ab"),
            ("a\u{1b}[1\nb", "a\n"),
            ("[31m ünïcödé 日本\n", "[31m ünïcödé 日本\n"),
        ] {
            assert_eq!(printable(text), expected, "{text:?}");
        }
    }

    #[test]
    fn removes_invisible_characters() {
        assert_eq!(printable("a\u{200b}\u{feff}\u{e0041}b\u{2028}c"), "ab\nc");
        assert_eq!(tsv_field("a\u{200b}\u{feff}\u{e0041}b\u{2029}c"), "ab\\nc");
        for hidden in
            "\u{ad}\u{34f}\u{61c}\u{180e}\u{200e}\u{200f}\u{2060}\u{3164}\u{e0100}".chars()
        {
            let is_kept = hidden == '\u{e0100}';
            let expected = if is_kept { "a\u{e0100}b" } else { "ab" };
            assert_eq!(printable(&format!("a{hidden}b")), expected, "{hidden:?}");
            assert_eq!(tsv_field(&format!("a{hidden}b")), expected, "{hidden:?}");
        }
        let wales = "🏴\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}";
        for kept in ["👩\u{200d}🚀", "می\u{200c}خواهم", "☁\u{fe0f}", wales] {
            assert_eq!(printable(kept), kept);
        }
        assert_eq!(
            printable(&format!("{wales}a\u{e0067}")),
            format!("{wales}a")
        );
    }

    #[test]
    fn escaped_json_parses_to_the_same_value() {
        let text = "é 日\u{7f}\u{9b}31m\u{202e}\u{2066}\u{2028}";
        let json = serde_json::to_string(text).unwrap();
        let escaped = json_text(&json, false);
        assert_eq!(escaped, r#""é 日\u007f\u009b31m\u202e\u2066\u2028""#);
        assert_eq!(serde_json::from_str::<String>(&escaped).unwrap(), text);
    }

    #[test]
    fn escapes_tsv_fields() {
        assert_eq!(tsv_field("a\tb\r\nc\\n\u{1b}[1m\u{7}"), "a\\tb\\r\\nc\\\\n");
    }
}
