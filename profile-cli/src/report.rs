//! What a command has to tell, as data: the output decides how to print it.

use profile_sdk::Response;
use serde_json::json;

/// The result of a command, once for programs and once for people.
#[derive(Debug)]
pub(crate) struct Report {
    /// One JSON document.
    pub(crate) json: String,
    pub(crate) shown: Shown,
}

/// The result for people, and for pipes that are not told to expect JSON.
#[derive(Debug)]
pub(crate) enum Shown {
    /// Names and values.
    Fields(Vec<(String, String)>),
    /// Rows of things of one kind.
    Table {
        columns: Vec<&'static str>,
        rows: Vec<Vec<String>>,
        /// What to say on a terminal when there are no rows.
        empty: &'static str,
    },
    /// A sentence, for what has no other result.
    Sentence(String),
}

impl Report {
    /// The report on something that was read.
    pub(crate) fn read<T>(response: &Response<T>, shown: Shown) -> Self {
        let json = response.raw_data().unwrap_or("null").to_owned();
        Self { json, shown }
    }

    /// The report on a write: the resource where the service sent it, else what was done.
    pub(crate) fn written<T>(
        response: &Response<Option<T>>,
        show: impl FnOnce(&T) -> Shown,
        result: &str,
        sentence: impl Into<String>,
    ) -> Self {
        match response.data() {
            Some(resource) => Self::read(response, show(resource)),
            None => Self {
                json: json!({ "result": result }).to_string(),
                shown: Shown::Sentence(sentence.into()),
            },
        }
    }
}

/// Pushes a field if it has a value.
pub(crate) fn push_field(
    fields: &mut Vec<(String, String)>,
    name: impl Into<String>,
    value: Option<impl ToString>,
) {
    if let Some(value) = value {
        fields.push((name.into(), value.to_string()));
    }
}

/// The text of a value that may be absent, for a table's cell.
pub(crate) fn cell(value: Option<&impl ToString>) -> String {
    value.map(ToString::to_string).unwrap_or_default()
}
