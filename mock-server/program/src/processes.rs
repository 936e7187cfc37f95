//! The commands that the program runs, and the signals that they get.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::io::{self, PipeReader, Read};
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use mock_server::Signals;
use tokio::process::{Child, Command};
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::failure::Failure;

/// Waits for the start of a server, which a signal ends.
pub(crate) async fn start<T>(
    signals: &mut Signals,
    starting: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    tokio::select! {
        started = starting => started,
        number = signals.next() => Err(Failure::Signal(number)),
    }
}

/// Returns a program to start. On Windows, `npm` may be `npm.cmd`: the endings of PATHEXT are tried. A name without
/// a directory is only searched in PATH: a cloned repository may have a file of that name.
pub(crate) fn find(program: &OsStr) -> io::Result<PathBuf> {
    #[cfg(windows)]
    {
        use std::env::{current_dir, join_paths, split_paths, var_os};
        let path = var_os("PATH").unwrap_or_default();
        let path = join_paths(split_paths(&path).filter(|it| it.is_absolute()));
        let found = which::which_in(program, path.ok(), current_dir()?);
        let reason = match program.to_string_lossy().contains(['/', '\\']) {
            true => "not found",
            false => "not found in PATH",
        };
        found.map_err(|_| io::Error::new(io::ErrorKind::NotFound, reason))
    }
    #[cfg(not(windows))]
    Ok(program.into())
}

/// Sends a signal to a process, except for those that the terminal sends to it as well.
#[cfg(unix)]
pub(crate) fn forward(number: u8, child: &Child) {
    use rustix::process::{Pid, Signal, kill_process};
    let signal = Signal::from_named_raw(number.into());
    let id = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
    if let (Signals::HANGUP | Signals::TERMINATE, Some(signal), Some(id)) = (number, signal, id) {
        // An error means that the process has ended.
        let _ = kill_process(id, signal);
    }
}

#[cfg(windows)]
pub(crate) fn forward(_: u8, _: &Child) {}

/// Returns the exit code of a command, or 128 and the number of the signal that ended it.
pub(crate) fn exit_code(status: ExitStatus) -> i32 {
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    #[cfg(not(unix))]
    let signal = None::<i32>;
    let of_signal = signal.map(|signal| 128 + signal);
    status.code().or(of_signal).unwrap_or(1)
}

/// Time for the group to end after SIGTERM.
const GRACE: Duration = Duration::from_secs(2);

/// Runs a command. When it ends, or after `limit`, its whole process group is ended; on Windows, only after
/// `limit`, with the processes that it started. Returns the exit code, or `None` after `limit`, and the end of
/// stdout and stderr.
pub(crate) async fn run_in_group(
    command: Command,
    limit: Duration,
) -> Result<(Option<i32>, String), Failure> {
    let program = command.as_std().get_program().to_owned();
    let (mut group, output) = spawn(command).map_err(Failure::of_command(&program))?;
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
    Ok((status.map(exit_code), output.finish().await))
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
        // `npm.cmd` and others start further processes. An error means that the process has ended.
        if let Some(id) = self.leader.id() {
            let mut taskkill = std::process::Command::new("taskkill");
            taskkill.args(["/T", "/F", "/PID", &id.to_string()]);
            let _ = taskkill.stdin(Stdio::null()).output();
        }
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
