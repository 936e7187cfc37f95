//! Blocking work in async code, and the shutdown signal of a server or a world.

use tokio::sync::watch;

/// A signal to all tasks that the server or the world shuts down.
#[derive(Debug, Clone)]
pub(crate) struct Shutdown(watch::Sender<bool>);

impl Shutdown {
    pub(crate) fn new() -> Self {
        Self(watch::Sender::new(false))
    }

    pub(crate) fn start(&self) {
        self.0.send_replace(true);
    }

    /// Waits until the shutdown starts.
    pub(crate) fn started(&self) -> impl Future<Output = ()> + use<> {
        let mut shutdown = self.0.subscribe();
        async move {
            // If the sender was dropped, the server has already stopped.
            let _ = shutdown.wait_for(|shutdown| *shutdown).await;
        }
    }

    /// Waits until no future of [`started`](Self::started) is left.
    pub(crate) async fn unused(&self) {
        self.0.closed().await;
    }
}

/// Runs blocking work, such as disk I/O, on tokio's blocking thread pool.
pub(crate) async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|panicked| std::panic::resume_unwind(panicked.into_panic()))
}
