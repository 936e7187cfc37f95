//! Answers requests with a service.

use std::fmt;
use std::ops::ControlFlow::{Break, Continue};
use std::sync::Arc;
use std::time::Duration;

use crate::engine::Request;
use crate::faults::PlannedReply;
use crate::journal::Entry;
use crate::service::{Exchange, Service};
use crate::tasks::{Shutdown, run_blocking};

/// A response to a request to a service.
pub(crate) struct Answer {
    pub(crate) reply: PlannedReply,
    /// The entry of the journal.
    pub(crate) entry: Arc<Entry>,
    /// The concluded exchange.
    pub(crate) exchange: Exchange,
}

impl fmt::Debug for Answer {
    /// Shows only the reply, since the entry contains keys.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Answer");
        shown.field("reply", &self.reply).finish_non_exhaustive()
    }
}

/// Answers a request after the planned delays, which the shutdown ends.
pub(crate) async fn answer(service: Arc<Service>, request: Request, shutdown: &Shutdown) -> Answer {
    let is_slow = service.store.is_slow;
    // Without a delay, the request is handled in the same stage, even if the client disconnects.
    let (mut exchange, next) = run(is_slow, shutdown, move || {
        let mut exchange = Exchange::plan(service, &request);
        let next = match exchange.plan.delay_before.is_zero() {
            true => Break(exchange.handle(request)),
            false => {
                exchange.receive(&request);
                Continue(request)
            }
        };
        (exchange, next)
    })
    .await;
    let (reply, entry) = match next {
        Break(handled) => handled,
        Continue(request) => {
            wait(exchange.plan.delay_before, shutdown).await;
            // From here on, the request is handled even if the client disconnects.
            let handled;
            (exchange, handled) = run(is_slow, shutdown, move || {
                let handled = exchange.handle(request);
                (exchange, handled)
            })
            .await;
            handled
        }
    };
    if let Some((time, ended, carry_out)) = exchange.take_late(&reply) {
        let shutdown = shutdown.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = tokio::time::sleep(time) => run(is_slow, &shutdown, carry_out).await,
                () = ended => {}
            }
        });
    }
    wait(exchange.plan.delay_after, shutdown).await;
    exchange.conclude(&reply);
    Answer {
        reply,
        entry,
        exchange,
    }
}

/// Runs a stage, on the blocking thread pool if the state file may block. The end of the server waits
/// for it.
async fn run<T: Send + 'static>(
    is_slow: bool,
    shutdown: &Shutdown,
    stage: impl FnOnce() -> T + Send + 'static,
) -> T {
    if !is_slow {
        return stage();
    }
    let unfinished = shutdown.started();
    run_blocking(move || {
        let result = stage();
        drop(unfinished);
        result
    })
    .await
}

async fn wait(delay: Duration, shutdown: &Shutdown) {
    if !delay.is_zero() {
        tokio::select! {
            () = tokio::time::sleep(delay) => {}
            () = shutdown.started() => {}
        }
    }
}
