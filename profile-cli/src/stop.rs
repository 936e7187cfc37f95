//! Why a command ends before it has the result that it is for.

use profile_sdk::{Error, InvalidValue};

use crate::failure::Failure;
use crate::report::Report;

/// The end of a command without its result.
#[derive(Debug)]
pub(crate) enum Stop {
    /// It failed.
    Failed(Box<Failure>),
    /// It was asked to show what it would do, and this is it.
    Shown(Box<Report>),
    /// It has told all it had to tell while it went on; this is the exit code.
    #[cfg(any(feature = "sandbox", feature = "webhook"))]
    Told(u8),
}

impl Stop {
    /// The failure, for what goes on to its next part after one.
    pub(crate) fn into_failure(self) -> Result<Failure, Self> {
        match self {
            Self::Failed(failure) => Ok(*failure),
            other => Err(other),
        }
    }

    /// The same end, with its failure told otherwise.
    pub(crate) fn map_failure(self, change: impl FnOnce(Failure) -> Failure) -> Self {
        match self {
            Self::Failed(failure) => Self::from(change(*failure)),
            other => other,
        }
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failed(Box::new(failure))
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Failure::from(error).into()
    }
}

impl From<InvalidValue> for Stop {
    fn from(invalid: InvalidValue) -> Self {
        Failure::from(invalid).into()
    }
}
