//! Renders results for people: fields and tables that fit the terminal, indented and colored JSON, and bodies of
//! deliveries.

use anstyle::{AnsiColor, Style};
use comfy_table::{ColumnConstraint, ContentArrangement, Row, Table, Width, presets};
use profile_sdk::internal::{json_tokens, longest_start};
use serde_json::value::RawValue;

use crate::drawing::text::{BOLD, max_width, one_line, pad_right, wrap_at_spaces};
use crate::outcome::View;
use crate::terminal::{Screen, json_text, printable, redact_key};

/// Maximum size of a delivery's body that is shown.
const MAX_BYTES: usize = 4096;

/// Maximum lines of a delivery's body that are shown.
const MAX_LINES: usize = 40;

/// Renders a view for a terminal.
pub(super) fn view(view: &View, screen: &Screen) -> String {
    match view {
        View::Fields(fields) => aligned(fields, screen),
        View::Table { rows, empty, .. } if rows.is_empty() => format!("{empty}\n"),
        View::Table { columns, rows, .. } => table(columns, rows, screen),
        View::Sentence(text) | View::Text(text) => format!("{}\n", printable(text)),
        View::Body(body) => match serde_json::from_slice::<&RawValue>(body) {
            Ok(raw) => json(raw.get(), screen),
            Err(_) => {
                let text = printable(&String::from_utf8_lossy(body));
                format!("{}\n", text.trim_end_matches('\n'))
            }
        },
        View::Columns { .. } => String::new(),
        View::Drawing(drawing) => drawing.draw(screen),
    }
}

/// Renders each row on a line, without empty columns. If the rows are too long, the longest columns
/// are cut, but never the IDs; the texts of posts, and reasons, are wrapped instead.
fn table(headings: &[String], rows: &[Vec<String>], screen: &Screen) -> String {
    const GAP: u16 = 2;
    let wraps = |heading: &str| matches!(heading, "body" | "reason");
    let is_wrapped = headings.iter().any(|heading| wraps(heading));
    let mut header = Row::from(headings);
    header.max_height(1);
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_truncation_indicator("…")
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(u16::try_from(screen.width).map_or(u16::MAX, |width| width.saturating_add(GAP)))
        .set_header(header);
    for row in rows {
        let cells = headings.iter().zip(row);
        let cells = cells.map(|(heading, text)| match heading.as_str() {
            "body" => printable(text).replace('\t', " "),
            _ => one_line(text),
        });
        let mut row = Row::from(cells);
        if !is_wrapped {
            row.max_height(1);
        }
        table.add_row(row);
    }
    for (index, column) in table.column_iter_mut().enumerate() {
        let is_empty = |row: &Vec<String>| row.get(index).is_none_or(String::is_empty);
        column
            .set_padding((0, GAP))
            .set_constraint(match headings[index].as_str() {
                _ if rows.iter().all(is_empty) => ColumnConstraint::Hidden,
                "id" => ColumnConstraint::ContentWidth,
                heading if wraps(heading) => {
                    ColumnConstraint::LowerBoundary(Width::Fixed(20 + GAP))
                }
                _ => ColumnConstraint::LowerBoundary(Width::Fixed(8 + GAP)),
            });
        if !wraps(&headings[index]) {
            column.set_delimiter('\n');
        }
    }
    let text = table.trim_fmt();
    let (heading, rows) = text.split_once('\n').unwrap_or((&text, ""));
    format!("{}\n{rows}\n", screen.styled(BOLD, heading))
}

/// Renders names in one column and values, wrapped between words, in the next.
fn aligned(fields: &[(String, String)], screen: &Screen) -> String {
    let names: Vec<_> = fields.iter().map(|(name, _)| printable(name)).collect();
    let width = max_width(&names);
    let indent = " ".repeat(width + 2);
    let columns = screen.width.saturating_sub(indent.len());
    let lines = names.iter().zip(fields).map(|(name, (_, value))| {
        let value = wrap_at_spaces(value, columns).join(&format!("\n{indent}"));
        let name = screen.styled(BOLD, &pad_right(name, width));
        format!("{name}  {value}\n")
    });
    lines.collect()
}

