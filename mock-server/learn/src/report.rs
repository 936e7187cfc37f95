//! The result: one row for each question, and the contradictions to the specification.

use std::fmt;

use mock_server::dialect::DialectFile;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::learner::{Finding, Row};
use crate::observations::Observations;
use crate::response::{map_members, pick};
use crate::{contradictions, questions};

/// The file of `--out`, with the learned settings only.
#[derive(Serialize)]
struct File {
    settings: Map<String, Value>,
    learned: Value,
}

/// The result of learning.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    rows: Vec<Row>,
    requests: u32,
    /// The differences from the file of `--check`.
    #[serde(skip_serializing_if = "Option::is_none")]
    drift: Option<Vec<String>>,
}

impl Report {
    /// Draws the conclusions.
    pub(crate) fn new(observations: &Observations, requests: u32) -> Self {
        let (learner, mut rows) = questions::conclude(observations);
        rows.extend(contradictions::sentences(&learner));
        rows.extend(contradictions::differences(&learner));
        Self {
            rows,
            requests,
            drift: None,
        }
    }

    /// Returns `true` if the service is as the file of `--check`; without one, if a dialect expresses
    /// everything and no sentence of the specification is contradicted.
    pub(crate) fn fits(&self) -> bool {
        match &self.drift {
            Some(drift) => drift.is_empty(),
            None => !self.rows.iter().any(Row::is_outside),
        }
    }

    /// Returns the text of the file.
    ///
    /// # Errors
    ///
    /// Returns an error if the mock does not have a learned setting.
    pub(crate) fn to_file(&self, host: &str) -> Result<String, String> {
        let (mut settings, mut evidence) = (Map::new(), Map::new());
        for row in &self.rows {
            match (row.setting, &row.finding) {
                (Some(setting), Finding::Learned { value, .. }) => {
                    settings.insert(setting.to_owned(), value.clone());
                }
                _ if row.is_outside() => {}
                _ => continue,
            }
            evidence.insert(row.name().to_owned(), json!(row.finding));
        }
        let at = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ");
        let learned = json!({ "at": at.to_string(), "host": host, "evidence": evidence });
        let file = File { settings, learned };
        let text = serde_json::to_string_pretty(&file).map_err(|error| error.to_string())?;
        DialectFile::from_json(&text).map_err(|error| error.to_string())?;
        Ok(text + "\n")
    }

    /// Compares what was learned with a file.
    ///
    /// # Errors
    ///
    /// Returns an error if a dialect is not JSON.
    pub(crate) fn check(&mut self, file: &DialectFile) -> Result<(), serde_json::Error> {
        let expected = serde_json::to_value(&file.settings)?;
        let known = |row: &Row| {
            let evidence = &file.learned.as_ref()?.evidence;
            evidence.get(row.name())?.get("result")?.as_str()
        };
        let differences = self.rows.iter().filter_map(|row| {
            let name = row.name();
            match (&row.finding, row.setting) {
                (Finding::Learned { value, sample }, Some(setting)) => {
                    let before = &expected[setting];
                    let is_same = comparable(setting, before) == comparable(setting, value);
                    let change = format!("{name} was {before} and is now {value}: {sample}");
                    (!is_same).then_some(change)
                }
                (Finding::AsTheMock { sample }, Some(setting)) => {
                    let before = expected.get(setting)?;
                    let change = format!("{name} was {before} and is now the same as the mock");
                    Some(format!("{change}: {sample}"))
                }
                (Finding::Outside { sample }, _) if known(row) != Some("outside") => {
                    Some(format!("{name} is outside the dialects: {sample}"))
                }
                (Finding::Contradiction { sample }, _) if known(row).is_none() => {
                    Some(format!("{name}: contradicts the specification: {sample}"))
                }
                _ => None,
            }
        });
        self.drift = Some(differences.collect());
        Ok(())
    }
}

/// Returns what two runs have in common while the service does not change.
fn comparable(setting: &str, value: &Value) -> Value {
    match setting {
        "error_template" | "extra_fields" => without_copies(value),
        "rejections" => map_members(value, |one| json!(pick(one, &["status", "code"]))),
        _ => value.clone(),
    }
}

/// Replaces copied values, such as counts and the IDs of requests, with `null`. Placeholders stay.
fn without_copies(value: &Value) -> Value {
    match value {
        Value::Object(_) => map_members(value, without_copies),
        Value::Array(all) => {
            let mut all: Vec<_> = all.iter().map(without_copies).collect();
            all.dedup();
            all.retain(|one| !one.is_null());
            all.into()
        }
        Value::String(text) if text.contains('{') => value.clone(),
        _ => Value::Null,
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in &self.rows {
            let name = row.name();
            match &row.finding {
                Finding::Learned { value, .. } => writeln!(f, "{name:<39} {value}")?,
                Finding::AsTheMock { .. } => writeln!(f, "{name:<39} same as the mock")?,
                Finding::NotObservable { reason } => {
                    writeln!(f, "{name:<39} not observable: {reason}")?;
                }
                Finding::Outside { sample } => {
                    writeln!(f, "{name:<39} outside the dialects: {sample}")?;
                }
                Finding::Contradiction { sample } => {
                    writeln!(f, "contradicts the specification: {name}\n    {sample}")?;
                }
            }
        }
        for difference in self.drift.iter().flatten() {
            writeln!(f, "changed: {difference}")?;
        }
        write!(f, "{} requests", self.requests)
    }
}
