//! The signals that end the program: the first gracefully, the second immediately.

use std::io;

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

    #[cfg(unix)]
    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }

    #[cfg(windows)]
    async fn next(&mut self) {
        self.interrupt.recv().await;
    }
}
