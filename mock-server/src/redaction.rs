//! The format of keys, the redaction of keys and secrets in text, percent-encoded or not, and the escaping of
//! control characters.

use std::cmp::Reverse;
use std::fmt;
use std::iter;
use std::ops::Range;

use url::{Position, Url};

/// The start of a generated key, before its name and its digits.
const PREFIX: &str = "mock_";

/// The number of digits in a generated key.
const DIGITS: usize = 16;

/// Headers with credentials, which are never printed.
const SECRET_HEADERS: [&str; 3] = ["authorization", "proxy-authorization", "x-api-key"];

/// Shorter credentials are not treated as secrets, since redacting them would garble the text.
const MIN_SECRET_BYTES: usize = 4;

/// The same for a part of a header with credentials, which may be the name of a scheme or a parameter.
const MIN_PART_BYTES: usize = 8;

/// Maximum number of parts of the credentials of a request, since each is searched in all of its texts.
const MAX_PARTS: usize = 64;

/// The secrets that texts about one request may contain, normalized.
pub struct Secrets(Vec<String>);

impl Secrets {
    /// Returns the credentials in the headers of a request, which may be a key of the real service, and
    /// their parts other than its paths, and `other_keys`. [`redact`](Self::redact) also recognizes generated
    /// keys by their format.
    pub fn new(headers: &[(String, String)], paths: &[&str], other_keys: &[String]) -> Self {
        let values = headers.iter().filter(|(name, _)| is_secret_header(name));
        let values = values.map(|(_, value)| value.as_str());
        let is_path = |part: &str| {
            let mut paths = paths.iter().map(|path| path.split('?').next());
            paths.any(|path| path == part.split('?').next())
        };
        let parts = values.clone().flat_map(parts);
        let mut parts: Vec<_> = parts
            .filter(|part| part.len() >= MIN_PART_BYTES && !is_path(part))
            .collect();
        parts.sort_unstable_by_key(|part| (Reverse(part.len()), *part));
        parts.dedup();
        parts.truncate(MAX_PARTS);
        let credentials =
            values.map(|value| value.split_once(' ').map_or(value, |(_, rest)| rest.trim()));
        let other_keys = other_keys.iter().map(String::as_str);
        let secrets = credentials.chain(other_keys).chain(parts);
        // An escape in a secret may be escaped once more in a text.
        let secrets = secrets.flat_map(|text| [normalize(text).0, text.to_ascii_lowercase()]);
        let secrets = secrets.filter(|secret| secret.len() >= MIN_SECRET_BYTES);
        Self(secrets.collect())
    }

    /// Replaces the secrets and the digits of generated keys, in upper or lower case and percent-encoded or not,
    /// with `…`.
    pub fn redact(&self, text: &str) -> String {
        let (normal, starts) = normalize(text);
        let mut found = key_digits(&normal);
        // The names of generated keys stay.
        for secret in self.0.iter().filter(|secret| label(secret).is_none()) {
            let places = normal.match_indices(secret);
            found.extend(places.map(|(start, _)| start..start + secret.len()));
        }
        found.sort_unstable_by_key(|part| part.start);
        let (mut redacted, mut end) = (String::new(), 0);
        for part in found {
            let (start, stop) = (starts[part.start], starts[part.end]);
            // A part that overlaps the one before is hidden by the same `…`.
            if start >= end {
                redacted.push_str(&text[end..start]);
                redacted.push('…');
            }
            end = end.max(stop);
        }
        redacted + &text[end..]
    }

    /// Does the same in a body, which may contain bytes that are not UTF-8.
    pub(crate) fn redact_bytes(&self, body: &[u8]) -> Vec<u8> {
        let mut redacted = Vec::with_capacity(body.len());
        for chunk in body.utf8_chunks() {
            redacted.extend_from_slice(self.redact(chunk.valid()).as_bytes());
            redacted.extend_from_slice(chunk.invalid());
        }
        redacted
    }

    /// Does the same in a truncated body, and removes the start of a secret from its end.
    pub(crate) fn redact_truncated(&self, body: &[u8]) -> Vec<u8> {
        let mut redacted = self.redact_bytes(body);
        let last = redacted.utf8_chunks().last();
        let end = last.filter(|last| last.invalid().is_empty());
        let cut = end.map_or(0, |end| self.cut_secret(end.valid()));
        redacted.truncate(redacted.len() - cut);
        redacted
    }

    /// Returns the length of the start of a secret at the end of a text, which may be percent-encoded.
    fn cut_secret(&self, text: &str) -> usize {
        let (normal, starts) = normalize(text);
        let mut tail = normal.bytes().rev().take("%4".len());
        // The text may also end inside an escape.
        let escape = tail.position(|byte| byte == b'%');
        let ends = [Some(0), escape.map(|place| place + 1)];
        let ends = ends.into_iter().flatten();
        let start = ends.filter_map(|cut| self.start_of_secret(&normal[..normal.len() - cut]));
        start.min().map_or(0, |start| text.len() - starts[start])
    }

