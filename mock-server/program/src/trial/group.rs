//! A command in a process group of its own, without stdin.

use std::ffi::OsString;
use std::io;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::process::{Child, Command};
use tokio::time::timeout;

use super::output::Output;
use crate::failure::Failure;

/// Time for the group to end after SIGTERM.
const GRACE: Duration = Duration::from_secs(2);

/// A command that ended or was ended.
pub(super) struct Ended {
    /// `None` if the command did not end in time.
    pub(super) status: Option<ExitStatus>,
    /// The end of stdout and stderr.
    pub(super) output: String,
}

/// Runs a command. When it ends, or after `limit`, its whole process group is ended; on Windows, only
/// the command itself.
pub(super) async fn run<'a>(
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
    /// The id of the leader and of the group.
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
