//! Reads and writes standard streams that do not block, as Node.js, SSH servers and event loops create
//! them: the flag belongs to the pipe or terminal, and is shared with the programs that they start.

use std::io::{self, Read, Write};
#[cfg(unix)]
use std::os::fd::AsFd;
#[cfg(windows)]
use std::os::windows::io::AsHandle as AsFd;

/// A stream that waits where a non-blocking one fails.
pub(crate) struct Blocking<S>(pub(crate) S);

impl<S: Read + AsFd> Read for Blocking<S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.repeat(true, |stream| stream.read(buffer))
    }
}

impl<S: Write + AsFd> Write for Blocking<S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.repeat(false, |stream| stream.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.repeat(false, Write::flush)
    }
}

impl<S: AsFd> Blocking<S> {
    /// Repeats an operation until it does not have to wait.
    fn repeat<T>(
        &mut self,
        reads: bool,
        mut operation: impl FnMut(&mut S) -> io::Result<T>,
    ) -> io::Result<T> {
        loop {
            match operation(&mut self.0) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => wait(&self.0, reads)?,
                result => return result,
            }
        }
    }
}

/// Waits until a stream can be read or written.
#[cfg(unix)]
fn wait(stream: &impl AsFd, reads: bool) -> io::Result<()> {
    use rustix::event::{PollFd, PollFlags, poll};
    let event = if reads { PollFlags::IN } else { PollFlags::OUT };
    match poll(&mut [PollFd::new(stream, event)], None) {
        // A signal that does not end the program.
        Err(rustix::io::Errno::INTR) | Ok(_) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// On other systems, standard streams always block.
#[cfg(not(unix))]
fn wait(_: &impl AsFd, _: bool) -> io::Result<()> {
    Err(io::ErrorKind::WouldBlock.into())
}
