//! Renders failures and warnings for stderr.

use anstyle::{AnsiColor, Style};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use crate::outcome::failure::{Failure, FailureKind, ResponseBody};
use crate::terminal::Screen;
use crate::terminal::printable::{json_text, printable};

const BOLD: Style = Style::new().bold();

pub(super) fn as_text(failure: &Failure, screen: &Screen, quiet: bool) -> String {
    let label = screen.styled(BOLD.fg_color(Some(AnsiColor::Red.into())), "error:");
    let mut text = String::new();
    for other in failure.others.iter().chain([failure]) {
        if other.kind != FailureKind::Declined {
            text += &format!("{label} ");
        }
        text += &format!("{}\n", printable(&other.message));
        // A hint that all failures share is printed once.
        let is_repeated = !std::ptr::eq(other, failure) && other.hint == failure.hint;
        if let Some(hint) = other.hint.as_ref().filter(|_| !quiet && !is_repeated) {
            text += &format!("{} {}\n", screen.styled(BOLD, "hint:"), printable(hint));
        }
    }
    text
}

pub(super) fn warning(warning: &str, screen: &Screen) -> String {
    let label = screen.styled(BOLD.fg_color(Some(AnsiColor::Yellow.into())), "warning:");
    format!("{label} {}\n", printable(warning))
}

pub(super) fn note(note: &str, screen: &Screen) -> String {
    format!("{} {}\n", screen.styled(BOLD, "note:"), printable(note))
}

pub(super) fn as_json(failure: &Failure, screen: &Screen) -> String {
    let mut error = one_as_json(failure);
    if !failure.others.is_empty() {
        let all = failure.others.iter().chain([failure]);
        error["failures"] = all.map(one_as_json).collect();
    }
    let document = json!({ "error": error }).to_string();
    format!("{}\n", json_text(&document, screen.is_terminal))
}

fn one_as_json(failure: &Failure) -> Value {
    let mut error = json!({
        "code": failure.kind.code(),
        "message": failure.message,
        "hint": failure.hint,
        "status": failure.status,
        "exit_code": failure.kind.exit_code(),
        "retryable": failure.retryable,
    });
    if let Some(id) = &failure.id {
        error["id"] = json!(id);
    }
    if let Some(body) = failure.body.as_ref().filter(|body| body.is_included) {
        add_body(&mut error, body);
    }
    error
}

/// Adds the body as JSON if it is valid JSON, otherwise as a string, or in base64 if it is not
/// UTF-8.
fn add_body(error: &mut Value, body: &ResponseBody) {
    let text = match str::from_utf8(&body.bytes) {
        // A truncated body may end within a character.
        Err(end) if body.is_truncated && end.error_len().is_none() => {
            str::from_utf8(&body.bytes[..end.valid_up_to()])
        }
        text => text,
    };
    error["body"] = match (serde_json::from_slice(&body.bytes), text) {
        (Ok(json), _) => json,
        (Err(_), Ok(text)) => text.into(),
        (Err(_), Err(_)) => {
            error["body_encoding"] = json!("base64");
            BASE64_STANDARD.encode(&body.bytes).into()
        }
    };
    if body.is_truncated {
        error["body_truncated"] = json!(true);
    }
}