    /// Returns the position of the start of a secret at the end of a normalized text.
    fn start_of_secret(&self, text: &str) -> Option<usize> {
        let lengths = self.0.iter().filter_map(|secret| {
            let mut lengths = (MIN_SECRET_BYTES..secret.len()).rev();
            lengths.find(|length| text.as_bytes().ends_with(&secret.as_bytes()[..*length]))
        });
        let digits = text.rfind(PREFIX).and_then(|start| {
            let (_, digits) = text[start + PREFIX.len()..].split_once('_')?;
            let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
            is_hex.then_some(digits.len())
        });
        let longest = lengths.chain(digits).max();
        longest.map(|length| text.len() - length)
    }
}

/// Returns the parts of credentials in every way to separate them, without the names of parameters if there are
/// several. `/` is a part of keys in base64.
fn parts(credentials: &str) -> impl Iterator<Item = &str> {
    let fields = credentials.split([' ', '\t', ',', ';']);
    let parameters = fields.clone().filter_map(parameter_value);
    let has_names = parameters.count() > 1;
    let values = fields.map(move |field| match parameter_value(field) {
        Some(value) if has_names => value,
        _ => field,
    });
    let parts = values.flat_map(|value| value.split(['=', '"', '\'']));
    parts.flat_map(|part| {
        iter::once(part).chain(part.split([':', '(', ')', '|', '<', '>', '{', '}', '[', ']']))
    })
}

/// Returns the value of a parameter such as `uri="/api/v1/me"`, but not the padding of base64.
fn parameter_value(field: &str) -> Option<&str> {
    let (name, value) = field.split_once('=')?;
    let is_word = |byte: u8| byte.is_ascii_alphabetic() || byte == b'-';
    let has_name = !name.is_empty() && name.bytes().all(is_word);
    let is_empty = value.trim_matches(['"', '\'']).is_empty();
    (has_name && !is_empty && !value.starts_with('=')).then_some(value)
}

/// Returns the generated key with this name and these digits.
pub(crate) fn key(name: &str, digits: u64) -> String {
    format!("{PREFIX}{name}_{digits:0DIGITS$x}")
}

/// Returns the printable name in a key that the mock server generated, or `None` for any other key.
pub(crate) fn label(token: &str) -> Option<&str> {
    let rest = token.strip_prefix(PREFIX)?;
    let (name, digits) = rest.split_at_checked(rest.len().checked_sub(DIGITS)?)?;
    let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    name.strip_suffix('_').filter(|_| is_hex)
}

/// Returns `true` if a header with this name is never recorded.
pub(crate) fn is_secret_header(name: &str) -> bool {
    let mut secrets = SECRET_HEADERS.iter();
    secrets.any(|secret| name.eq_ignore_ascii_case(secret))
}

/// Replaces the digits of generated keys with `…`: a client may have put its key into a path or a query.
pub(crate) fn redact_keys(text: &str) -> String {
    Secrets(Vec::new()).redact(text)
}

/// Returns the positions of the digits of keys, which follow the name of the key.
fn key_digits(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = text[from..].find(PREFIX).map(|start| from + start) {
        from = start + PREFIX.len();
        let name = text[from..].bytes().take_while(u8::is_ascii_alphanumeric);
        let digits = from + name.count() + 1;
        let key = text.get(start..digits + DIGITS);
        if key.is_some_and(|key| label(key).is_some()) {
            from = digits + DIGITS;
            found.push(digits..from);
        }
    }
    found
}

/// Decodes percent-encoding and converts to lower case, into one byte for each character. Returns the position
/// of each character in the original, too. Keys are ASCII, so other characters become `?`.
fn normalize(text: &str) -> (String, Vec<usize>) {
    let (mut normal, mut starts) = (String::new(), Vec::new());
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let (character, length) = match escaped(rest.as_bytes()) {
            Some(byte) => (char::from(byte), "%41".len()),
            None => (next, next.len_utf8()),
        };
        starts.push(text.len() - rest.len());
        normal.push(if character.is_ascii() {
            character.to_ascii_lowercase()
        } else {
            '?'
        });
        rest = &rest[length..];
    }
    starts.push(text.len());
    (normal, starts)
}

fn escaped(text: &[u8]) -> Option<u8> {
    let [b'%', high, low, ..] = text else {
        return None;
    };
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}

/// A text of the user that may be a URL. `Display` and `Debug` hide its user, all before an `@` in the path, and the
/// query, also of an invalid URL.
#[derive(Clone, Copy)]
pub struct SafeUrl<'a>(pub &'a str);

