//! The outcome of a command as data, which `output` prints: a report or a failure. A command with several items
//! tries all of them, and reports all outcomes.

pub(crate) mod failure;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt;
use std::sync::OnceLock;

use profile_sdk::{Profile, Response};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::drawing::{Change, Drawing};
use crate::terminal::{redact_key, redact_values};

pub(crate) use failure::{
    Failure, FailureKind, KeptText, PAGE, ResponseBody, Result, WriteOutcome, sandbox_hint,
    scope_hint,
};

/// The result of a command, for programs and for people.
#[derive(Debug, Clone)]
pub(crate) struct Report {
    /// One JSON document without the key.
    pub(crate) json: String,
    pub(crate) view: View,
    /// Replaces the view for people.
    pub(crate) people: Option<View>,
    /// Printed to stderr before the result.
    pub(crate) warnings: Vec<String>,
    /// `true` if the command changed something: running it again may not print the same result.
    pub(crate) is_change: bool,
    /// `true` if the result is text for another program, such as a script, which only an option
    /// turns into JSON.
    pub(crate) is_raw: bool,
    /// `true` if the result is the key, which no failure to print it may contain.
    pub(crate) is_key: bool,
    /// The exit code if everything is printed.
    pub(crate) exit_code: u8,
}

/// A JSON document without the key: [`Value`] is built by the program, text is that of a response, in which
/// the key may also be a name.
pub(crate) struct Document(pub(crate) String);

impl From<Value> for Document {
    fn from(mut document: Value) -> Self {
        redact_values(&mut document);
        Self(document.to_string())
    }
}

impl From<&str> for Document {
    fn from(json: &str) -> Self {
        Self(redact_key(json).into_owned())
    }
}

/// The result in formats other than JSON.
#[derive(Debug, Clone)]
pub(crate) enum View {
    /// Names and values.
    Fields(Vec<(String, String)>),
    /// A resource or a list of resources; the columns are the names of fields in the JSON.
    Columns {
        names: &'static [&'static str],
        /// Message on a terminal if there are no resources.
        empty: &'static str,
    },
    /// Rows with the same columns.
    Table {
        columns: Vec<String>,
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
    /// A drawing in every format.
    Drawing(Drawing),
}

impl View {
    /// Creates a view of names and values.
    #[cfg(feature = "webhook")]
    pub(crate) fn fields<const N: usize>(fields: [(&str, String); N]) -> Self {
        Self::Fields(fields.map(|(name, value)| (name.to_owned(), value)).into())
    }
}

impl Report {
    /// Creates a report with a JSON document.
    pub(crate) fn new(json: impl Into<Document>, view: View) -> Self {
        Self {
            json: json.into().0,
            view,
            people: None,
            warnings: Vec::new(),
            is_change: false,
            is_raw: false,
            is_key: false,
            exit_code: 0,
        }
    }

    /// Replaces the view for people.
    pub(crate) fn for_people(mut self, view: View) -> Self {
        self.people = Some(view);
        self
    }

    /// Adds warnings, if there are any.
    pub(crate) fn warnings(mut self, warnings: impl IntoIterator<Item = String>) -> Self {
        self.warnings.extend(warnings);
        self
    }

    /// Marks the report as the result of a change.
    pub(crate) fn of_change(mut self) -> Self {
        self.is_change = true;
        self
    }

