//! Answers requests with a service.

use std::sync::Arc;
use std::time::Duration;

use crate::blocking::run_blocking;
use crate::engine::Request;
use crate::faults::PlannedReply;
use crate::journal::Entry;
use crate::service::Service;
use crate::shutdown::Shutdown;

/// Returns the response to a request after the planned delays, and the entry of the journal. The
/// shutdown ends delays.
pub(super) async fn answer(
    service: Arc<Service>,
    request: Request,
    shutdown: &Shutdown,
) -> (PlannedReply, Arc<Entry>) {
    let is_slow = service.store().is_slow();
    let planning = service.clone();
    let (request, plan) = run(is_slow, move || {
        let plan = planning.plan(&request);
        (request, plan)
    })
    .await;
    wait(plan.delay_before, shutdown).await;
    let delay = plan.delay_after;
    let answered = run(is_slow, move || service.answer(request, &plan)).await;
    wait(delay, shutdown).await;
    answered
}

/// Runs work that may block if it is slow.
async fn run<T: Send + 'static>(is_slow: bool, work: impl FnOnce() -> T + Send + 'static) -> T {
    match is_slow {
        true => run_blocking(work).await,
        false => work(),
    }
}

async fn wait(delay: Duration, shutdown: &Shutdown) {
    if !delay.is_zero() {
        tokio::select! {
            () = tokio::time::sleep(delay) => {}
            () = shutdown.started() => {}
        }
    }
}
