//! Renders the body of a delivery for people: JSON indented, and shortened if it is long.

use profile_sdk::internal::longest_start;
use serde_json::value::RawValue;

use super::json;
use crate::terminal::{Screen, printable, redact_key};

const MAX_BYTES: usize = 4096;
const MAX_LINES: usize = 40;

/// Returns the indented lines of the body.
pub(super) fn text(body: &[u8], screen: &Screen) -> String {
    // More than is shown, which may end within a character or a grapheme cluster.
    let start = String::from_utf8_lossy(&body[..body.len().min(2 * MAX_BYTES)]);
    let is_json = serde_json::from_str::<&RawValue>(&start).is_ok();
    let text = match is_json && body.len() <= MAX_BYTES {
        true => json::text(&redact_key(&start), screen),
        false => longest_start(&printable(&start), |start| start.len() <= MAX_BYTES).to_owned(),
    };
    let mut lines = text.lines();
    let indented = lines.by_ref().take(MAX_LINES);
    let mut indented: String = indented.map(|line| format!("  {line}\n")).collect();
    if body.len() > MAX_BYTES || lines.next().is_some() {
        let length = body.len();
        indented += &format!("  … ({length} bytes in all; --json prints the complete body)\n");
    }
    indented
}

#[cfg(test)]
mod tests {
    use super::{MAX_BYTES, Screen, text};

    #[test]
    fn indents_json_and_removes_control_characters() {
        let screen = Screen::plain();
        let json = text("{\"a\":\"\\u001b[31m\u{9b}\u{202e}\"}".as_bytes(), &screen);
        assert_eq!(json, "  {\n    \"a\": \"\\u001b[31m\\u009b\\u202e\"\n  }\n");
        assert_eq!(
            text(b"a\x1b[31m\xffb\nc", &screen),
            "  a[31m\u{fffd}b\n  c\n"
        );
        assert_eq!(text(b"", &screen), "");
    }

    #[test]
    fn shortens_long_bodies() {
        for (body, length) in [
            ("x".repeat(1_000_000), 1_000_000),
            (format!("[{}0]", "0,".repeat(99)), 201),
            (format!("[{}0]", "0,".repeat(MAX_BYTES)), 8_195),
        ] {
            let shown = text(body.as_bytes(), &Screen::plain());
            assert!(shown.len() < MAX_BYTES + 200, "{shown}");
            assert!(shown.lines().count() <= 41, "{shown}");
            let end = format!("  … ({length} bytes in all; --json prints the complete body)\n");
            assert!(shown.ends_with(&end), "{shown}");
        }
    }

    #[test]
    fn shortens_between_grapheme_clusters() {
        for end in ["👩\u{200d}👩\u{200d}👧", "🇩🇪", "e\u{301}", "क्षि"] {
            for before in MAX_BYTES - end.len() + 1..MAX_BYTES {
                let body = "x".repeat(before) + end;
                let shown = text(body.as_bytes(), &Screen::plain());
                let shown = shown.lines().next().unwrap();
                assert!(shown.trim_matches([' ', 'x']).is_empty(), "{shown}");
            }
        }
    }
}
