//! Asks for a secret on a terminal, which does not show what is typed.

use crate::failure::{Failure, FailureKind};

/// Asks for a line of text and keeps it off the screen, whatever ends the question.
#[cfg(unix)]
pub(crate) fn ask(question: &str) -> Result<String, Failure> {
    // An interruption from outside waits too, since it would leave the terminal silent.
    let _uninterrupted = crate::interruption::Uninterrupted::new();
    let answer = unix::ask(question).map_err(|error| {
        let message = format!("the question could not be asked: {error}");
        Failure::new(FailureKind::Other, message)
    })?;
    answer.ok_or_else(|| Failure::new(FailureKind::Interrupted, "interrupted; nothing was stored"))
}

/// Elsewhere the terminal cannot be kept from showing it.
#[cfg(not(unix))]
pub(crate) fn ask(_: &str) -> Result<String, Failure> {
    let message = "a key cannot be typed unseen on this system";
    Err(Failure::new(FailureKind::Usage, message)
        .hint("give it on standard input: `profile auth login --with-token < FILE`"))
}

#[cfg(unix)]
mod unix {
    use std::io::{self, BufRead as _, Stdin, Write as _};

    use rustix::termios::{
        LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr,
    };

    /// The line that was typed, or nothing if Ctrl-C or the end of input came first.
    pub(super) fn ask(question: &str) -> io::Result<Option<String>> {
        // Before the question, which whoever pastes the answer does not wait for.
        let silence = Silence::begin()?;
        let mut stderr = io::stderr().lock();
        write!(stderr, "{question}")?;
        stderr.flush()?;
        let mut line = Vec::new();
        let read = read_line(silence.interrupt(), &mut line);
        drop(silence);
        // The line break that was typed was not shown either.
        writeln!(stderr)?;
        if !read? {
            return Ok(None);
        }
        let text = String::from_utf8(line).map_err(|_| io::ErrorKind::InvalidData)?;
        Ok(Some(text.trim().to_owned()))
    }

    /// Reads until the line ends. Whether it ended as a line does.
    fn read_line(interrupt: u8, line: &mut Vec<u8>) -> io::Result<bool> {
        let mut stdin = io::stdin().lock();
        loop {
            let buffer = stdin.fill_buf()?;
            let end = buffer.iter().position(|&c| c == b'\n' || c == interrupt);
            let Some(end) = end else {
                let length = buffer.len();
                line.extend_from_slice(buffer);
                stdin.consume(length);
                if length == 0 {
                    return Ok(false);
                }
                continue;
            };
            let interrupted = buffer[end] == interrupt;
            line.extend_from_slice(&buffer[..end]);
            stdin.consume(end + 1);
            return Ok(!interrupted);
        }
    }

    /// A terminal that shows nothing, until this is dropped.
    struct Silence {
        stdin: Stdin,
        before: Termios,
    }

    impl Silence {
        fn begin() -> io::Result<Self> {
            let stdin = io::stdin();
            let before = tcgetattr(&stdin)?;
            let mut silent = before.clone();
            // Ctrl-C ends the line in place of the program, which then can put things right first.
            silent
                .local_modes
                .remove(LocalModes::ECHO | LocalModes::ISIG);
            silent.special_codes[SpecialCodeIndex::VEOL] =
                before.special_codes[SpecialCodeIndex::VINTR];
            tcsetattr(&stdin, OptionalActions::Flush, &silent)?;
            Ok(Self { stdin, before })
        }

        /// The character that interrupts.
        fn interrupt(&self) -> u8 {
            self.before.special_codes[SpecialCodeIndex::VINTR]
        }
    }

    impl Drop for Silence {
        fn drop(&mut self) {
            // A terminal that is gone shows nothing anyway.
            let _ = tcsetattr(&self.stdin, OptionalActions::Now, &self.before);
        }
    }
}
