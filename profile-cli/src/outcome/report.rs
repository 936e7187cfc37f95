//! The result of a command as data, printed by `output`.

use profile_sdk::Response;
use serde_json::json;

use crate::drawing::{Drawing, Figure};

/// The result of a command, for programs and for people.
#[derive(Debug)]
pub(crate) struct Report {
    /// One JSON document.
    pub(crate) json: String,
    pub(crate) view: View,
    /// Printed to stderr before the result.
    pub(crate) warnings: Vec<String>,
    /// `true` if the command changed something, so that running it again cannot repeat the result.
    pub(crate) is_change: bool,
    /// `true` if the result is text for another program, such as a script, which only an option
    /// turns into JSON.
    pub(crate) is_raw: bool,
    /// The exit code if everything is printed.
    pub(crate) exit_code: u8,
}

/// The result in formats other than JSON.
#[derive(Debug)]
pub(crate) enum View {
    /// Names and values.
    Fields(Vec<(String, String)>),
    /// A resource with the columns of its list, in which CSV shows it.
    Item(Vec<(&'static str, String)>),
    /// Rows with the same columns.
    Table {
        columns: Vec<&'static str>,
        rows: Vec<Vec<String>>,
        /// Message on a terminal if there are no rows.
        empty: &'static str,
    },
    /// A message without further data.
    Sentence(String),
    /// Text in every format: scripts, commands, differences. Control characters are removed, unless
    /// the report is raw.
    Text(String),
    /// The unchanged body of a response.
    Body(Vec<u8>),
    /// One view for terminals, and another for pipes.
    Split { people: Box<View>, pipes: Box<View> },
    /// A drawing in every format.
    Drawing(Drawing),
}

impl View {
    /// Creates a view of one resource.
    pub(crate) fn item<const N: usize>(columns: [&'static str; N], cells: [String; N]) -> Self {
        Self::Item(columns.into_iter().zip(cells).collect())
    }

    /// Creates a view for terminals with another for pipes.
    pub(crate) fn split(people: Self, pipes: Self) -> Self {
        Self::Split {
            people: Box::new(people),
            pipes: Box::new(pipes),
        }
    }

    /// Creates a drawing for terminals with another view for pipes.
    pub(crate) fn drawing(drawing: Drawing, pipes: Self) -> Self {
        Self::split(Self::Drawing(drawing), pipes)
    }

    /// Creates a view of numbers, with thousands separators on terminals.
    pub(crate) fn figures(figures: Vec<(String, Figure)>) -> Self {
        let fields = figures.iter();
        let fields = fields.map(|(name, figure)| (name.clone(), figure.plain()));
        let fields = Self::Fields(fields.collect());
        Self::drawing(Drawing::Figures(figures), fields)
    }
}

impl From<View> for Report {
    /// Creates a report whose JSON is `null`.
    fn from(view: View) -> Self {
        Self {
            json: "null".to_owned(),
            view,
            warnings: Vec::new(),
            is_change: false,
            is_raw: false,
            exit_code: 0,
        }
    }
}

impl Report {
    /// Creates a report with a JSON document.
    pub(crate) fn new(json: impl ToString, view: View) -> Self {
        Self {
            json: json.to_string(),
            ..Self::from(view)
        }
    }

    /// Adds a warning, if any.
    pub(crate) fn warning(mut self, warning: Option<String>) -> Self {
        self.warnings.extend(warning);
        self
    }

    /// Marks the report as the result of a change.
    pub(crate) fn of_change(mut self) -> Self {
        self.is_change = true;
        self
    }

    /// Creates a report of raw text. In JSON, which only an option selects, it is a string field of
    /// this name.
    pub(crate) fn text(text: impl Into<String>, name: &str) -> Self {
        let text = text.into();
        Self {
            is_raw: true,
            ..Self::new(json!({ name: text }), View::Text(text))
        }
    }

    /// Creates the report of a read.
    pub(crate) fn read<T>(response: &Response<T>, view: View) -> Self {
        Self::new(response.raw_data().unwrap_or("null"), view)
    }

    /// Creates the report of a write: the resource if the response has one, otherwise a message.
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

/// Formats an optional value for a table cell.
pub(crate) fn cell(value: Option<&impl ToString>) -> String {
    value.map(ToString::to_string).unwrap_or_default()
}
