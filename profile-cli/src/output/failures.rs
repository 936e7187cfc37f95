//! Failures and warnings as texts for stderr.

use std::env;
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use super::Output;
use super::screen::Screen;
use crate::failure::{Failure, RefusalBody};
use crate::printable::{json_text, printable};

const BOLD: Style = Style::new().bold();

/// Prints what the argument parser says: help and version, or what was typed wrong.
pub(crate) fn usage_error(error: &clap::Error) -> ExitCode {
    // What was typed wrong may stand before --json, so the arguments themselves are asked.
    let json = asks_for_json(
        env::args_os()
            .skip(1)
            .filter_map(|text| text.into_string().ok()),
    );
    match Failure::of_value(error) {
        Some(failure) => Output::for_failures(json).failure(&failure),
        None if json && error.use_stderr() => {
            let text = error.to_string();
            let text = text.strip_prefix("error: ").unwrap_or(&text);
            let (message, help) = text.split_once("\n\n").unwrap_or((text, ""));
            let failure = Failure::usage(message.trim()).hint(help.trim());
            Output::for_failures(true).failure(&failure)
        }
        None => match error.print() {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => ExitCode::FAILURE,
            _ => ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2)),
        },
    }
}

fn asks_for_json(arguments: impl Iterator<Item = String>) -> bool {
    let mut before = String::new();
    for argument in arguments {
        let value = match before.as_str() {
            "-o" | "--output" => argument.as_str(),
            _ => argument
                .strip_prefix("--output=")
                .or(argument.strip_prefix("-o"))
                .map_or("", |value| value.trim_start_matches('=')),
        };
        let is_json =
            matches!(argument.as_str(), "--json" | "--jq") || argument.starts_with("--jq=");
        if is_json || matches!(value, "json" | "ndjson") {
            return true;
        }
        before = argument;
    }
    false
}

pub(super) fn as_text(failure: &Failure, screen: &Screen, quiet: bool) -> String {
    let label = screen.styled(BOLD.fg_color(Some(AnsiColor::Red.into())), "error:");
    let mut text = String::new();
    for failure in failure.others.iter().chain([failure]) {
        text += &format!("{label} {}\n", printable(&failure.message));
    }
    if let Some(hint) = failure.hint.as_ref().filter(|_| !quiet) {
        text += &format!("{} {}\n", screen.styled(BOLD, "hint:"), printable(hint));
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

pub(super) fn as_json(failure: &Failure) -> String {
    let mut error = one_as_json(failure);
    if !failure.others.is_empty() {
        let all = failure.others.iter().chain([failure]);
        error["failures"] = all.map(one_as_json).collect();
    }
    let document = json!({ "error": error }).to_string();
    format!("{}\n", json_text(&document))
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
    if let Some(body) = failure.body.as_ref().filter(|body| body.is_told) {
        tell_body(&mut error, body);
    }
    error
}

/// The body in JSON: as JSON where it is that, else as a text, or in base64 where it is no text.
fn tell_body(error: &mut Value, body: &RefusalBody) {
    let text = match str::from_utf8(&body.bytes) {
        // What was cut may have been cut in the middle of a character.
        Err(end) if body.is_cut && end.error_len().is_none() => {
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
    if body.is_cut {
        error["body_cut"] = json!(true);
    }
}

#[cfg(test)]
mod tests {
    use super::asks_for_json;

    #[track_caller]
    fn check(arguments: &str, expected: bool) {
        let arguments = arguments.split(' ').map(str::to_owned);
        assert_eq!(asks_for_json(arguments), expected);
    }

    #[test]
    fn json_is_heard_in_every_spelling() {
        check("show --json", true);
        check("--output json show", true);
        check("--output=ndjson", true);
        check("-ojson", true);
        check("-o json", true);
        check("show --jq .bio", true);
        check("set --bio json", false);
        check("-o csv", false);
    }
}
