//! The end of a server, of which everybody hears who waits for something else.

use tokio::sync::watch;

/// Says once that the server is about to end.
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
            // Without a sender there is no server any more, and that is an end as well.
            let _ = shutdown.wait_for(|shutdown| *shutdown).await;
        }
    }
}
