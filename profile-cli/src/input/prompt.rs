//! Prompts on the terminal.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, IsTerminal as _, Write as _};
#[cfg(unix)]
use std::thread;

#[cfg(unix)]
use signal_hook::iterator::Signals;

use crate::outcome::failure::{Failure, FailureKind};
use crate::system::interruption::InterruptGuard;
#[cfg(unix)]
use crate::system::interruption::{end_by, is_ignored};
use crate::terminal::printable::printable;
use crate::terminal::stream::Blocking;

/// Asks for confirmation on a terminal; fails if prompts are disabled or there is no terminal.
pub(crate) fn confirm(question: &str, no_input: bool) -> Result<(), Failure> {
    if no_input || !is_interactive() {
        let reason = why_not_interactive(no_input);
        let message = format!("confirmation is required, but {reason}");
        return Err(Failure::usage(message).hint("add --yes"));
    }
    match yes_or_no(&format!("{question} [y/N] "), false)? {
        true => Ok(()),
        false => Err(Failure::new(FailureKind::Declined, "nothing was changed")),
    }
}

/// Returns the reason why nothing can be asked.
pub(crate) fn why_not_interactive(no_input: bool) -> &'static str {
    match no_input {
        true => "--no-input disables prompts",
        false if io::stderr().is_terminal() => "there is no terminal to answer on",
        false => "stderr is not a terminal to ask on",
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

/// The terminal from which answers are read if stdin is a file or a pipe.
const TERMINAL: &str = if cfg!(windows) { "CONIN$" } else { "/dev/tty" };

/// Returns `true` if stderr is a terminal, and answers can be read from one, which may not be stdin.
pub(crate) fn is_interactive() -> bool {
    io::stderr().is_terminal() && (io::stdin().is_terminal() || other_terminal().is_some())
}

/// Returns the terminal from which answers are read if stdin is not one, but stderr is.
pub(crate) fn other_terminal() -> Option<File> {
    let is_other = !io::stdin().is_terminal() && io::stderr().is_terminal();
    is_other.then(|| File::open(TERMINAL).ok()).flatten()
}

fn read_line(line: &mut String) -> io::Result<usize> {
    match io::stdin().is_terminal() {
        // The lock keeps what is typed ahead for the next question.
        true => BufReader::with_capacity(1, Blocking(io::stdin().lock())).read_line(line),
        false => BufReader::new(File::open(TERMINAL)?).read_line(line),
    }
}

/// Prompts for a line of text. The end of input cancels the command.
pub(crate) fn ask(question: &str) -> Result<String, Failure> {
    let mut answer = String::new();
    let read = write_question(question).and_then(|()| read_line(&mut answer));
    read.map_err(failed)?;
    if !answer.ends_with('\n') {
        let _ = writeln!(Blocking(io::stderr()));
        let message = "input ended before an answer; nothing was changed";
        return Err(Failure::new(FailureKind::Interrupted, message));
    }
    Ok(answer.trim().to_owned())
}

/// Reads without echo, so that nothing is shown that is typed before `rpassword` turns the echo off. Restores
/// it, also before SIGTERM or SIGHUP ends the program. The thread stays, since the signals would be ignored
/// without it.
#[cfg(unix)]
fn without_echo(read: impl FnOnce() -> io::Result<String>) -> io::Result<String> {
    use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
    use signal_hook::consts::{SIGHUP, SIGTERM};
    let terminal = File::open(TERMINAL)?;
    let saved = tcgetattr(&terminal)?;
    let (mut hidden, restored) = (saved.clone(), saved.clone());
    let other = terminal.try_clone()?;
    let signals = [SIGTERM, SIGHUP].into_iter().filter(|it| !is_ignored(*it));
    if let Ok(mut signals) = Signals::new(signals) {
        thread::spawn(move || {
            for signal in signals.forever() {
                let _ = tcsetattr(&other, OptionalActions::Now, &restored);
                end_by(signal);
            }
        });
    }
    // `rpassword` reads Ctrl-C and Ctrl-D as characters.
    hidden.local_modes -=
        LocalModes::ECHO | LocalModes::ECHONL | LocalModes::ICANON | LocalModes::ISIG;
    tcsetattr(&terminal, OptionalActions::Now, &hidden)?;
    let read = read();
    let _ = tcsetattr(&terminal, OptionalActions::Now, &saved);
    read
}

#[cfg(not(unix))]
fn without_echo(read: impl FnOnce() -> io::Result<String>) -> io::Result<String> {
    read()
}

fn write_question(question: &str) -> io::Result<()> {
    let mut stderr = Blocking(io::stderr().lock());
    write!(stderr, "{}", printable(question))?;
    stderr.flush()
}

/// Prompts for a line of text without echo.
pub(crate) fn ask_hidden(question: &str) -> Result<String, Failure> {
    // Ctrl-C must not end the program before `rpassword` has restored the echo.
    let _guard = InterruptGuard::new();
    let read = || write_question(question).and_then(|()| rpassword::read_password());
    without_echo(read).map_err(|error| match error.kind() {
        kind @ (io::ErrorKind::Interrupted | io::ErrorKind::UnexpectedEof) => {
            #[cfg(unix)]
            if kind == io::ErrorKind::Interrupted {
                // `rpassword` reads Ctrl-C as a character and reports it to this process only: a shell
                // loop around the program has to end too.
                let _ = rustix::process::kill_current_process_group(rustix::process::Signal::INT);
            }
            Failure::new(FailureKind::Interrupted, "interrupted; nothing was stored")
        }
        _ => failed(error),
    })
}

fn failed(error: io::Error) -> Failure {
    let message = format!("the prompt failed: {error}");
    Failure::new(FailureKind::Other, message)
}
