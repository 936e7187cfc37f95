//! Answers requests with a service.

use std::sync::Arc;
use std::time::Duration;

use crate::blocking::run_blocking;
use crate::engine::Request;
use crate::faults::{Plan, PlannedReply};
use crate::journal::Entry;
use crate::service::Service;
use crate::shutdown::Shutdown;

/// Returns the response to a request after the planned delays, and the entry of the journal. The
/// shutdown ends delays.
pub(crate) async fn answer(
    service: Arc<Service>,
    request: Request,
    shutdown: &Shutdown,
) -> (PlannedReply, Arc<Entry>) {
    if service.store().is_slow() {
        return answer_blocking(service, request, shutdown).await;
    }
    let plan = service.plan(&request);
    wait(plan.delay_before, shutdown).await;
    let answered = service.answer(request, &plan);
    wait(plan.delay_after, shutdown).await;
    answered
}

/// Does the same on the blocking thread pool, since the state file may block.
async fn answer_blocking(
    service: Arc<Service>,
    request: Request,
    shutdown: &Shutdown,
) -> (PlannedReply, Arc<Entry>) {
    let planning = service.clone();
    let (request, plan): (_, Plan) = run_blocking(move || {
        let plan = planning.plan(&request);
        (request, plan)
    })
    .await;
    wait(plan.delay_before, shutdown).await;
    let delay = plan.delay_after;
    let answered = run_blocking(move || service.answer(request, &plan)).await;
    wait(delay, shutdown).await;
    answered
}

async fn wait(delay: Duration, shutdown: &Shutdown) {
    if !delay.is_zero() {
        tokio::select! {
            () = tokio::time::sleep(delay) => {}
            () = shutdown.started() => {}
        }
    }
}
