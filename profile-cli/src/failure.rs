//! Why a command failed, as data: the output decides how to tell it.

use std::error::Error as _;
use std::io;
use std::path::Path;

use clap::error::{ContextKind, ContextValue};
use profile_sdk::{Error, ErrorKind, InvalidValue};

use crate::interruption;
use crate::report::Report;
use crate::typed_color::NoColor;

/// What to do without a key.
pub(crate) const LOG_IN: &str =
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
    /// What was done all the same.
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
    #[cfg(feature = "webhook")]
    Mismatch,
    Interrupted,
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
            #[cfg(feature = "webhook")]
            Self::Mismatch => 10,
            Self::Interrupted => interruption::EXIT_CODE,
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

    /// The failure of a value that one of our types refuses. The parser's own message would repeat
    /// the value, which may be long and of many lines.
    pub(crate) fn of_value(error: &clap::Error) -> Option<Self> {
        let source = error.source()?;
        let refused = source
            .downcast_ref::<InvalidValue>()
            .map(ToString::to_string);
        let refused = refused.or_else(|| Some(source.downcast_ref::<NoColor>()?.to_string()))?;
        let argument = match error.get(ContextKind::InvalidArg) {
            Some(ContextValue::String(argument)) => argument.split(' ').next()?,
            _ => return None,
        };
        Some(Self::usage(format!("{argument}: {refused}")))
    }

    /// The failure of a call that cannot be sent.
    pub(crate) fn of_unsent(error: &Error) -> Self {
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
    pub(crate) fn interrupted(look_with: &str) -> Self {
        let message = "interrupted while the service was asked for a change";
        Self::new(FailureKind::Interrupted, message).hint(format!(
            "the outcome is unknown: look with `{look_with}` before you try again"
        ))
    }

    /// The failure of a call about one thing, which is named if the service does not know it.
    pub(crate) fn of_call_about(what: &str, error: Error) -> Self {
        let not_found = (error.kind() == ErrorKind::NotFound)
            .then(|| format!("there is no {what} ({})", said(&error)));
        let failure = Self::from(error);
        Self {
            message: not_found.unwrap_or(failure.message),
            ..failure
        }
    }

    /// The failure of a write, with the command that shows whether it took effect all the same.
    pub(crate) fn of_write(what: &str, look_with: &str, error: Error) -> Self {
        let unknown = error.may_have_been_applied();
        let times = match error.attempts() {
            1 => "once".to_owned(),
            attempts => format!("{attempts} times"),
        };
        let failure = Self::of_call_about(what, error);
        if unknown {
            return failure.hint(format!(
                "it was sent {times} and the outcome is unknown: \
                 look with `{look_with}` before you try again"
            ));
        }
        failure
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
            retryable: error.is_retryable(),
            ..Self::new(kind, message(&error))
        }
    }
}

impl From<InvalidValue> for Failure {
    fn from(invalid: InvalidValue) -> Self {
        Self::usage(invalid.to_string())
    }
}

/// What happened, in the words of somebody who types commands, with what the service says of it.
fn message(error: &Error) -> String {
    let what = match (error.kind(), error.scope()) {
        (ErrorKind::KeyMissing, _) => return "this needs an API key, and none is set".to_owned(),
        (ErrorKind::Unauthorized, _) => "the service does not take the key".to_owned(),
        (ErrorKind::Forbidden, Some(scope)) => format!("the key lacks the scope {scope}"),
        (ErrorKind::Forbidden, None) => "the key may not do this".to_owned(),
        (ErrorKind::NotFound, _) => "the service does not know this".to_owned(),
        (ErrorKind::Refused, _) => "the service refuses this".to_owned(),
        (ErrorKind::RateLimited, _) if error.status().is_some() => {
            "the key's rate limit is used up".to_owned()
        }
        (ErrorKind::Service, _) => match error.attempts() {
            0 | 1 => "the service failed".to_owned(),
            attempts => format!("the service failed {attempts} times"),
        },
        _ => return error.to_string(),
    };
    let said = said(error);
    // Many a service says the same in its own words.
    match said.split_once(": ") {
        Some((status, again)) if again == what => format!("{what} ({status})"),
        _ => format!("{what} ({said})"),
    }
}

/// The status of the answer and what came with it.
fn said(error: &Error) -> String {
    let status = error.status().unwrap_or_default();
    match error.message().or(error.code()) {
        Some(said) => format!("{status}: {said}"),
        None => status.to_string(),
    }
}

fn hint(error: &Error) -> Option<String> {
    let hint = match error.kind() {
        ErrorKind::KeyMissing => format!("{LOG_IN}{}", or_sandbox()),
        ErrorKind::Unauthorized => {
            "check PROFILE_API_KEY, or log in again with `profile auth login`".to_owned()
        }
        ErrorKind::Forbidden => {
            "use a key that carries the scope; `profile auth status` shows those of yours"
                .to_owned()
        }
        ErrorKind::Connection | ErrorKind::Unreadable => {
            "check the network, and PROFILE_BASE_URL or --base-url".to_owned()
        }
        ErrorKind::RateLimited => match error.retry_after() {
            Some(wait) => format!("wait {} before you try again", in_words(wait.as_secs())),
            None => "wait a while before you try again".to_owned(),
        },
        ErrorKind::Service if error.is_retryable() => "try again in a while".to_owned(),
        _ => return None,
    };
    Some(hint)
}

/// A time in its largest whole unit, rounded up.
fn in_words(seconds: u64) -> String {
    let (count, unit) = match seconds {
        0..120 => (seconds, "second"),
        120..7_200 => (seconds.div_ceil(60), "minute"),
        7_200..172_800 => (seconds.div_ceil(3_600), "hour"),
        _ => (seconds.div_ceil(86_400), "day"),
    };
    match count {
        1 => format!("1 {unit}"),
        _ => format!("{count} {unit}s"),
    }
}

/// The way to try without an account, where this build has it.
pub(crate) fn or_sandbox() -> &'static str {
    if cfg!(feature = "sandbox") {
        "; add --sandbox instead to try without an account"
    } else {
        ""
    }
}
