//! Signals to the program and to the command that it runs.

use std::io;

use tokio::process::Child;
use tokio::sync::oneshot;

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
