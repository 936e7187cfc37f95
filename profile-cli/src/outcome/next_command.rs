//! Commands that messages advise the user to run.

use std::fmt;
use std::sync::OnceLock;

/// The options of this run that select the account and the service.
static SELECTION: OnceLock<String> = OnceLock::new();

/// The commands that use the selected account and service.
const SELECTING: &[&str] = &[
    "show",
    "set",
    "edit",
    "export",
    "diff",
    "apply",
    "link",
    "post",
    "stats",
    "analytics",
    "badges",
    "site",
    "api",
    "auth login",
    "auth status",
    "config list",
];

/// A command of this program that a message names. `Display` puts it in backticks, with the options of this
/// run that select the account and the service, unless it has its own.
pub(crate) struct NextCommand<'a>(pub(crate) &'a str);

/// Sets the options of this run that select the account and the service.
pub(crate) fn select(options: String) {
    let _ = SELECTION.set(options);
}

impl fmt::Display for NextCommand<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(command) = *self;
        let uses_service = SELECTING.iter().any(|name| {
            let arguments = command.strip_prefix("profile ");
            let arguments = arguments.and_then(|arguments| arguments.strip_prefix(name));
            arguments.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        });
        let mut options = [" --account ", " --base-url ", " --sandbox"].into_iter();
        let selects = options.any(|option| command.contains(option));
        let selection = SELECTION.get().filter(|_| uses_service && !selects);
        let selection = selection.map_or("", String::as_str);
        write!(f, "`{command}{selection}`")
    }
}
