//! Answers requests with a service.

use std::sync::Arc;
use std::time::Duration;

use crate::engine::Request;
use crate::faults::{Plan, PlannedReply};
use crate::journal::{Entry, Numbered, RequestOutcome};
use crate::service::{Received, Service};
use crate::tasks::{Shutdown, run_blocking};

/// Returns the response to a request after the planned delays, and the entry of the journal. The
/// shutdown ends delays.
pub(crate) async fn answer(
    service: Arc<Service>,
    request: Request,
    shutdown: &Shutdown,
) -> (PlannedReply, Arc<Entry>) {
    let (request, plan, received) = run(&service, move |service| plan(service, request)).await;
    let mut pending = Pending {
        service: service.clone(),
        received,
    };
    let delay_after = plan.delay_after;
    wait(plan.delay_before, shutdown).await;
    // From here on, the request is carried out even if the client disconnects.
    let earlier = pending.received.take().map(|received| received.number);
    let outcome_of = match delay_after.is_zero() {
        true => PlannedReply::outcome,
        false => |_: &PlannedReply| RequestOutcome::Delayed,
    };
    let answered = run(&service, move |service| {
        service.answer(request, &plan, earlier, outcome_of)
    });
    let (planned, Numbered { number, entry, .. }) = answered.await;
    if !delay_after.is_zero() {
        let outcome = None;
        pending.received = Some(Received { number, outcome });
        wait(delay_after, shutdown).await;
        pending.received = None;
        service.journal.conclude(number, planned.outcome());
    }
    (planned, entry)
}

/// Determines the faults of a request, and records it if it is delayed first.
fn plan(service: &Service, request: Request) -> (Request, Plan, Option<Received>) {
    let plan = service.plan(&request);
    let received = match plan.delay_before.is_zero() {
        true => None,
        false => service.receive(&request, &plan),
    };
    (request, plan, received)
}

/// Calls the service, on the blocking thread pool if the state file may block.
async fn run<T: Send + 'static>(
    service: &Arc<Service>,
    call: impl FnOnce(&Service) -> T + Send + 'static,
) -> T {
    if !service.store.is_slow() {
        return call(service);
    }
    let service = service.clone();
    run_blocking(move || call(&service)).await
}

/// A request that is delayed. If the client disconnects, hyper drops it.
struct Pending {
    service: Arc<Service>,
    received: Option<Received>,
}

impl Drop for Pending {
    fn drop(&mut self) {
        if let Some(received) = &self.received {
            self.service.abandon(received);
        }
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