    /// Replaces the view for people by these changes.
    pub(crate) fn showing(self, changes: Vec<Change>) -> Self {
        let below = "The service accepted the change.".to_owned();
        self.for_people(View::Drawing(Drawing::Changes { changes, below }))
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

    /// Creates the report of a list of the profile. Fails if the response does not contain it.
    pub(crate) fn listing(
        response: &Response<Profile>,
        name: &str,
        view: Option<View>,
    ) -> Result<Self> {
        let Some(view) = view else {
            let message = format!("the profile in the response does not contain your {name}");
            let show = NextCommand("profile show --json");
            let hint = format!("{show} prints the complete profile");
            return Err(Failure::other(message).hint(hint));
        };
        let data = response.raw_data().unwrap_or_default();
        let fields: BTreeMap<String, &RawValue> = serde_json::from_str(data).unwrap_or_default();
        let listed = fields.get(name).map_or("[]", |listed| listed.get());
        Ok(Self::new(listed, view))
    }

    /// Creates the report of numbers, with thousands separators for people.
    pub(crate) fn figures<T>(response: &Response<T>, figures: Vec<(String, Value)>) -> Self {
        let fields = figures.iter();
        let fields = fields.map(|(name, value)| (name.clone(), value.to_string()));
        let report = Self::read(response, View::Fields(fields.collect()));
        report.for_people(View::Drawing(Drawing::Figures(figures)))
    }

    /// Creates the report of a write: the resource if the response has one, otherwise a message.
    pub(crate) fn written<T>(
        response: &Response<Option<T>>,
        view: View,
        result: &str,
        sentence: &str,
    ) -> Self {
        match response.data() {
            Some(_) => Self::read(response, view).of_change(),
            None => Self::changed(json!({ "result": result }), sentence),
        }
    }

    /// Creates the report of a change that is described by a message.
    pub(crate) fn changed(json: impl Into<Document>, sentence: impl Into<String>) -> Self {
        Self::new(json, View::Sentence(sentence.into())).of_change()
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

/// Returns the report, or the failure of the worst kind with the other failures and the report.
pub(crate) fn of_batch(done: Option<Report>, mut failures: Vec<Failure>) -> Result<Report> {
    failures.sort_by_key(|failure| (failure.kind, failure.is_unknown()));
    match (failures.pop(), done) {
        (None, Some(report)) => Ok(report),
        (None, None) => Err(Failure::usage("no identifier was given")),
        (Some(worst), done) => Err(Failure {
            others: failures,
            done: done.map(Box::new),
            ..worst
        }),
    }
}

/// A command that a message names, and that uses the account or the service. `Display` puts it in backticks,
/// with the options of this run that select them, unless it has its own. Other commands are plain text.
pub(crate) struct NextCommand<T>(pub(crate) T);

impl<T: AsRef<str>> fmt::Display for NextCommand<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let command = self.0.as_ref();
        let mut options = [" --account ", " --base-url ", " --sandbox"].into_iter();
        let selects = options.any(|option| command.contains(option));
        let selection = SELECTION.get().filter(|_| !selects);
        write!(f, "`{command}{}`", selection.map_or("", String::as_str))
    }
}

/// The options of this run that select the account and the service.
static SELECTION: OnceLock<String> = OnceLock::new();

/// Sets the options of this run that select the account and the service.
pub(crate) fn select_in_commands(options: String) {
    let _ = SELECTION.set(options);
}

/// Returns a value as a word of a command, in quotes if the shell needs them. If no quotes help, returns the
/// placeholder; the message has to contain the value beside the command. On Windows, cmd, PowerShell and Git
/// Bash read the word alike.
pub(crate) fn word(value: &(impl AsRef<OsStr> + ?Sized), placeholder: &str) -> String {
    let value = value.as_ref().to_string_lossy();
    let is_ambiguous =
        value.ends_with('\\') || value.contains(['"', '%', '!', '$', '`', '\r', '\n']);
    match shlex::try_quote(&value) {
        Err(_) => placeholder.to_owned(),
        Ok(quoted) if !cfg!(windows) => quoted.into_owned(),
        Ok(_) if is_ambiguous => placeholder.to_owned(),
        Ok(quoted) if quoted == value => quoted.into_owned(),
        Ok(_) => format!("\"{value}\""),
    }
}

#[cfg(test)]
mod tests {
    use super::word;

    #[test]
    fn values_are_quoted_for_the_shells_of_the_system() {
        for (value, on_windows) in [
            ("link_1", "link_1"),
            ("", "\"\""),
            ("My site", "\"My site\""),
            ("it's & that", "\"it's & that\""),
            (r"C:\Users\ada", r#""C:\Users\ada""#),
            (r"C:\", "TITLE"),
            ("say \"hi\"", "TITLE"),
            ("100%", "TITLE"),
            ("a!", "TITLE"),
            ("$a", "TITLE"),
            ("`a`", "TITLE"),
            ("a\nb", "TITLE"),
        ] {
            let word = word(value, "TITLE");
            match cfg!(windows) {
                true => assert_eq!(word, on_windows, "{value}"),
                false => assert_eq!(shlex::split(&word), Some(vec![value.to_owned()])),
            }
        }
    }
}
