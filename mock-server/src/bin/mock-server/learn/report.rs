//! The result: one row for each silence, and the contradictions to the specification.

use std::fmt;

use serde::Serialize;

use super::finding::Finding;
use super::observations::Observations;
use super::silences::SILENCES;
use super::statements::contradictions;

/// The result for one silence.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    pub(super) question: &'static str,
    pub(super) setting: Option<&'static str>,
    #[serde(flatten)]
    pub(super) finding: Finding,
}

/// The result of learning.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(super) silences: Vec<Row>,
    contradictions: Vec<Finding>,
    requests: u32,
}

impl Report {
    pub(crate) fn new(observations: &Observations, requests: u32) -> Self {
        let silences = SILENCES.iter().map(|silence| Row {
            question: silence.question,
            setting: silence.setting,
            finding: match (silence.find)(observations) {
                Ok(finding) => finding,
                Err(reason) => Finding::NotObservable { reason },
            },
        });
        Self {
            silences: silences.collect(),
            contradictions: contradictions(observations),
            requests,
        }
    }

    /// Returns `true` unless a dialect cannot express something or the specification is contradicted.
    pub(crate) fn fits(&self) -> bool {
        let is_outside = |row: &Row| matches!(row.finding, Finding::Outside { .. });
        self.contradictions.is_empty() && !self.silences.iter().any(is_outside)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in &self.silences {
            let name = row.setting.unwrap_or(row.question);
            match &row.finding {
                Finding::Learned { value, .. } => writeln!(f, "{name:<40}{value}")?,
                Finding::AsTheMock { .. } => writeln!(f, "{name:<40}as the mock")?,
                Finding::NotObservable { reason } => {
                    writeln!(f, "{name:<40}not observable: {reason}")?;
                }
                Finding::Outside { sample } | Finding::Contradiction { sample, .. } => {
                    writeln!(f, "{name:<40}outside our dialects: {}", sample.to_line())?;
                }
            }
        }
        for contradiction in &self.contradictions {
            if let Finding::Contradiction { sentence, sample } = contradiction {
                writeln!(
                    f,
                    "contradicts the specification: {sentence}\n    {}",
                    sample.to_line()
                )?;
            }
        }
        write!(f, "{} requests", self.requests)
    }
}
