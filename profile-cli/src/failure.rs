//! Why a command failed, as data: the output decides how to tell it.

use profile_sdk::{Error, ErrorKind, InvalidValue};

use crate::report::Report;

/// A failure with what a person should do about it.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) kind: FailureKind,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
    /// The HTTP status of the service's answer, where one came.
    pub(crate) status: Option<u16>,
    /// What was done all the same, before or beside the failure.
    pub(crate) done: Option<Box<Report>>,
}

/// What kind of failure it is; this alone decides the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FailureKind {
    Other,
    Usage,
    NotFound,
    Unauthorized,
    Forbidden,
    Refused,
    RateLimited,
    Unanswered,
}

impl FailureKind {
    pub(crate) fn exit_code(self) -> u8 {
        match self {
            Self::Other => 1,
            Self::Usage => 2,
            Self::NotFound => 3,
            Self::Unauthorized => 4,
            Self::Forbidden => 5,
            Self::Refused => 6,
            Self::RateLimited => 7,
            Self::Unanswered => 8,
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
            Self::Refused => "refused",
            Self::RateLimited => "rate_limited",
            Self::Unanswered => "unanswered",
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

    /// The same failure, which says what was not found if that is what it is.
    pub(crate) fn naming(mut self, what: &str) -> Self {
        if self.kind == FailureKind::NotFound {
            self.message = format!("there is no {what} ({})", self.message);
        }
        self
    }

    /// The same failure, which tells how to find out what became of a write without an answer.
    pub(crate) fn look_with(self, command: &str) -> Self {
        if self.kind == FailureKind::Unanswered && self.hint.is_none() {
            return self.hint(format!(
                "the outcome is unknown and nothing was sent twice: \
                 look with `{command}` before you try again"
            ));
        }
        self
    }

    /// Whether the same command may succeed when it is given again later.
    pub(crate) fn is_retryable(&self) -> bool {
        matches!(
            self.kind,
            FailureKind::RateLimited | FailureKind::Unanswered
        ) || self.status.is_some_and(|status| status >= 500)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let kind = match error.kind() {
            ErrorKind::Invalid => FailureKind::Usage,
            ErrorKind::KeyMissing | ErrorKind::Unauthorized => FailureKind::Unauthorized,
            ErrorKind::Forbidden => FailureKind::Forbidden,
            ErrorKind::NotFound => FailureKind::NotFound,
            ErrorKind::Refused => FailureKind::Refused,
            ErrorKind::RateLimited => FailureKind::RateLimited,
            ErrorKind::Connection | ErrorKind::Timeout | ErrorKind::Interrupted => {
                FailureKind::Unanswered
            }
            _ => FailureKind::Other,
        };
        Self {
            hint: hint(&error),
            status: error.status(),
            ..Self::new(kind, error.to_string())
        }
    }
}

impl From<InvalidValue> for Failure {
    fn from(invalid: InvalidValue) -> Self {
        Self::usage(invalid.to_string())
    }
}

fn hint(error: &Error) -> Option<String> {
    let hint = match error.kind() {
        ErrorKind::KeyMissing => {
            "set PROFILE_API_KEY to your key, or add --sandbox to try without an account".to_owned()
        }
        ErrorKind::Unauthorized => "check PROFILE_API_KEY".to_owned(),
        ErrorKind::Forbidden => match error.scope() {
            Some(scope) => format!("use a key that carries the scope {scope}"),
            None => "use a key that may do this".to_owned(),
        },
        ErrorKind::Connection => "check the network, and PROFILE_BASE_URL or --base-url".to_owned(),
        ErrorKind::Redirected => "check PROFILE_BASE_URL or --base-url".to_owned(),
        ErrorKind::RateLimited => match error.header("retry-after") {
            Some(after) => format!("the service asks to wait until: {after} (seconds or a date)"),
            None => "wait a while before you try again".to_owned(),
        },
        _ => return None,
    };
    Some(hint)
}
