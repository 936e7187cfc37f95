//! Renders failures and warnings for stderr.

use anstyle::{AnsiColor, Style};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use crate::drawing::text::BOLD;
use crate::outcome::{Failure, FailureKind, ResponseBody, WriteOutcome};
use crate::terminal::{Screen, json_text, printable, redact_cut, redact_values};

pub(super) fn as_text(failure: &Failure, screen: &Screen, quiet: bool) -> String {
    let style = AnsiColor::Red.on_default().bold();
    let mut text = String::new();
    for other in failure.others.iter().chain([failure]) {
        let message = other.text();
        text += &match other.kind == FailureKind::Declined {
            true => format!("{}\n", printable(&message)),
            false => line(style, "error:", &message, screen),
        };
        // A hint that all failures share is printed once.
        let hint = other.all_hints();
        let is_repeated = !std::ptr::eq(other, failure) && hint == failure.all_hints();
        if let Some(hint) = hint.filter(|_| !quiet && !is_repeated) {
            text += &line(BOLD, "hint:", &hint, screen);
        }
    }
    text
}

/// Renders a message after its label.
pub(super) fn line(style: Style, label: &str, message: &str, screen: &Screen) -> String {
    format!("{} {}\n", screen.styled(style, label), printable(message))
}

/// Renders a failure, given the exit code of the signal that ends the program, of a command that may write.
pub(super) fn as_json(
    failure: &Failure,
    signal: Option<u8>,
    writes: bool,
    screen: &Screen,
) -> String {
    let mut error = one_as_json(failure, signal, writes);
    if !failure.others.is_empty() {
        let all = failure.others.iter().chain([failure]);
        // A failure that is complete keeps its own exit code.
        let of_signal = |one: &Failure| signal.filter(|_| one.kind == FailureKind::Interrupted);
        error["failures"] = all
            .map(|one| one_as_json(one, of_signal(one), writes))
            .collect();
    }
    let document = json!({ "error": error }).to_string();
    format!("{}\n", json_text(&document, screen.is_terminal))
}

fn one_as_json(failure: &Failure, signal: Option<u8>, writes: bool) -> Value {
    let mut error = json!({
        "code": failure.kind.code(),
        "message": redact_cut(&failure.text()),
        "hint": failure.all_hints().map(|hint| redact_cut(&hint).into_owned()),
        "status": failure.status,
        "exit_code": signal.unwrap_or(failure.kind.exit_code()),
        "retryable": failure.retryable,
    });
    let outcome = match &failure.outcome {
        WriteOutcome::Done => Some("done"),
        WriteOutcome::NotDone => writes.then_some("not_done"),
        WriteOutcome::Unknown(_) => Some("unknown"),
    };
    if let Some(outcome) = outcome {
        error["outcome"] = json!(outcome);
    }
    if let Some(scope) = &failure.missing_scope {
        error["missing_scope"] = json!(scope);
    }
    if let Some(id) = &failure.id {
        error["id"] = json!(id);
    }
    redact_values(&mut error);
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
    let json = serde_json::from_str(&profile_sdk::internal::readable_json(&body.bytes));
    error["body"] = match (json, text) {
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
