//! Asks a person at the terminal.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};

use crate::failure::{Failure, FailureKind};

/// Asks for consent on a terminal; elsewhere only `--yes` will do.
pub(crate) fn confirm(question: &str, no_input: bool) -> Result<(), Failure> {
    if no_input || !can_ask() {
        let message = match no_input {
            true => "this needs a confirmation, and --no-input forbids to ask",
            false => "this needs a confirmation, and there is no terminal to ask on",
        };
        return Err(Failure::usage(message).hint("add --yes"));
    }
    let answer = ask(&format!("{question} [y/N] "))?;
    match answer.to_ascii_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        _ => Err(Failure::new(FailureKind::Other, "nothing was changed")),
    }
}

/// Whether there is somebody who can be asked.
pub(crate) fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks for a line of text.
pub(crate) fn ask(question: &str) -> Result<String, Failure> {
    let mut answer = String::new();
    let read = write_question(question).and_then(|()| io::stdin().lock().read_line(&mut answer));
    read.map_err(|error| {
        let message = format!("the question could not be asked: {error}");
        Failure::new(FailureKind::Other, message)
    })?;
    Ok(answer.trim().to_owned())
}

fn write_question(question: &str) -> io::Result<()> {
    let mut stderr = io::stderr().lock();
    write!(stderr, "{question}")?;
    stderr.flush()
}
