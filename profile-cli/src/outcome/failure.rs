//! Why a command failed, as data: the output decides how to tell it.

use std::io;
use std::path::Path;

use profile_sdk::{Error, InvalidValue};

use crate::outcome::report::Report;

/// What to do without a key.
pub(crate) const LOG_IN_HINT: &str =
    "set PROFILE_API_KEY to your key, or log in with `profile auth login`";

/// A failure with what a person should do about it.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) kind: FailureKind,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
    /// The HTTP status of the service's answer, where one came.
    pub(crate) status: Option<u16>,
    /// Whether the same command may succeed when it is given again, and cannot do a thing twice.
    pub(crate) retryable: bool,
    /// Which of several things it is about.
    pub(crate) id: Option<String>,
    /// What else failed of the same command.
    pub(crate) others: Vec<Self>,
    /// The body of the service's answer, where one came.
    pub(crate) body: Option<Box<ResponseBody>>,
    /// What is printed all the same.
    pub(crate) done: Option<Box<Report>>,
}

/// The body of an answer that is no success.
#[derive(Debug)]
pub(crate) struct ResponseBody {
    /// As far as it was read.
    pub(crate) bytes: Vec<u8>,
    /// Whether there is likely more of it, which was not read.
    pub(crate) is_truncated: bool,
    /// Whether it is told with the failure, for a command that prints answers as they are.
    pub(crate) is_included: bool,
}

/// What kind of failure it is; this alone decides the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FailureKind {
    Other,
    Usage,
    NotFound,
    Unauthorized,
    Forbidden,
    Rejected,
    RateLimited,
    NoResponse,
    #[cfg(feature = "webhook")]
    Mismatch,
    Interrupted,
}

impl FailureKind {
    pub(crate) const fn exit_code(self) -> u8 {
        match self {
            Self::Other => 1,
            Self::Usage => 2,
            Self::NotFound => 3,
            Self::Unauthorized => 4,
            Self::Forbidden => 5,
            Self::Rejected => 6,
            Self::RateLimited => 7,
            Self::NoResponse => 8,
            #[cfg(feature = "webhook")]
            Self::Mismatch => 10,
            Self::Interrupted => 130,
        }
    }

    /// The kind's name in JSON.
    pub(crate) fn code(self) -> &'static str {
        match self {
            Self::Other => "failed",
            Self::Usage => "usage",
            Self::NotFound => "not_found",
            Self::Unauthorized => "unauthorized",
            Self::Forbidden => "forbidden",
            Self::Rejected => "rejected",
            Self::RateLimited => "rate_limited",
            Self::NoResponse => "no_response",
            #[cfg(feature = "webhook")]
            Self::Mismatch => "mismatch",
            Self::Interrupted => "interrupted",
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

    /// The failure of a call that cannot be sent.
    pub(crate) fn unsent(error: &Error) -> Self {
        Self::usage(error.to_string())
    }

    /// A file that could not be read or written.
    pub(crate) fn of_file(done: &str, path: &Path, error: &io::Error) -> Self {
        let message = format!("{} cannot be {done}: {error}", path.display());
        Self::new(FailureKind::Other, message)
    }

    /// The failure to print a result.
    pub(crate) fn of_output(error: &io::Error) -> Self {
        let message = format!("the result could not be written: {error}");
        Self::new(FailureKind::Other, message)
    }

    /// Ctrl-C came while a change was on its way.
    pub(crate) fn interrupted(check_command: &str) -> Self {
        let message = "interrupted while a change was being sent";
        Self::new(FailureKind::Interrupted, message).hint(format!(
            "the outcome is unknown; check with `{check_command}` before you try again"
        ))
    }
}

impl From<InvalidValue> for Failure {
    fn from(invalid: InvalidValue) -> Self {
        Self::usage(invalid.to_string())
    }
}

/// The way to try without an account, where this build has it.
pub(crate) fn sandbox_hint() -> &'static str {
    if cfg!(feature = "sandbox") {
        "; --sandbox needs no account"
    } else {
        ""
    }
}
