//! The failure of a command as data, printed by `output`.

use std::io;
use std::path::{Path, PathBuf};

use jiff::SignedDuration;
use profile_sdk::{Error, ErrorKind, InvalidValue, Response, Scope};

use super::{NextCommand, Report};
use crate::terminal::{escaped, redact_body, redact_cut};

/// A result whose error is a [`Failure`], unless another type is named.
pub(crate) type Result<T, E = Failure> = std::result::Result<T, E>;

/// A failure with hints for the user.
#[derive(Debug, Clone, Default)]
pub(crate) struct Failure {
    pub(crate) kind: FailureKind,
    /// The item or setting that is printed before the message.
    pub(crate) subject: Option<String>,
    /// The field or setting whose value is invalid.
    pub(crate) field: Option<&'static str>,
    pub(crate) message: String,
    pub(crate) hints: Vec<String>,
    /// Status code of the response, if any.
    pub(crate) status: Option<u16>,
    /// The scope that the key lacks, if this is known.
    pub(crate) missing_scope: Option<Box<Scope>>,
    /// `true` if it is safe and may help to run the same command again.
    pub(crate) retryable: bool,
    /// The outcome of the write that failed.
    pub(crate) outcome: WriteOutcome,
    /// The text that was not sent.
    pub(crate) kept: Option<Box<KeptText>>,
    /// The ID of the item that failed, if the command works on several.
    pub(crate) id: Option<String>,
    /// Earlier failures of the same command.
    pub(crate) others: Vec<Self>,
    /// Body of the response, if any.
    pub(crate) body: Option<Box<ResponseBody>>,
    /// Result to print before the failure.
    pub(crate) done: Option<Box<Report>>,
}

/// The outcome of a failed write.
#[derive(Debug, Clone, Default)]
pub(crate) enum WriteOutcome {
    /// The change was made, but its result could not be printed.
    Done,
    /// Also that of a command that writes nothing, which does not print it.
    #[default]
    NotDone,
    /// The change may have been applied, which this command shows.
    Unknown(String),
}

/// A private file with a text that was not sent.
#[derive(Debug, Clone)]
pub(crate) struct KeptText {
    pub(crate) path: PathBuf,
    /// The commands that send it.
    pub(crate) commands: String,
}

/// The body of a response that reports an error, without keys.
#[derive(Debug, Clone)]
pub(crate) struct ResponseBody {
    /// The bytes that were read.
    pub(crate) bytes: Vec<u8>,
    /// `true` if the body may be longer.
    pub(crate) is_truncated: bool,
    /// `true` if the failure's JSON includes the body, for commands that print raw responses.
    pub(crate) is_included: bool,
}

impl ResponseBody {
    fn new(body: &[u8]) -> Self {
        let max = Error::MAX_BODY_BYTES;
        Self {
            bytes: redact_body(&body[..body.len().min(max)], redact_cut),
            is_truncated: body.len() >= max,
            is_included: false,
        }
    }
}

/// The kind of a failure, which determines the exit code.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FailureKind {
    /// The answer to a question was no, which is not an error.
    Declined,
    #[default]
    Other,
    Usage,
    NotFound,
    Unauthorized,
    Forbidden,
    Rejected,
    RateLimited,
    Conflict,
    NoResponse,
    #[cfg(feature = "webhook")]
    Mismatch,
    Interrupted,
}

impl FailureKind {
    pub(crate) const fn exit_code(self) -> u8 {
        self.row().0
    }

    /// Returns the name of the kind in JSON.
    pub(crate) const fn code(self) -> &'static str {
        self.row().1
    }

    const fn row(self) -> (u8, &'static str) {
        match self {
            Self::Declined | Self::Other => (1, "failed"),
            Self::Conflict => (1, "conflict"),
            Self::Usage => (2, "usage"),
            Self::NotFound => (3, "not_found"),
            Self::Unauthorized => (4, "unauthorized"),
            Self::Forbidden => (5, "forbidden"),
            Self::Rejected => (6, "rejected"),
            Self::RateLimited => (7, "rate_limited"),
            Self::NoResponse => (8, "no_response"),
            #[cfg(feature = "webhook")]
            Self::Mismatch => (10, "mismatch"),
            Self::Interrupted => (130, "interrupted"),
        }
    }
}

