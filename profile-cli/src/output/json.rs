//! Renders JSON for people: indented and colored. Numbers and the order of names stay as they are.

use std::borrow::Cow;

use anstyle::{AnsiColor, Style};
use serde_json::Value;

use crate::terminal::Screen;
use crate::terminal::printable::json_text;

/// Replaces what parsers reject in a document, such as half of an emoji. Other documents stay as they are.
pub(super) fn readable(json: &str) -> Cow<'_, str> {
    match serde_json::from_str::<Value>(json) {
        Ok(_) => Cow::Borrowed(json),
        Err(_) => profile_sdk::readable_json(json.as_bytes()),
    }
}

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
    let tokens = tokens(&json);
    let mut text = String::with_capacity(json.len() * 2);
    let mut depth: usize = 0;
    for (index, &token) in tokens.iter().enumerate() {
        let next = tokens.get(index + 1).copied().unwrap_or_default();
        match token {
            "{" | "[" => {
                text.push_str(token);
                depth += 1;
                if !matches!(next, "}" | "]") {
                    push_line_break(&mut text, depth);
                }
            }
            "}" | "]" => {
                depth = depth.saturating_sub(1);
                if !text.ends_with(['{', '[']) {
                    push_line_break(&mut text, depth);
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
        true if next == ":" => AnsiColor::Blue.on_default().bold(),
        true => AnsiColor::Green.on_default(),
        false => AnsiColor::Cyan.on_default(),
    }
}

fn push_line_break(text: &mut String, depth: usize) {
    text.push('\n');
    // Deeply nested documents would be quadratic in size.
    text.push_str(&"  ".repeat(depth.min(64)));
}

/// Splits a valid document into strings, other values, and punctuation.
pub(super) fn tokens(json: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = json.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => string_length(rest),
            '{' | '}' | '[' | ']' | ',' | ':' => 1,
            _ => rest
                .find(|c: char| c.is_ascii_whitespace() || matches!(c, ',' | '}' | ']'))
                .unwrap_or(rest.len()),
        };
        let (token, after) = rest.split_at(length);
        tokens.push(token);
        rest = after.trim_start();
    }
    tokens
}

/// Returns the length of the string at the start of the text, with its quotes.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    let end = text[1..].find(|c| {
        let is_end = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        is_end
    });
    end.map_or(text.len(), |end| end + 2)
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
              ESC[1mESC[34m"a"ESC[0m: [
                ESC[32m"b"ESC[0m,
                ESC[36m1ESC[0m
              ]
            }
        "#]]
        .assert_eq(&colored);
    }
}
