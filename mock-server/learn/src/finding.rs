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

    /// Returns a sample of the same response that shows another part.
    pub(super) fn with(&self, found: impl Into<Value>) -> Self {
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

/// The result for one question, or a difference from the specification or from the mock.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    /// The question that the specification leaves open, the sentence that is contradicted, or the
    /// request that the mock answers otherwise.
    pub(super) question: String,
    pub(super) setting: Option<&'static str>,
    #[serde(flatten)]
    pub(super) finding: Finding,
}

impl Row {
    /// Creates a row. `setting` is empty if the mock has none.
    pub(super) fn new(
        setting: &'static str,
        question: impl Into<String>,
        finding: Finding,
    ) -> Self {
        Self {
            question: question.into(),
            setting: Some(setting).filter(|setting| !setting.is_empty()),
            finding,
        }
    }

    pub(super) fn name(&self) -> &str {
        self.setting.unwrap_or(&self.question)
    }

    /// Returns `true` if no dialect expresses the finding.
    pub(super) fn is_outside(&self) -> bool {
        matches!(
            self.finding,
            Finding::Outside { .. } | Finding::Contradiction { .. }
        )
    }
}
