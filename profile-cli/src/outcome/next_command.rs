//! Commands that messages advise the user to run.

use std::fmt;
use std::sync::OnceLock;

/// The options of this run that select the account and the service.
static SELECTION: OnceLock<String> = OnceLock::new();

/// A command that a message names, and that uses the account or the service. `Display` puts it in backticks,
/// with the options of this run that select them, unless it has its own. Other commands are plain text.
pub(crate) struct NextCommand<'a>(pub(crate) &'a str);

/// Sets the options of this run that select the account and the service.
pub(crate) fn select(options: String) {
    let _ = SELECTION.set(options);
}

impl fmt::Display for NextCommand<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(command) = *self;
        let mut options = [" --account ", " --base-url ", " --sandbox"].into_iter();
        let selects = options.any(|option| command.contains(option));
        let selection = SELECTION.get().filter(|_| !selects);
        write!(f, "`{command}{}`", selection.map_or("", String::as_str))
    }
}
