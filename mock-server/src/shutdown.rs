//! The shutdown signal of a server or a world.

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
}
