//! The file with the learned dialect.

use std::collections::BTreeMap;

use mock_server::Dialect;
use serde::Serialize;
use serde_json::{Map, Value};

use super::finding::Finding;
use super::report::Report;

/// The content of the file. Settings that were not learned have their default.
#[derive(Debug, Serialize)]
pub(crate) struct LearnedFile {
    settings: Dialect,
    learned: Learned,
}

#[derive(Debug, Serialize)]
struct Learned {
    at: String,
    host: String,
    evidence: BTreeMap<String, Value>,
}

impl LearnedFile {
    pub(crate) fn new(report: &Report, host: &str) -> Result<Self, serde_json::Error> {
        let (mut settings, mut evidence) = (Map::new(), BTreeMap::new());
        for row in &report.silences {
            let (Some(setting), Finding::Learned { value, sample }) = (row.setting, &row.finding)
            else {
                continue;
            };
            settings.insert(setting.to_owned(), value.clone());
            evidence.insert(setting.to_owned(), serde_json::to_value(sample)?);
        }
        Ok(Self {
            settings: serde_json::from_value(settings.into())?,
            learned: Learned {
                at: jiff::Timestamp::now()
                    .strftime("%Y-%m-%dT%H:%M:%SZ")
                    .to_string(),
                host: host.to_owned(),
                evidence,
            },
        })
    }
}
