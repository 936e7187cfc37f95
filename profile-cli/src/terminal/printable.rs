//! Makes texts of others safe to print, and redacts keys and webhook secrets in all output.

use std::borrow::Cow;
use std::env;
use std::ffi::OsStr;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use profile_sdk::{ApiKey, ProfileField, internal::with_visibility};
use serde_json::Value;

use super::safe_url::{SafeUrl, may_be_secret_url};

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

/// The minimum length of the start of a key that is redacted where a text is cut.
const SHORTEST_START: usize = 8;

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

/// Redacts the keys in a document, which a service may echo, and which may be misplaced arguments.
pub(crate) fn redact_key(text: &str) -> Cow<'_, str> {
    ApiKey::redact_all(&secrets(), text, usize::MAX)
}

/// Redacts the keys, and the starts that are left of them where a text was cut, or will be.
pub(crate) fn redact_cut(text: &str) -> Cow<'_, str> {
    ApiKey::redact_all(&secrets(), text, SHORTEST_START)
}

/// Redacts a body with one of these functions. Without a key, it stays as it is, even if it is not UTF-8.
pub(crate) fn redact_body(body: &[u8], redact: fn(&str) -> Cow<'_, str>) -> Vec<u8> {
    match redact(&String::from_utf8_lossy(body)) {
        Cow::Borrowed(_) => body.to_vec(),
        Cow::Owned(redacted) => redacted.into_bytes(),
    }
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

/// Makes a text of others printable, for messages, tables, cards and previews. It may have been cut before, and may
/// be cut afterwards.
///
/// Control characters except line breaks and tabs are removed, so what is left of an escape sequence is text.
/// Characters that reorder text and invisible characters are removed too, since they can make one text look like
/// another. Then no key is split, and keys are redacted.
pub(crate) fn printable(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace(LINE_BREAKS, "\n");
    let is_kept = |c: char| matches!(c, '\n' | '\t') || !c.is_control();
    let kept = with_visibility(&text).filter(|&(c, is_visible)| is_visible && is_kept(c));
    redact_cut(&kept.map(|(c, _)| c).collect::<String>()).into_owned()
}

/// Returns a text as a CSV field, which the writer quotes: redacted, and printable on a terminal.
pub(crate) fn csv_field(text: &str, is_terminal: bool) -> String {
    match is_terminal {
        true => printable(text),
        false => redact_key(text).into_owned(),
    }
}

/// Returns a text as a TSV field, with escaped backslashes, tabs and line breaks.
pub(crate) fn tsv_field(text: &str, is_terminal: bool) -> String {
    let field = csv_field(text, is_terminal).replace('\\', "\\\\");
    let field = field.replace('\t', "\\t").replace('\r', "\\r");
    field.replace('\n', "\\n")
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
    let hidden = may_be_secret_url(&text).then(|| SafeUrl::new(&*text).to_string());
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

fn reorders(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use profile_sdk::{ApiKey, internal::longest_start};

    use crate::terminal::printable::{
        add_secret, json_text, printable, redact_body, redact_cut, tsv_field,
    };

    #[test]
    fn removes_control_characters() {
        for (text, expected) in [
            ("a\u{1b}[31mb\u{7}\u{9b}0mc\r\nd\te", "a[31mb0mc\nd\te"),
            ("a\u{202e}b", "ab"),
            ("a\u{1b}]0;title", "a]0;title"),
            ("[31m ünïcödé 日本\n", "[31m ünïcödé 日本\n"),
        ] {
            assert_eq!(printable(text), expected, "{text:?}");
        }
    }

    #[test]
    fn removes_invisible_characters() {
        assert_eq!(printable("a\u{200b}\u{feff}\u{e0041}b\u{2028}c"), "ab\nc");
        for hidden in
            "\u{ad}\u{34f}\u{61c}\u{180e}\u{200e}\u{200f}\u{2060}\u{3164}\u{e0100}".chars()
        {
            let is_kept = hidden == '\u{e0100}';
            let expected = if is_kept { "a\u{e0100}b" } else { "ab" };
            assert_eq!(printable(&format!("a{hidden}b")), expected, "{hidden:?}");
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

    // They have the same start, and one contains another.
    const KEYS: [&str; 3] = [
        "canary_live_k3Y/1",
        "canary_live_s3C\"2&",
        "x-canary_live_k3Y/1-y",
    ];

    const ENCODINGS: [fn(char) -> String; 6] = [
        |c| c.to_string(),
        |c| format!("{c}\u{200b}"),
        |c| format!("%{:02x}", u32::from(c)),
        |c| format!("\\u{:04x}", u32::from(c)),
        |c| format!("&#x{:x};", u32::from(c)),
        |c| match c.is_ascii_alphanumeric() {
            true => c.to_string(),
            false => format!("\\{c}"),
        },
    ];

    fn decoded(text: &str) -> String {
        // Without an incomplete character at the end.
        let end = text.rfind("&#x").filter(|at| !text[*at..].contains(';'));
        let text = &text[..end.unwrap_or(text.len())];
        let text = text.replace("&#x", "%").replace("\\u00", "%");
        let text = text.replace([';', '\\'], "");
        let mut parts = text.split('%');
        let mut decoded = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let hex = part.get(..2).map(|hex| u8::from_str_radix(hex, 16));
            decoded.extend(hex.and_then(Result::ok).map(char::from));
            decoded += part.get(2..).unwrap_or_default();
        }
        decoded
    }

    #[track_caller]
    fn check_redacted(shown: &str) {
        let decoded = decoded(shown);
        for key in KEYS {
            assert!(!decoded.contains(&key[..8]), "{shown:?}");
            assert!(!decoded.contains(&key[key.len() - 5..]), "{shown:?}");
        }
    }

    /// Each key, in each encoding, in each place, with each cut before and after.
    #[test]
    fn a_cut_leaves_no_start_of_a_key() {
        for key in KEYS {
            add_secret(&ApiKey::new(key).unwrap());
        }
        let keys = ENCODINGS.iter().flat_map(|encode| {
            let encoded = |key: &str| key.chars().map(encode).collect::<String>();
            KEYS.map(encoded)
        });
        for key in keys {
            for before in [
                "",
                "é ",
                "\u{1b}[",
                "\u{1b}]0;",
                "\u{9b}3",
                "\"",
                "canary_",
                "canary_live_",
            ] {
                let text = format!("{before}{key}\u{1b}[0m {key}");
                for cut in (0..=text.len()).filter(|cut| text.is_char_boundary(*cut)) {
                    for end in ["", "\"…"] {
                        check_redacted(&printable(&format!("{}{end}", &text[..cut])));
                    }
                    check_redacted(&redact_cut(&text[..cut]));
                    check_redacted(longest_start(&printable(&text), |start| start.len() <= cut));
                }
            }
        }
        assert_eq!(printable("canary_"), "canary_");
        assert_eq!(redact_body(b"\xff", redact_cut), b"\xff");
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
    fn fields_are_cleaned_on_a_terminal() {
        let text = "a\tb\r\nc\\n\u{1b}[1m\u{7}\u{200b}";
        assert_eq!(tsv_field(text, true), "a\\tb\\nc\\\\n[1m");
        let field = "a\\tb\\r\\nc\\\\n\u{1b}[1m\u{7}\u{200b}";
        assert_eq!(tsv_field(text, false), field);
    }
}
