//! Renders JSON for people: indented and colored. Numbers and the order of names stay as they are.

use anstyle::{AnsiColor, Style};
use profile_sdk::internal::json_tokens;

use crate::drawing::text::BOLD;
use crate::terminal::{Screen, json_text};

/// Renders a document: for people on a terminal, and elsewhere as it is.
pub(super) fn document(json: &str, screen: &Screen) -> String {
    match screen.is_terminal {
        true => text(json, screen),
        false => format!("{}\n", json_text(json, false)),
    }
}

/// Renders a document for people.
pub(super) fn text(json: &str, screen: &Screen) -> String {
    let json = json_text(json, screen.is_terminal);
    let mut tokens = json_tokens(&json).peekable();
    let mut text = String::with_capacity(json.len() * 2);
    while let Some(token) = tokens.next() {
        let (token, depth) = (token.text, token.depth);
        let next = tokens.peek().map_or("", |next| next.text);
        match token {
            "{" | "[" => {
                text.push_str(token);
                if !matches!(next, "}" | "]") {
                    push_line_break(&mut text, depth);
                }
            }
            "}" | "]" => {
                if !text.ends_with(['{', '[']) {
                    push_line_break(&mut text, depth.saturating_sub(1));
                }
                text.push_str(token);
            }
            "," => {
                text.push(',');
                push_line_break(&mut text, depth);
            }
            ":" => text.push_str(": "),
            _ => text += &screen.styled(style(token, next), token),
        }
    }
    text.push('\n');
    text
}

fn style(token: &str, next: &str) -> Style {
    match token.starts_with('"') {
        true if next == ":" => BOLD,
        true => AnsiColor::Green.on_default(),
        false => AnsiColor::Cyan.on_default(),
    }
}

fn push_line_break(text: &mut String, depth: usize) {
    text.push('\n');
    // Deeply nested documents would be quadratic in size.
    text.push_str(&"  ".repeat(depth.min(64)));
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::text;
    use crate::terminal::{Palette, Screen};

    #[test]
    fn indents_documents_and_keeps_their_values() {
        let json = r#"{"b": 1.50,"a":{},"list": [ true,"x: {\"y\"}, \\",[]],"n":{"é":null}}"#;
        expect![[r#"
            {
              "b": 1.50,
              "a": {},
              "list": [
                true,
                "x: {\"y\"}, \\",
                []
              ],
              "n": {
                "é": null
              }
            }
        "#]]
        .assert_eq(&text(json, &Screen::plain()));
        for json in ["1e400", "\"a\"", "null", "[]"] {
            assert_eq!(text(json, &Screen::plain()), format!("{json}\n"));
        }
    }

    #[test]
    fn deeply_nested_documents_stay_small() {
        let nested = "[".repeat(10_000) + &"]".repeat(10_000);
        assert!(text(&nested, &Screen::plain()).len() < 3_000_000);
    }

    #[test]
    fn colors_names_strings_and_literals() {
        let screen = Screen {
            palette: Some(Palette::Basic),
            ..Screen::plain()
        };
        let colored = text(r#"{"a":["b",1]}"#, &screen).replace('\u{1b}', "ESC");
        expect![[r#"
            {
              ESC[1m"a"ESC[0m: [
                ESC[32m"b"ESC[0m,
                ESC[36m1ESC[0m
              ]
            }
        "#]]
        .assert_eq(&colored);
    }
}
