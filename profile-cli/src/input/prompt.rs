//! Prompts on the terminal.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, IsTerminal as _, Read, Write as _};
use std::sync::Arc;

use rpassword::{ConfigBuilder, read_password_with_config};

use crate::outcome::{Failure, FailureKind, Result};
use crate::system::interruption;
use crate::terminal::{Blocking, printable};

/// Asks for confirmation on a terminal, until the answer is valid; fails if prompts are disabled or there is no terminal.
pub(crate) fn confirm(question: &str, no_input: bool) -> Result<()> {
    if no_input || !is_interactive() {
        let reason = why_not_interactive(no_input);
        let message = format!("confirmation is required, but {reason}");
        return Err(Failure::usage(message).hint("add --yes"));
    }
    loop {
        let answer = ask(&format!("{question} [y/N] "))?;
        match answer.to_ascii_lowercase().as_str() {
            "y" | "yes" => return Ok(()),
            "" | "n" | "no" => {
                return Err(Failure::new(FailureKind::Declined, "nothing was changed"));
            }
            _ => {}
        }
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

/// Reads a line. Characters of a terminal that does not use UTF-8 are replaced: they are never a valid answer.
fn read_line() -> io::Result<String> {
    let mut line = Vec::new();
    match io::stdin().is_terminal() {
        // The lock keeps what is typed ahead for the next question.
        true => {
            BufReader::with_capacity(1, Blocking(io::stdin().lock())).read_until(b'\n', &mut line)
        }
        false => BufReader::new(File::open(TERMINAL)?).read_until(b'\n', &mut line),
    }?;
    Ok(String::from_utf8_lossy(&line).into_owned())
}

/// Prompts for a line of text. The end of input cancels the command.
pub(crate) fn ask(question: &str) -> Result<String> {
    interruption::end_if_pending();
    let read = write_question(question).and_then(|()| read_line());
    let answer = read.map_err(failed)?;
    if !answer.ends_with('\n') {
        let _ = writeln!(Blocking(io::stderr()));
        let message = "input ended before an answer";
        return Err(Failure::new(FailureKind::Interrupted, message));
    }
    Ok(answer.trim().to_owned())
}

/// Returns a function that turns the echo of the terminal off or restores it. While it is off, Ctrl-D is read as a
/// character, on Unix also Ctrl-C.
#[cfg(unix)]
fn echo() -> io::Result<impl Fn(bool) -> io::Result<()> + Clone + Send> {
    use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
    let terminal = Arc::new(File::open(TERMINAL)?);
    let saved = tcgetattr(&*terminal)?;
    let mut hidden = saved.clone();
    hidden.local_modes -=
        LocalModes::ECHO | LocalModes::ECHONL | LocalModes::ICANON | LocalModes::ISIG;
    Ok(move |is_on| {
        let modes = if is_on { &saved } else { &hidden };
        Ok(tcsetattr(&*terminal, OptionalActions::Now, modes)?)
    })
}

#[cfg(windows)]
fn echo() -> io::Result<impl Fn(bool) -> io::Result<()> + Clone + Send> {
    use winapi_util::console::{mode, set_mode};
    // ENABLE_LINE_INPUT and ENABLE_ECHO_INPUT. Without ENABLE_PROCESSED_INPUT, Ctrl-V would paste nothing.
    const HIDDEN: u32 = 0b110;
    let terminal = File::options().read(true).write(true).open(TERMINAL)?;
    let saved = mode(&terminal)?;
    let terminal = Arc::new(terminal);
    Ok(move |is_on| set_mode(&*terminal, if is_on { saved } else { saved & !HIDDEN }))
}

/// The keys that are typed. Ctrl-C is an error: `rpassword` would raise SIGINT, which ends the program before
/// the failure is printed.
struct Keys(File);

impl Read for Keys {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.0.read(buffer)?;
        match buffer[..length].contains(&3) {
            true => Err(io::ErrorKind::Interrupted.into()),
            false => Ok(length),
        }
    }
}

fn read_hidden_line() -> io::Result<String> {
    let keys = Keys(File::open(TERMINAL)?);
    let keys = ConfigBuilder::new().input_reader(keys).output_discard();
    let line = read_password_with_config(keys.build());
    writeln!(Blocking(io::stderr()))?;
    line
}

/// Reads without echo, which is off before the question is shown. Restores it, also before a signal ends the
/// program.
fn without_echo(read: impl FnOnce() -> io::Result<String>) -> io::Result<String> {
    let echo = echo()?;
    let restored = echo.clone();
    let _deferred = interruption::defer_unless(move |_| restored(true).is_ok());
    interruption::end_if_pending();
    echo(false)?;
    let read = read();
    let _ = echo(true);
    read
}

fn write_question(question: &str) -> io::Result<()> {
    let mut stderr = Blocking(io::stderr().lock());
    write!(stderr, "{}", printable(question))?;
    stderr.flush()
}

/// Prompts for a line of text without echo.
pub(crate) fn ask_hidden(question: &str) -> Result<String> {
    let read = || write_question(question).and_then(|()| read_hidden_line());
    without_echo(read).map_err(|error| match error.kind() {
        io::ErrorKind::Interrupted | io::ErrorKind::UnexpectedEof => {
            #[cfg(unix)]
            if error.kind() == io::ErrorKind::Interrupted {
                // A shell loop around the program has to end too.
                let _deferred = interruption::defer();
                let _ = rustix::process::kill_current_process_group(rustix::process::Signal::INT);
            }
            Failure::new(FailureKind::Interrupted, "interrupted; nothing was stored")
        }
        _ => failed(error),
    })
}

fn failed(error: io::Error) -> Failure {
    Failure::other(format!("the prompt failed: {error}"))
}
