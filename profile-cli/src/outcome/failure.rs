//! The failure of a command as data, printed by `output`.

use std::io;
use std::path::Path;

use profile_sdk::{Error, InvalidValue};

use crate::outcome::report::Report;

/// Hint for commands that require a key.
pub(crate) const LOG_IN_HINT: &str =
    "log in with `profile auth login`, or set PROFILE_API_KEY to your key";

/// A failure with a hint for the user.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) kind: FailureKind,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
    /// Status code of the response, if any.
    pub(crate) status: Option<u16>,
    /// `true` if it is safe and may help to run the same command again.
    pub(crate) retryable: bool,
    /// The ID of the item that failed, if the command works on several.
    pub(crate) id: Option<String>,
    /// Earlier failures of the same command.
    pub(crate) others: Vec<Self>,
    /// Body of the response, if any.
    pub(crate) body: Option<Box<ResponseBody>>,
    /// Result to print before the failure.
    pub(crate) done: Option<Box<Report>>,
}

/// The body of a response that reports an error.
#[derive(Debug)]
pub(crate) struct ResponseBody {
    /// The bytes that were read.
    pub(crate) bytes: Vec<u8>,
    /// `true` if the body may be longer.
    pub(crate) is_truncated: bool,
    /// `true` if the failure's JSON includes the body, for commands that print raw responses.
    pub(crate) is_included: bool,
}

/// The kind of a failure, which determines the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FailureKind {
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
            Self::Other => (1, "failed"),
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
            hint: None,
            status: None,
            retryable: false,
            id: None,
            others: Vec::new(),
            body: None,
            done: None,
        }
    }

    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(FailureKind::Usage, message)
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds a hint to another one.
    pub(crate) fn also_hint(self, hint: &str) -> Self {
        match &self.hint {
            Some(first) => {
                let hints = format!("{first}; {hint}");
                self.hint(hints)
            }
            None => self.hint(hint),
        }
    }

    /// Returns the failure of a call with an invalid request.
    pub(crate) fn unsent(error: &Error) -> Self {
        Self::usage(error.to_string())
    }

    /// Returns the failure of a file operation.
    pub(crate) fn of_file(done: &str, path: &Path, error: &io::Error) -> Self {
        let message = format!("{} cannot be {done}: {error}", path.display());
        Self::new(FailureKind::Other, message)
    }

    /// Returns the failure of printing a result.
    pub(crate) fn of_output(error: &io::Error) -> Self {
        let message = format!("the result could not be written: {error}");
        Self::new(FailureKind::Other, message)
    }
}

impl From<InvalidValue> for Failure {
    fn from(invalid: InvalidValue) -> Self {
        Self::usage(invalid.to_string())
    }
}

/// Returns the end of a hint that mentions `--sandbox`, if this build supports it.
pub(crate) fn sandbox_hint() -> &'static str {
    if cfg!(feature = "sandbox") {
        "; --sandbox needs no account"
    } else {
        ""
    }
}
