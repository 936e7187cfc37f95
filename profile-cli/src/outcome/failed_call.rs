//! Converts errors of the client library into failures, with hints for users of the program.

use jiff::SignedDuration;
use profile_sdk::{Error, ErrorKind};

use crate::outcome::failure::{Failure, FailureKind, LOG_IN_HINT, ResponseBody, sandbox_hint};

/// Hint for a key without the required scope.
pub(crate) const SCOPE_HINT: &str =
    "use a key with this scope; `profile auth status` lists the scopes of the current key";

/// In seconds; nobody waits longer.
const YEAR: u64 = 365 * 24 * 60 * 60;

/// Returns the failure of a call about `what`, which is named if the status is 404.
pub(crate) fn about(what: &str, error: Error) -> Failure {
    let not_found = (error.kind() == ErrorKind::NotFound)
        .then(|| format!("there is no {what} ({})", status_and_message(&error)));
    let failure = Failure::from(error);
    match not_found {
        Some(message) => Failure {
            message,
            hint: None,
            ..failure
        },
        None => failure,
    }
}

/// Returns the failure of a write. If the outcome is unknown, the hint names a command that shows
/// whether the write took effect.
pub(crate) fn of_write(what: &str, check_command: &str, error: Error) -> Failure {
    let unknown = error.may_have_been_applied();
    let times = match error.attempts() {
        1 => "once".to_owned(),
        attempts => format!("{attempts} times"),
    };
    let failure = about(what, error);
    if unknown {
        return failure.hint(format!(
            "the request was sent {times} and its outcome is unknown; \
             check with `{check_command}` before you try again"
        ));
    }
    failure
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let kind = match error.kind() {
            ErrorKind::Invalid => FailureKind::Usage,
            ErrorKind::KeyMissing | ErrorKind::Unauthorized => FailureKind::Unauthorized,
            ErrorKind::Forbidden => FailureKind::Forbidden,
            ErrorKind::NotFound => FailureKind::NotFound,
            ErrorKind::Rejected => FailureKind::Rejected,
            ErrorKind::RateLimited => FailureKind::RateLimited,
            ErrorKind::Connection | ErrorKind::Timeout | ErrorKind::Interrupted => {
                FailureKind::NoResponse
            }
            _ => FailureKind::Other,
        };
        Self {
            hint: hint(&error),
            status: error.status(),
            retryable: error.is_retryable(),
            body: response_body(&error).map(Box::new),
            ..Self::new(kind, message(&error))
        }
    }
}

fn response_body(error: &Error) -> Option<ResponseBody> {
    error.status()?;
    Some(ResponseBody {
        bytes: error.body().to_vec(),
        is_truncated: error.body().len() >= Error::MAX_BODY_BYTES,
        is_included: false,
    })
}

/// Returns the message, with the status and the service's own message.
fn message(error: &Error) -> String {
    let what = match (error.kind(), error.scope()) {
        (ErrorKind::KeyMissing, _) => {
            return "this command requires an API key, and none is set".to_owned();
        }
        (ErrorKind::Unauthorized, _) => "the service rejected the API key".to_owned(),
        (ErrorKind::Forbidden, Some(scope)) => format!("the key lacks the scope {scope}"),
        (ErrorKind::Forbidden, None) => "the API key does not permit this".to_owned(),
        (ErrorKind::NotFound, _) => "not found".to_owned(),
        (ErrorKind::Rejected, _) => "the service rejected the request".to_owned(),
        (ErrorKind::RateLimited, _) if error.status().is_some() => "rate limit exceeded".to_owned(),
        (ErrorKind::Service, _) => match error.attempts() {
            0 | 1 => "the service failed".to_owned(),
            attempts => format!("the service failed {attempts} times"),
        },
        _ => return error.to_string(),
    };
    let status_and_message = status_and_message(error);
    // Do not repeat a message that says the same.
    match status_and_message.split_once(": ") {
        Some((status, again)) if again == what => format!("{what} ({status})"),
        _ => format!("{what} ({status_and_message})"),
    }
}

/// Returns the status code with the message or code of the response.
fn status_and_message(error: &Error) -> String {
    let status = error.status().unwrap_or_default();
    match error.message().or(error.code()) {
        Some(status_and_message) => format!("{status}: {status_and_message}"),
        None => status.to_string(),
    }
}

fn hint(error: &Error) -> Option<String> {
    let hint = match error.kind() {
        ErrorKind::KeyMissing => format!("{LOG_IN_HINT}{}", sandbox_hint()),
        ErrorKind::Unauthorized => "`profile auth status` shows where the key comes from; \
             log in again with `profile auth login`"
            .to_owned(),
        ErrorKind::Forbidden => SCOPE_HINT.to_owned(),
        ErrorKind::NotFound => {
            "check the base URL; `profile config list` shows where it comes from".to_owned()
        }
        ErrorKind::Connection => "check the network, the base URL and the proxy; \
             `profile config list` shows where they come from"
            .to_owned(),
        ErrorKind::Unreadable => "check the base URL, which `profile config list` shows; \
             `profile api` prints the response unchanged"
            .to_owned(),
        ErrorKind::Service if !error.is_retryable() => return None,
        ErrorKind::RateLimited | ErrorKind::Service => match error.retry_after() {
            Some(wait) if wait.as_secs() < YEAR => {
                let wait = SignedDuration::from_secs(wait.as_secs() as i64);
                format!("try again in {wait:#}")
            }
            _ => "try again later".to_owned(),
        },
        _ => return None,
    };
    Some(hint)
}