/// Renders a document: for people on a terminal, and elsewhere as it is.
pub(super) fn document(json: &str, screen: &Screen) -> String {
    match screen.is_terminal {
        true => self::json(json, screen),
        false => format!("{}\n", json_text(json, false)),
    }
}

/// Renders a document for people.
fn json(json: &str, screen: &Screen) -> String {
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

/// Renders the indented lines of a delivery's body, which is shortened if it is long.
#[cfg_attr(
    not(feature = "webhook"),
    allow(dead_code, reason = "only `profile webhook` receives deliveries")
)]
pub(super) fn payload(body: &[u8], screen: &Screen) -> String {
    // More than is shown, which may end within a character or a grapheme cluster.
    let start = String::from_utf8_lossy(&body[..body.len().min(2 * MAX_BYTES)]);
    let is_json = serde_json::from_str::<&RawValue>(&start).is_ok();
    let text = match is_json && body.len() <= MAX_BYTES {
        true => json(&redact_key(&start), screen),
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
    use expect_test::expect;

    use super::{MAX_BYTES, aligned, payload, view};
    use crate::outcome::View;
    use crate::terminal::{Palette, Screen};

    #[test]
    fn indents_values_of_several_lines() {
        let fields = [
            ("bio".to_owned(), "one\ntwo".to_owned()),
            ("location".to_owned(), "here".to_owned()),
        ];
        assert_eq!(
            aligned(&fields, &Screen::plain()),
            "bio       one\n          two\nlocation  here\n"
        );
    }

    #[test]
    fn wraps_long_values_between_words() {
        let long = "show, set and https://example.com/an/address/that/is/long";
        let screen = Screen {
            width: 20,
            ..Screen::plain()
        };
        assert_eq!(
            aligned(&[("may".to_owned(), long.to_owned())], &screen),
            "may  show, set and\n     https://example.com/an/address/that/is/long\n"
        );
    }

    #[test]
    fn prints_a_message_for_an_empty_table() {
        let table = View::Table {
            columns: vec!["id".to_owned()],
            rows: Vec::new(),
            empty: "There are no links.",
        };
        assert_eq!(view(&table, &Screen::plain()), "There are no links.\n");
    }

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
        .assert_eq(&super::json(json, &Screen::plain()));
        for json in ["1e400", "\"a\"", "null", "[]"] {
            assert_eq!(super::json(json, &Screen::plain()), format!("{json}\n"));
        }
    }

    #[test]
    fn deeply_nested_documents_stay_small() {
        let nested = "[".repeat(10_000) + &"]".repeat(10_000);
        assert!(super::json(&nested, &Screen::plain()).len() < 3_000_000);
    }

    #[test]
    fn colors_names_strings_and_literals() {
        let screen = Screen {
            palette: Some(Palette::Basic),
            ..Screen::plain()
        };
        let colored = super::json(r#"{"a":["b",1]}"#, &screen).replace('\u{1b}', "ESC");
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

    #[test]
    fn indents_json_and_removes_control_characters() {
        let screen = Screen::plain();
        let json = payload("{\"a\":\"\\u001b[31m\u{9b}\u{202e}\"}".as_bytes(), &screen);
        assert_eq!(json, "  {\n    \"a\": \"\\u001b[31m\\u009b\\u202e\"\n  }\n");
        assert_eq!(
            payload(b"a\x1b[31m\xffb\nc", &screen),
            "  a[31m\u{fffd}b\n  c\n"
        );
        assert_eq!(payload(b"", &screen), "");
    }

    #[test]
    fn shortens_long_bodies() {
        for (body, length) in [
            ("x".repeat(1_000_000), 1_000_000),
            (format!("[{}0]", "0,".repeat(99)), 201),
            (format!("[{}0]", "0,".repeat(MAX_BYTES)), 8_195),
        ] {
            let shown = payload(body.as_bytes(), &Screen::plain());
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
                let shown = payload(body.as_bytes(), &Screen::plain());
                let shown = shown.lines().next().unwrap();
                assert!(shown.trim_matches([' ', 'x']).is_empty(), "{shown}");
            }
        }
    }
}
