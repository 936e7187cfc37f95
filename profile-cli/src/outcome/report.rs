//! What a command has to tell, as data: the output decides how to print it.

use profile_sdk::Response;
use serde_json::json;

use crate::drawing::{Drawing, Figure};

/// The result of a command, once for programs and once for people.
#[derive(Debug)]
pub(crate) struct Report {
    /// One JSON document.
    pub(crate) json: String,
    pub(crate) view: View,
    /// What a person should know beside the result.
    pub(crate) warnings: Vec<String>,
    /// Whether something was changed, which cannot be had again by asking again.
    pub(crate) is_change: bool,
}

/// The result for people, and for pipes that are not told to expect JSON.
#[derive(Debug)]
pub(crate) enum View {
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
    /// Lines that are the same for everybody: scripts, commands, differences.
    Text(String),
    /// An answer of the service as it came, whatever it is.
    Body(Vec<u8>),
    /// One thing for people, and what a pipe gets in its place.
    Split { people: Box<View>, pipes: Box<View> },
    /// A drawing for everybody.
    Drawing(Drawing),
}

impl View {
    /// One thing for people, and what a pipe gets in its place.
    pub(crate) fn split(people: Self, pipes: Self) -> Self {
        Self::Split {
            people: Box::new(people),
            pipes: Box::new(pipes),
        }
    }

    /// A drawing for people, and what a pipe gets in its place.
    pub(crate) fn drawing(drawing: Drawing, pipes: Self) -> Self {
        Self::split(Self::Drawing(drawing), pipes)
    }

    /// Numbers, parted by thousands for people.
    pub(crate) fn figures(figures: Vec<(String, Figure)>) -> Self {
        let fields = figures.iter();
        let fields = fields.map(|(name, figure)| (name.clone(), figure.plain()));
        let fields = Self::Fields(fields.collect());
        Self::drawing(Drawing::Figures(figures), fields)
    }
}

impl From<View> for Report {
    /// A report that tells programs nothing yet.
    fn from(view: View) -> Self {
        Self {
            json: "null".to_owned(),
            view,
            warnings: Vec::new(),
            is_change: false,
        }
    }
}

impl Report {
    /// A report with this JSON document.
    pub(crate) fn new(json: impl ToString, view: View) -> Self {
        Self {
            json: json.to_string(),
            ..Self::from(view)
        }
    }

    /// The same report with one more warning, if there is one.
    pub(crate) fn warning(mut self, warning: Option<String>) -> Self {
        self.warnings.extend(warning);
        self
    }

    /// The same report, on something that was changed.
    pub(crate) fn of_change(mut self) -> Self {
        self.is_change = true;
        self
    }

    /// A text, which is a string of this name in JSON.
    pub(crate) fn text(text: impl Into<String>, name: &str) -> Self {
        let text = text.into();
        Self::new(json!({ name: text }), View::Text(text))
    }

    /// The report on something that was read.
    pub(crate) fn read<T>(response: &Response<T>, view: View) -> Self {
        Self::new(response.raw_data().unwrap_or("null"), view)
    }

    /// The report on a write: the resource where the service sent it, else what was done.
    pub(crate) fn written<T>(
        response: &Response<Option<T>>,
        show: impl FnOnce(&T) -> View,
        result: &str,
        sentence: impl Into<String>,
    ) -> Self {
        let report = match response.data() {
            Some(resource) => Self::read(response, show(resource)),
            None => Self::new(json!({ "result": result }), View::Sentence(sentence.into())),
        };
        report.of_change()
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
