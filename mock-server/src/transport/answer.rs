//! Answers requests with a service.

use std::sync::Arc;
use std::time::Duration;

use crate::engine::Request;
use crate::faults::{FaultPlan, PlannedReply};
use crate::journal::{Entry, Numbered, RequestOutcome};
use crate::service::{Delayed, Service};
use crate::tasks::{Shutdown, run_blocking};

/// Returns the response to a request after the planned delays, and the entry of the journal. The
/// shutdown ends delays.
pub(crate) async fn answer(
    service: Arc<Service>,
    request: Request,
    shutdown: &Shutdown,
) -> (PlannedReply, Arc<Entry>) {
    let (request, plan, delayed) = run(&service, move |service| plan(service, request)).await;
    let mut pending = Pending {
        service: service.clone(),
        delayed,
    };
    let delay_after = plan.delay_after;
    wait(plan.delay_before, shutdown).await;
    // From here on, the request is carried out even if the client disconnects.
    let earlier = pending.delayed.take().map(|delayed| delayed.number);
    let outcome_of = match delay_after.is_zero() {
        true => PlannedReply::outcome,
        false => |_: &PlannedReply| RequestOutcome::Delayed,
    };
    let answered = run(&service, move |service| {
        service.answer(request, &plan, earlier, outcome_of)
    });
    let (planned, Numbered { number, entry, .. }) = answered.await;
    if !delay_after.is_zero() {
        let processed = None;
        pending.delayed = Some(Delayed { number, processed });
        wait(delay_after, shutdown).await;
        pending.delayed = None;
        service.journal.conclude(number, planned.outcome());
    }
    (planned, entry)
}

/// Determines the faults of a request, and records it if it is delayed first.
fn plan(service: &Service, request: Request) -> (Request, FaultPlan, Option<Delayed>) {
    let plan = service.plan(&request);
    let delayed = match plan.delay_before.is_zero() {
        true => None,
        false => service.receive(&request, &plan),
    };
    (request, plan, delayed)
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
    delayed: Option<Delayed>,
}

impl Drop for Pending {
    fn drop(&mut self) {
        if let Some(delayed) = &self.delayed {
            self.service.abandon(delayed);
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
