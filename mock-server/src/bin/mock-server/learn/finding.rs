//! The conclusion about one question.

use std::fmt;

use serde::Serialize;
use serde_json::{Map, Value};

/// The part of a response or delivery that a finding is based on.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Sample {
    request: String,
    /// `None` for a recorded delivery.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    found: Value,
}

impl Sample {
    /// Creates a sample. A long value becomes a shortened text.
    pub(super) fn new(request: &str, status: Option<u16>, found: impl Into<Value>) -> Self {
        const MAX_CHARACTERS: usize = 300;
        let found = found.into();
        let text = found.to_string();
        let found = match text.char_indices().nth(MAX_CHARACTERS) {
            None => found,
            Some((end, _)) => format!("{}…", &text[..end]).into(),
        };
        let request = request.to_owned();
        Self {
            request,
            status,
            found,
        }
    }

    /// Returns a sample that shows another part.
    pub(super) fn of(&self, found: Value) -> Self {
        Self::new(&self.request, self.status, found)
    }
}

impl fmt::Display for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let status = self.status.map(|status| format!("{status} "));
        let status = status.unwrap_or_default();
        write!(f, "{}: {status}{}", self.request, self.found)
    }
}

/// Observed values with their samples, or the reason why there are none.
pub(super) type Observed = Result<Vec<(Value, Sample)>, String>;

/// A finding, or the reason why there is none.
pub(super) type Found = Result<Finding, String>;

/// The conclusion about one question.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "result", rename_all = "snake_case")]
pub(crate) enum Finding {
    /// The value of a setting.
    Learned {
        value: Value,
        sample: Sample,
    },
    /// The mock, which has no setting for this, does the same.
    AsTheMock {
        sample: Sample,
    },
    /// No dialect reproduces this.
    Outside {
        sample: Sample,
    },
    NotObservable {
        reason: String,
    },
    /// A sentence of the specification is contradicted.
    Contradiction {
        sample: Sample,
    },
}

impl Finding {
    /// Returns the learned values of a setting, or that the mock does the same if there are none.
    pub(super) fn values(values: Map<String, Value>, sample: Sample) -> Self {
        match values.is_empty() {
            true => Self::AsTheMock { sample },
            false => Self::Learned {
                value: values.into(),
                sample,
            },
        }
    }
}