impl Failure {
    pub(crate) fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            ..Self::default()
        }
    }

    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(FailureKind::Usage, message)
    }

    pub(crate) fn other(message: impl Into<String>) -> Self {
        Self::new(FailureKind::Other, message)
    }

    /// Sets the field or setting whose value is invalid.
    pub(crate) fn field(mut self, field: &'static str) -> Self {
        self.field = Some(field);
        self
    }

    /// Sets the item or setting that is printed before the message.
    pub(crate) fn subject(mut self, subject: impl ToString) -> Self {
        self.subject = Some(subject.to_string());
        self
    }

    /// Sets the outcome of the write that failed.
    pub(crate) fn outcome(mut self, outcome: WriteOutcome) -> Self {
        self.outcome = outcome;
        self
    }

    /// Sets the result to print before the failure.
    pub(crate) fn done(mut self, done: Report) -> Self {
        self.done = Some(Box::new(done));
        self
    }

    /// Replaces the hints, if there is another one.
    pub(crate) fn optional_hint(self, hint: Option<String>) -> Self {
        match hint {
            Some(hint) => self.hint(hint),
            None => self,
        }
    }

    /// Replaces the hints.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints = vec![hint.into()];
        self
    }

    pub(crate) fn is_unknown(&self) -> bool {
        matches!(self.outcome, WriteOutcome::Unknown(_))
    }

    /// Returns the message as it is printed.
    pub(crate) fn text(&self) -> String {
        let subject = self.subject.iter().map(|subject| format!("{subject}: "));
        let mut text = subject.chain([self.message.clone()]).collect::<String>();
        if self.is_unknown() {
            text += "; the change may have been applied";
        }
        if let Some(kept) = &self.kept {
            text += &format!("; your text is saved in {}", escaped(&kept.path));
        }
        text
    }

    /// Returns the hints as they are printed.
    pub(crate) fn all_hints(&self) -> Option<String> {
        let hints = self.hints.iter().cloned().chain(self.outcome_hint());
        let hints = hints.chain(self.kept.iter().map(|kept| kept.commands.clone()));
        let hints: Vec<_> = hints.collect();
        (!hints.is_empty()).then(|| hints.join("; "))
    }

    /// Returns the hint that follows from the outcome and from `retryable`.
    fn outcome_hint(&self) -> Option<String> {
        let check = match &self.outcome {
            WriteOutcome::Done | WriteOutcome::NotDone => return None,
            WriteOutcome::Unknown(check) => NextCommand(check),
        };
        let safe = "it is safe to run the command again";
        Some(match self.retryable {
            true => format!("{safe}; {check} shows whether the change was made"),
            false => format!("check with {check} before you try again"),
        })
    }

    /// Returns the failure of a file operation.
    pub(crate) fn of_file(done: &str, path: &Path, error: &io::Error) -> Self {
        Self::other(format!("{} cannot be {done}: {error}", escaped(path)))
    }
}

impl From<InvalidValue> for Failure {
    fn from(invalid: InvalidValue) -> Self {
        Self::usage(invalid.to_string()).field(invalid.field())
    }
}

/// Returns the end of a hint that mentions `--sandbox`, if this build supports it.
pub(crate) fn sandbox_hint() -> &'static str {
    match cfg!(feature = "sandbox") {
        true => "; --sandbox needs no account",
        false => "",
    }
}

/// The message for a page in place of a response.
pub(crate) const PAGE: &str =
    "the response is an HTML page, so it is probably not from the service";

/// Hint for a key without the required scope.
pub(crate) fn scope_hint() -> String {
    let status = NextCommand("profile auth status");
    format!("use a key with this scope; {status} lists the scopes of the current key")
}

/// In seconds; nobody waits longer.
const YEAR: u64 = 365 * 24 * 60 * 60;

/// Returns the failure of a command that requires a key, or that of its call.
pub(crate) fn without_key(failure: Failure) -> Failure {
    let status = failure.status.map(|status| format!(" ({status})"));
    let (login, sandbox) = (NextCommand("profile auth login"), sandbox_hint());
    let failure = Failure {
        kind: FailureKind::Unauthorized,
        message: format!("no API key is set{}", status.unwrap_or_default()),
        ..failure
    };
    failure.hint(format!(
        "log in with {login}, or set PROFILE_API_KEY to your key{sandbox}"
    ))
}

