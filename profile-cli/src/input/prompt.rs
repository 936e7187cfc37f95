//! Prompts on the terminal.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};

use crate::outcome::failure::{Failure, FailureKind};
use crate::system::interruption::InterruptGuard;
use crate::terminal::printable::printable;

/// Asks for confirmation on a terminal; fails if prompts are disabled or there is no terminal.
pub(crate) fn confirm(question: &str, no_input: bool) -> Result<(), Failure> {
    if no_input || !is_interactive() {
        let message = match no_input {
            true => "confirmation is required, but --no-input disables prompts",
            false => "confirmation is required, but stdin or stderr is not a terminal",
        };
        return Err(Failure::usage(message).hint("add --yes"));
    }
    match yes_or_no(&format!("{question} [y/N] "), false)? {
        true => Ok(()),
        false => Err(Failure::new(FailureKind::Other, "nothing was changed")),
    }
}

/// Repeats a yes-or-no question until the answer is valid; an empty answer is the default.
pub(crate) fn yes_or_no(question: &str, default: bool) -> Result<bool, Failure> {
    loop {
        match ask(question)?.to_ascii_lowercase().as_str() {
            "" => return Ok(default),
            "y" | "yes" => return Ok(true),
            "n" | "no" => return Ok(false),
            _ => {}
        }
    }
}

/// Returns `true` if stdin and stderr are terminals.
pub(crate) fn is_interactive() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Prompts for a line of text. The end of input cancels the command.
pub(crate) fn ask(question: &str) -> Result<String, Failure> {
    let mut answer = String::new();
    let read = write_question(question).and_then(|()| io::stdin().lock().read_line(&mut answer));
    read.map_err(|error| {
        let message = format!("the prompt failed: {error}");
        Failure::new(FailureKind::Other, message)
    })?;
    if !answer.ends_with('\n') {
        let _ = writeln!(io::stderr());
        let message = "input ended before an answer; nothing was changed";
        return Err(Failure::new(FailureKind::Interrupted, message));
    }
    Ok(answer.trim().to_owned())
}

fn write_question(question: &str) -> io::Result<()> {
    let mut stderr = io::stderr().lock();
    write!(stderr, "{}", printable(question))?;
    stderr.flush()
}

/// Prompts for a line of text without echo.
pub(crate) fn ask_hidden(question: &str) -> Result<String, Failure> {
    // Ctrl-C must not end the program before `rpassword` has restored the echo.
    let _guard = InterruptGuard::new();
    rpassword::prompt_password(question).map_err(|error| match error.kind() {
        kind @ (io::ErrorKind::Interrupted | io::ErrorKind::UnexpectedEof) => {
            #[cfg(unix)]
            if kind == io::ErrorKind::Interrupted {
                // `rpassword` reads Ctrl-C as a character and reports it to this process only: a shell
                // loop around the program has to end too.
                let _ = rustix::process::kill_current_process_group(rustix::process::Signal::INT);
            }
            Failure::new(FailureKind::Interrupted, "interrupted; nothing was stored")
        }
        _ => {
            let message = format!("the prompt failed: {error}");
            Failure::new(FailureKind::Other, message)
        }
    })
}
