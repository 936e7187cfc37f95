//! Signals to the program, and the commands that it runs.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{self, PipeReader, Read};
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use tokio::process::{Child, Command};
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::failure::Failure;

#[cfg(unix)]
pub(crate) struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(windows)]
pub(crate) struct Signals {
    interrupt: tokio::signal::windows::CtrlC,
}

impl Signals {
    /// From now on, the signals do not end the program.
    #[cfg(unix)]
    pub(crate) fn catch() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    #[cfg(windows)]
    pub(crate) fn catch() -> io::Result<Self> {
        let interrupt = tokio::signal::windows::ctrl_c()?;
        Ok(Self { interrupt })
    }

    /// Reports the first signal to `first` and returns at the second.
    pub(crate) async fn twice(&mut self, first: oneshot::Sender<()>) {
        self.next().await;
        // Without a receiver, the server has already stopped.
        let _ = first.send(());
        self.next().await;
    }

    /// Waits for Ctrl-C or SIGTERM, and returns the number of the signal.
    #[cfg(unix)]
    pub(crate) async fn next(&mut self) -> u8 {
        tokio::select! {
            _ = self.interrupt.recv() => 2,
            _ = self.terminate.recv() => 15,
        }
    }

    #[cfg(windows)]
    pub(crate) async fn next(&mut self) -> u8 {
        self.interrupt.recv().await;
        2
    }

    /// Waits for SIGTERM, which Windows does not have.
    #[cfg(unix)]
    pub(crate) async fn terminate(&mut self) {
        self.terminate.recv().await;
    }

    #[cfg(windows)]
    pub(crate) async fn terminate(&mut self) {
        std::future::pending().await
    }
}

/// Sends SIGTERM to a process.
#[cfg(unix)]
pub(crate) fn terminate(child: &Child) {
    use rustix::process::{Pid, Signal, kill_process};
    let id = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
    if let Some(id) = id {
        // An error means that the process has ended.
        let _ = kill_process(id, Signal::TERM);
    }
}

#[cfg(windows)]
pub(crate) fn terminate(_: &Child) {}

/// Returns the exit code of a command, or 128 and the number of the signal that ended it.
pub(crate) fn exit_code(status: ExitStatus) -> u8 {
    let code = status
        .code()
        .or_else(|| signal(status).map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal(_: ExitStatus) -> Option<i32> {
    None
}

/// Time for the group to end after SIGTERM.
const GRACE: Duration = Duration::from_secs(2);

/// A command that ended or was ended.
pub(crate) struct Ended {
    /// `None` if the command did not end in time.
    pub(crate) status: Option<ExitStatus>,
    /// The end of stdout and stderr.
    pub(crate) output: String,
}

/// Runs a command. When it ends, or after `limit`, its whole process group is ended; on Windows, only
/// the command itself.
pub(crate) async fn run_in_group<'a>(
    command: &[OsString],
    environment: impl Iterator<Item = (&'a str, &'a str)>,
    limit: Duration,
) -> Result<Ended, Failure> {
    let (program, arguments) = command.split_first().expect("clap requires a command");
    let mut command = Command::new(program);
    command.args(arguments).envs(environment);
    let (mut group, output) = spawn(command).map_err(|reason| Failure::Command {
        program: program.clone(),
        reason,
    })?;
    let status = match timeout(limit, group.leader.wait()).await {
        Ok(status) => Some(status.map_err(Failure::of("wait for the command"))?),
        Err(_) => {
            group.end(Force::Terminate);
            // Dropping the group kills what is left of it.
            let _ = timeout(GRACE, group.leader.wait()).await;
            None
        }
    };
    drop(group);
    let output = output.finish().await;
    Ok(Ended { status, output })
}

fn spawn(mut command: Command) -> io::Result<(Group, Output)> {
    let (reader, writer) = io::pipe()?;
    command.stdin(Stdio::null());
    command.stdout(writer.try_clone()?).stderr(writer);
    #[cfg(unix)]
    command.process_group(0);
    let leader = command.spawn()?;
    let id = leader.id().unwrap_or_default();
    // Dropping the command closes its ends of the pipe.
    drop(command);
    Ok((Group { leader, id }, Output::collect(reader)))
}

/// A process group, which is killed on drop.
struct Group {
    leader: Child,
    /// The ID of the leader and of the group.
    #[cfg_attr(windows, expect(dead_code, reason = "Windows has no process groups"))]
    id: u32,
}

enum Force {
    Terminate,
    Kill,
}

impl Group {
    #[cfg(unix)]
    fn end(&mut self, force: Force) {
        use rustix::process::{Pid, Signal, kill_process_group};
        let signal = match force {
            Force::Terminate => Signal::TERM,
            Force::Kill => Signal::KILL,
        };
        if let Some(id) = Pid::from_raw(self.id.cast_signed()) {
            // An error means that no process is left.
            let _ = kill_process_group(id, signal);
        }
    }

    #[cfg(windows)]
    fn end(&mut self, _: Force) {
        // An error means that the process has ended.
        let _ = self.leader.start_kill();
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.end(Force::Kill);
    }
}

/// Maximum size in bytes; of longer output, the end is kept.
const MAX_SIZE: usize = 1024 * 1024;

/// Time to read the rest. A process that left the group of the command may keep the pipe open.
const MAX_WAIT: Duration = Duration::from_secs(1);

/// Output that a thread reads from a pipe.
struct Output {
    bytes: Arc<Mutex<VecDeque<u8>>>,
    closed: oneshot::Receiver<()>,
}

impl Output {
    pub(crate) fn collect(mut pipe: PipeReader) -> Self {
        let bytes = Arc::new(Mutex::new(VecDeque::new()));
        let (close, closed) = oneshot::channel();
        let read = bytes.clone();
        thread::spawn(move || {
            let mut buffer = [0; 8192];
            while let Ok(length @ 1..) = pipe.read(&mut buffer) {
                let mut bytes = read.lock().unwrap_or_else(PoisonError::into_inner);
                bytes.extend(&buffer[..length]);
                let excess = bytes.len().saturating_sub(MAX_SIZE);
                bytes.drain(..excess);
            }
            let _ = close.send(());
        });
        Self { bytes, closed }
    }

    /// Returns the output when the pipe is closed.
    pub(crate) async fn finish(self) -> String {
        let _ = timeout(MAX_WAIT, self.closed).await;
        let mut bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(bytes.make_contiguous()).into_owned()
    }
}