impl fmt::Display for SafeUrl<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(text) = *self;
        let (user, query) = (after_user(text), text.find(['?', '#']));
        let is_path = text.starts_with('.') || (text.starts_with('/') && !text.starts_with("//"));
        let has_user = user.is_some_and(|(before, _)| before.contains(':')) && !is_path;
        let has_query = text
            .split_once('?')
            .is_some_and(|(_, query)| query.contains('='));
        if !has_user && !has_query && !text.contains("://") {
            return f.write_str(text);
        }
        let url = Url::parse(text).ok().filter(Url::has_host);
        let (Some(url), true) = (url, user.is_some() || query.is_some()) else {
            let shown = &text[..query.unwrap_or(text.len())];
            let scheme = ["http://", "https://"].into_iter().find(|scheme| {
                let start = text.get(..scheme.len());
                start.is_some_and(|start| start.eq_ignore_ascii_case(scheme))
            });
            let scheme = scheme.unwrap_or_default();
            return match (query, user) {
                // The `@` may be in the query, and the question mark in a password.
                (Some(query), Some((before, _))) if query < before.len() => f.write_str("***"),
                (_, Some(_)) => {
                    write!(f, "{scheme}***@{}", after_user(shown).unwrap_or_default().1)
                }
                (_, None) => f.write_str(shown),
            };
        };
        let has_user = !url[Position::BeforeUsername..Position::BeforeHost].is_empty();
        let user = if has_user { "***@" } else { "" };
        let host = &url[Position::BeforeHost..Position::BeforePath];
        write!(f, "{}{user}{host}", &url[..Position::BeforeUsername])?;
        let path = &url[Position::BeforePath..Position::AfterPath];
        match after_user(path) {
            Some((_, rest)) => write!(f, "/***@{rest}"),
            None if text.ends_with(host) => Ok(()),
            None => f.write_str(path),
        }
    }
}

/// Splits a text at the last `@`.
fn after_user(text: &str) -> Option<(&str, &str)> {
    text.rsplit_once('@').or_else(|| text.rsplit_once("%40"))
}

impl fmt::Debug for SafeUrl<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Replaces control characters other than line breaks, marks that change the direction of a text, and characters
/// that are invisible or look like a space, with escapes such as `\u009b`, which are also valid in JSON. The
/// programs print texts of services.
pub fn printable(text: &str) -> String {
    let mut printable = String::with_capacity(text.len());
    for c in text.chars() {
        // Not the joiners and selectors of emoji and of words in some languages.
        let is_hidden = matches!(c,
            '\u{a0}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180e}' | '\u{2000}'..='\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202f}'
            | '\u{205f}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}');
        match c.is_control() && c != '\n' || is_hidden {
            true => printable.push_str(&escape(c)),
            false => printable.push(c),
        }
    }
    printable
}

/// Returns the escape of a character, which is also valid in JSON.
pub(crate) fn escape(c: char) -> String {
    let mut units = [0; 2];
    let units = c.encode_utf16(&mut units).iter();
    units.map(|unit| format!("\\u{unit:04x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hides_what_may_be_secret_in_a_url() {
        let table = include_str!("../tests/shared/urls.tsv");
        for row in table.lines().filter(|row| !row.starts_with('#')) {
            let [text, _, as_argument, _] = row.split('\t').collect::<Vec<_>>()[..] else {
                panic!("{row}");
            };
            assert_eq!(SafeUrl(text).to_string(), as_argument, "{text}");
        }
    }

    fn token(name: &str) -> String {
        key(name, 0x0123_4567_89ab_cdef)
    }

    #[test]
    fn only_generated_keys_have_a_label() {
        assert_eq!(token("all"), "mock_all_0123456789abcdef");
        assert_eq!(label(&key("all", 7)), Some("all"));
        assert_eq!(label(&token("key6")), Some("key6"));
        for other in [
            "",
            "all",
            "secret",
            "mock_all_",
            "mock_all_12",
            "mock_secret",
        ] {
            assert_eq!(label(other), None, "{other}");
        }
    }

    #[test]
    fn redacts_keys_anywhere_in_a_text() {
        let key = token("all");
        let text = format!("a=mock_&b={key}&c=mock_mock_é{key}{}", token("key6"));
        let expected = "a=mock_&b=mock_all_…&c=mock_mock_émock_all_…mock_key6_…";
        assert_eq!(redact_keys(&text), expected);
        for other in [
            "",
            "/api/v1/me",
            "mock_",
            "mock_é",
            "mock_all_12",
            "mock_all",
        ] {
            assert_eq!(redact_keys(other), other);
        }
    }

    #[test]
    fn redacts_percent_encoded_keys() {
        let key = token("all");
        let digits = &key["mock_all_".len()..];
        let encoded = |text: &str| {
            let bytes = text.bytes().map(|byte| format!("%{byte:02x}"));
            bytes.collect::<String>()
        };
        assert_eq!(
            redact_keys(&format!("/é%20%ff%/mock%5Fall%5F{digits}/{key}%")),
            "/é%20%ff%/mock%5Fall%5F…/mock_all_…%"
        );
        assert_eq!(
            redact_keys(&format!("É%4DOCK_{}", key[5..].to_uppercase())),
            "É%4DOCK_ALL_…"
        );
        assert_eq!(
            redact_keys(&encoded(&key)),
            format!("{}…", encoded("mock_all_"))
        );
        assert_eq!(redact_keys("/%6dock_all_/%2"), "/%6dock_all_/%2");
    }

    #[test]
    fn redacts_percent_encoded_secrets() {
        let secret = "a?b+/==";
        let secrets = Secrets(vec![secret.to_owned()]);
        assert_eq!(secrets.redact("a=A?b+/==&b=a%3fb%2B/%3D=&é"), "a=…&b=…&é");
    }
}
