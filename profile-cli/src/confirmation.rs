//! Asks before something is deleted.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};

use crate::failure::{Failure, FailureKind};

/// Asks the question on a terminal; elsewhere only `--yes` will do.
pub(crate) fn confirm(question: &str, yes: bool) -> Result<(), Failure> {
    if yes {
        return Ok(());
    }
    if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
        let message = "deleting needs a confirmation, and there is no terminal to ask on";
        return Err(Failure::usage(message).hint("add --yes"));
    }
    let answer = ask(question).map_err(|error| {
        let message = format!("the question could not be asked: {error}");
        Failure::new(FailureKind::Other, message).hint("add --yes")
    })?;
    match answer.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        _ => Err(Failure::new(FailureKind::Other, "nothing was deleted")),
    }
}

fn ask(question: &str) -> io::Result<String> {
    let mut stderr = io::stderr().lock();
    write!(stderr, "{question} [y/N] ")?;
    stderr.flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(answer)
}
