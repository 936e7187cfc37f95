//! The end of a server, of which everybody hears who waits for something else.

use tokio::sync::watch;

/// Says once that the server is about to end.
#[derive(Debug, Clone)]
pub(crate) struct Ending(watch::Sender<bool>);

impl Ending {
    pub(crate) fn new() -> Self {
        Self(watch::Sender::new(false))
    }

    pub(crate) fn begin(&self) {
        self.0.send_replace(true);
    }

    /// Waits for [`begin`](Self::begin).
    pub(crate) fn begun(&self) -> impl Future<Output = ()> + use<> {
        let mut ending = self.0.subscribe();
        async move {
            // Without a sender there is no server any more, and that is an end as well.
            let _ = ending.wait_for(|ending| *ending).await;
        }
    }
}
