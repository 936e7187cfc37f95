//! The outcome of a command: a report or a failure. A command with several items tries all of them, and
//! reports all outcomes.

pub(crate) mod failure;
mod report;

use std::ffi::OsStr;
use std::fmt;
use std::sync::OnceLock;

pub(crate) use failure::{
    Failure, FailureKind, KeptText, PAGE, ResponseBody, Result, WriteOutcome, sandbox_hint,
    scope_hint,
};
pub(crate) use report::{Report, View, cell, push_field};

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

/// The options of this run that select the account and the service.
static SELECTION: OnceLock<String> = OnceLock::new();

/// A command that a message names, and that uses the account or the service. `Display` puts it in backticks,
/// with the options of this run that select them, unless it has its own. Other commands are plain text.
pub(crate) struct NextCommand<T>(pub(crate) T);

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

impl<T: AsRef<str>> fmt::Display for NextCommand<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let command = self.0.as_ref();
        let mut options = [" --account ", " --base-url ", " --sandbox"].into_iter();
        let selects = options.any(|option| command.contains(option));
        let selection = SELECTION.get().filter(|_| !selects);
        write!(f, "`{command}{}`", selection.map_or("", String::as_str))
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
