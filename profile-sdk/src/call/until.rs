//! Ends calls when a future completes.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::{self, Either};
use tokio::time::sleep;

use super::attempts::Sender;
use super::trace::CallSpan;
use crate::client::{Client, Shared};
use crate::error::{Effect, Error, RawResponse};

/// The future that ends the calls of a client. The calls poll it; each has its own waker.
pub(crate) type Signal = future::Shared<Pin<Box<dyn Future<Output = ()> + Send>>>;

/// The time to read the rest of the response to a write after the signal.
const GRACE: Duration = Duration::from_millis(500);

impl Client {
    /// Creates a client whose calls end when a future completes, for example at SIGTERM. The [guide](crate::guide#shutting-down) has an example.
    ///
    /// The calls of its clones, of clients that [`with_api_key`](Self::with_api_key) creates from it,
    /// and of [`apply`](Self::apply) and [`sync`](Self::sync) end too, and later calls end before anything is sent. They return
    /// [`ErrorKind::Canceled`](crate::ErrorKind::Canceled), and
    /// [`may_have_been_applied`](crate::Error::may_have_been_applied) is `true` only if a write may have reached the
    /// service. A write whose response has begun is read for up to half a second more, and may succeed.
    ///
    /// The client shares everything else with this one. If this one has a future already, either ends the calls.
    /// The calls poll the future; it is not polled while there is none.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use profile_sdk::ErrorKind;
    /// use tokio::sync::oneshot;
    ///
    /// # let service = mock_server::MockServer::start().await;
    /// # let client = profile_sdk::Client::builder().base_url(service.uri()).build()?;
    /// let (end, ended) = oneshot::channel::<()>();
    /// let client = client.until(async { _ = ended.await });
    /// client.badges().await?;
    /// drop(end);
    /// let error = client.badges().await.unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::Canceled);
    /// assert_eq!(error.attempts(), 0);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn until(&self, signal: impl Future<Output = ()> + Send + 'static) -> Self {
        let mut shared = Shared::clone(&self.shared);
        let signal: Pin<Box<dyn Future<Output = ()> + Send>> = match shared.until {
            None => Box::pin(signal),
            Some(earlier) => Box::pin(future::select(earlier, Box::pin(signal)).map(drop)),
        };
        shared.until = Some(signal.shared());
        let shared = Arc::new(shared);
        Self { shared }
    }

    /// Waits for a future until the signal.
    pub(crate) async fn unless_ended<F: Future>(&self, waiting: F) -> Result<F::Output, Error> {
        let Some(signal) = self.shared.until.clone() else {
            return Ok(waiting.await);
        };
        match future::select(signal, pin!(waiting)).await {
            Either::Left(_) => Err(Error::canceled(Effect::Unsent)),
            Either::Right((output, _)) => Ok(output),
        }
    }
}

/// Sends a request until the signal. After it, only the rest of the response to a write is read.
pub(super) async fn run_until(
    mut signal: Signal,
    sender: &mut Sender<'_>,
    span: &CallSpan,
) -> Result<RawResponse, Error> {
    let is_write = sender.request.method().is_write();
    let state = sender.state.clone().unwrap_or_default();
    let mut grace = None;
    let result = {
        let mut run = pin!(span.instrument(sender.run()));
        let end = poll_fn(|context| {
            if grace.is_none() && signal.poll_unpin(context).is_ready() {
                grace = Some(Box::pin(sleep(GRACE)));
            }
            if let Some(grace) = &mut grace {
                let effect = match grace.poll_unpin(context) {
                    Poll::Ready(()) => Some(Effect::Unclear),
                    Poll::Pending => state.end(is_write),
                };
                if let Some(effect) = effect {
                    return Poll::Ready(Err(effect));
                }
            }
            run.as_mut().poll(context).map(Ok)
        });
        end.await
    };
    result.unwrap_or_else(|effect| Err(sender.canceled(effect)))
}