/// Returns the failure of a call about `what`, which is named if the status is 404.
pub(crate) fn about(what: &str, error: &Error) -> Failure {
    let message = format!("{what} was not found ({})", status_and_message(error));
    let failure = Failure::from(error);
    match failure.kind == FailureKind::NotFound {
        true => Failure { message, ..failure },
        false => failure,
    }
}

/// Returns the failure of a write of `what`. `check` is a command that shows whether it was applied.
pub(crate) fn of_write(what: &str, check: &str, error: &Error) -> Failure {
    let outcome = match error.may_have_been_applied() {
        true => WriteOutcome::Unknown(check.to_owned()),
        false => WriteOutcome::NotDone,
    };
    about(what, error).outcome(outcome)
}

/// Returns the failure of a write whose response does not show the outcome: a page, which the service does not
/// send, or a 404 after an attempt with an unknown outcome. Either that attempt deleted the resource, or there
/// was none.
pub(crate) fn of_response<T>(what: &str, check: &str, response: &Response<T>) -> Failure {
    let status = response.status();
    let (kind, message) = match response.is_page() {
        true => (FailureKind::NoResponse, PAGE.to_owned()),
        false => (
            FailureKind::NotFound,
            format!("{what} was not found ({status}) when the deletion was repeated"),
        ),
    };
    Failure {
        status: Some(status),
        outcome: WriteOutcome::Unknown(check.to_owned()),
        body: Some(Box::new(ResponseBody::new(response.body()))),
        ..Failure::new(kind, message)
    }
}

impl From<&Error> for Failure {
    fn from(error: &Error) -> Self {
        let kind = match error.kind() {
            ErrorKind::Invalid => FailureKind::Usage,
            ErrorKind::KeyMissing | ErrorKind::Unauthorized => FailureKind::Unauthorized,
            ErrorKind::Forbidden => FailureKind::Forbidden,
            ErrorKind::NotFound => FailureKind::NotFound,
            ErrorKind::Rejected => FailureKind::Rejected,
            ErrorKind::RateLimited => FailureKind::RateLimited,
            ErrorKind::Connection | ErrorKind::Timeout | ErrorKind::ResponseLost => {
                FailureKind::NoResponse
            }
            _ => FailureKind::Other,
        };
        let body = error.status().map(|_| ResponseBody::new(error.body()));
        Self {
            field: error.invalid_value().map(InvalidValue::field),
            hints: hint(error).into_iter().collect(),
            status: error.status(),
            missing_scope: error.missing_scope().cloned().map(Box::new),
            retryable: error.is_retryable(),
            body: body.map(Box::new),
            ..Self::new(kind, message(error))
        }
    }
}

/// Returns the message, with the status and the service's own message.
fn message(error: &Error) -> String {
    let what = match (error.kind(), error.missing_scope()) {
        (ErrorKind::Unauthorized, _) => "the service rejected the API key".to_owned(),
        (ErrorKind::Forbidden, Some(scope)) => format!("the key lacks the scope {scope}"),
        (ErrorKind::Forbidden, None) => "the service does not permit this".to_owned(),
        (ErrorKind::NotFound, _) => "not found".to_owned(),
        (ErrorKind::Rejected, _) => "the service rejected the request".to_owned(),
        (ErrorKind::RateLimited, _) if error.status().is_some() => "rate limit exceeded".to_owned(),
        (ErrorKind::Service, _) => match error.attempts() {
            0 | 1 => "the service failed".to_owned(),
            attempts => format!("the service failed {attempts} times"),
        },
        // Without the outcome, which is printed with the failure.
        _ => return error.description().to_string(),
    };
    match (error.status(), error.message()) {
        // Do not repeat a message that says the same.
        (Some(status), Some(message)) if message == what => format!("{what} ({status})"),
        _ => format!("{what} ({})", status_and_message(error)),
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
    let list = NextCommand("profile config list");
    let hint = match error.kind() {
        ErrorKind::Forbidden => error.missing_scope().map(|_| scope_hint())?,
        ErrorKind::NotFound => {
            format!("check what you entered, and the base URL, which {list} shows")
        }
        ErrorKind::Connection => format!(
            "check the network, the base URL and the proxy; {list} shows where they come from"
        ),
        ErrorKind::Unreadable if error.status().is_none() => {
            format!("check the base URL, which {list} shows")
        }
        ErrorKind::Unreadable => format!(
            "check the base URL, which {list} shows; {} prints the response unchanged",
            NextCommand("profile api PATH")
        ),
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
