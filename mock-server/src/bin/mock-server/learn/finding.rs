//! The conclusion about one silence of the specification.

use std::fmt;

use serde::Serialize;
use serde_json::{Map, Value, json};

/// Maximum length of a sample in characters of JSON.
const MAX_SAMPLE: usize = 300;

/// The part of a response that a finding is based on.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Sample {
    request: String,
    /// `None` for a recorded delivery.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    found: Value,
}

impl Sample {
    /// Creates a sample of a response. A long value becomes a shortened text.
    pub(super) fn new(request: &str, status: u16, found: Value) -> Self {
        let status = Some(status);
        Self {
            status,
            ..Self::of_file(request, found)
        }
    }

    pub(super) fn of_file(name: &str, found: Value) -> Self {
        let text = found.to_string();
        let found = match text.char_indices().nth(MAX_SAMPLE) {
            None => found,
            Some((end, _)) => format!("{}…", &text[..end]).into(),
        };
        let (request, status) = (name.to_owned(), None);
        Self {
            request,
            status,
            found,
        }
    }
}

impl fmt::Display for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            request,
            status,
            found,
        } = self;
        match status {
            Some(status) => write!(f, "{request}: {status} {found}"),
            None => write!(f, "{request}: {found}"),
        }
    }
}

/// The conclusion about one silence.
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

/// A finding, or the reason why there is none.
pub(super) type Found = Result<Finding, String>;

impl Finding {
    /// Returns the learned value, or the sample as outside of the dialects if there is none.
    pub(super) fn learned(value: Option<&str>, sample: Sample) -> Self {
        match value {
            Some(value) => Self::Learned {
                value: json!(value),
                sample,
            },
            None => Self::Outside { sample },
        }
    }

    /// Returns the learned fields of a setting, or that the mock does the same if there are none.
    pub(super) fn learned_fields(fields: Map<String, Value>, sample: Sample) -> Self {
        match fields.is_empty() {
            true => Self::AsTheMock { sample },
            false => Self::Learned {
                value: fields.into(),
                sample,
            },
        }
    }

    pub(super) fn as_the_mock(same: bool, sample: Sample) -> Self {
        match same {
            true => Self::AsTheMock { sample },
            false => Self::Outside { sample },
        }
    }
}
