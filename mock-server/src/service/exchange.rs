//! The stages of a request to a service: it is planned, received, handled and concluded, or abandoned by
//! its client. They do not wait; the transport waits for the delays of the plan.

use std::sync::Arc;

use bytes::{Buf, Bytes};
use jiff::Timestamp;

use super::Service;
use super::response::{compress, is_preflight};
use super::store::Handled;
use crate::engine::{Endpoint, Processed, Reply, Request};
use crate::faults::{FaultPlan, PlannedReply, large_body};
use crate::journal::{Entry, RequestOutcome, Response};

/// A request and its response. If it is dropped during a delay, the client has disconnected.
#[derive(Debug)]
pub(crate) struct Exchange {
    service: Arc<Service>,
    pub(crate) plan: FaultPlan,
    /// The number of the entry in the journal, once the request is recorded.
    number: Option<u64>,
    is_delayed: bool,
    /// The result that a delayed request would have; `None` once it was handled.
    processed: Option<Processed>,
}

impl Exchange {
    /// Determines the faults of a request and counts it.
    pub(crate) fn plan(service: Arc<Service>, request: &Request) -> Self {
        // Preflights do not use up a fault rule, which is meant for the request of the page.
        let plan = match service.cors.is_some() && is_preflight(request) {
            true => FaultPlan::default(),
            false => service.faults.plan(request, || service.now()),
        };
        Self {
            service,
            plan,
            number: None,
            is_delayed: false,
            processed: None,
        }
    }

    /// Records a request that is delayed before it is handled, with the violations that it would have
    /// now. Records nothing if the state file cannot be read, which [`handle`](Self::handle) reports.
    pub(crate) fn receive(&mut self, request: &Request) {
        let service = &self.service;
        let Ok(mut handled) = service.store.dry_run(request, service.mutant) else {
            return;
        };
        let violations = service.take_violations(request, &mut handled.processed);
        let entry = Entry {
            request: request.clone(),
            other_keys: handled.other_keys,
            at: handled.at,
            endpoint: handled.processed.endpoint.map(Endpoint::path),
            has_known_key: handled.has_known_key,
            fault: self.plan.fault_name(),
            violations,
            outcome: RequestOutcome::Delayed,
            response: None,
        };
        self.number = Some(service.journal.record(entry, None).number);
        self.is_delayed = true;
        self.processed = Some(handled.processed);
    }

    /// Handles the request, applies the fault to the response, and records both. Returns the response
    /// and the entry of the journal.
    pub(crate) fn handle(&mut self, request: Request) -> (PlannedReply, Arc<Entry>) {
        self.is_delayed = !self.plan.delay_after.is_zero();
        let outcome = self.is_delayed.then_some(RequestOutcome::Delayed);
        self.answer(request, outcome)
    }

    /// Handles the request for wiremock, which waits for the delays itself.
    #[cfg(feature = "wiremock")]
    pub(crate) fn hand_over(mut self, request: Request) -> PlannedReply {
        self.answer(request, Some(RequestOutcome::HandedOver)).0
    }

    /// Records the outcome of a delayed response.
    pub(crate) fn conclude(&mut self, planned: &PlannedReply) {
        if std::mem::take(&mut self.is_delayed) {
            self.end(planned.outcome());
        }
    }

    /// Records that the client has disconnected, although the response was not sent completely.
    pub(crate) fn abandon(&self) {
        self.end(RequestOutcome::Abandoned);
    }

    fn end(&self, outcome: RequestOutcome) {
        if let Some(number) = self.number {
            self.service.journal.conclude(number, outcome);
        }
    }

    /// Handles and records the request. `outcome` defaults to that of the response.
    fn answer(
        &mut self,
        request: Request,
        outcome: Option<RequestOutcome>,
    ) -> (PlannedReply, Arc<Entry>) {
        let service = &self.service;
        let handled = match self.plan.prevents_write() {
            true => service.store.dry_run(&request, service.mutant),
            false => service.store.handle(&request, service.mutant),
        };
        let (planned, mut entry) = match handled {
            Ok(handled) => self.reply(request, handled),
            Err(error) => {
                let reply = Reply::error(500, "state_file", &error.to_string());
                let mut planned = PlannedReply::new(reply);
                if let Some(cors) = &service.cors {
                    cors.allow(&mut planned);
                }
                let entry = Entry {
                    request,
                    other_keys: service.initial.other_keys(),
                    at: Timestamp::now(),
                    endpoint: None,
                    has_known_key: false,
                    fault: None,
                    violations: Vec::new(),
                    outcome: planned.outcome(),
                    response: response(&planned, planned.body.clone(), None),
                };
                (planned, entry)
            }
        };
        entry.outcome = outcome.unwrap_or(entry.outcome);
        self.processed = None;
        let recorded = service.journal.record(entry, self.number);
        self.number = Some(recorded.number);
        (planned, recorded.entry)
    }

    /// Turns the reply of the engine into the response, and adds the request to the report.
    fn reply(&self, request: Request, handled: Handled) -> (PlannedReply, Entry) {
        let Handled {
            mut processed,
            at,
            date,
            compresses_responses,
            has_known_key,
            other_keys,
        } = handled;
        let service = &self.service;
        if let Some(cors) = &service.cors
            && let Some(accepted) = cors.accept_preflight(&request)
        {
            processed.rejection = None;
            // A path that no endpoint has is a violation of the request itself, which follows.
            processed.violations.clear();
            processed.reply = accepted;
        }
        let violations = service.take_violations(&request, &mut processed);
        // The client does not receive a response that a fault replaces.
        let is_received = self.plan.fault.is_none();
        service.change_report(|report| report.record(&processed, is_received));
        let mut planned = self.plan.apply(processed.reply);
        planned.is_head = request.method == "HEAD";
        if let Some(date) = date {
            planned.set_default_header("date", date);
        }
        if let Some(cors) = &service.cors {
            cors.allow(&mut planned);
        }
        if let Some(endpoint) = processed.endpoint {
            let mut recent = service.recent_responses();
            for (kind, found) in recent.observe(&request, endpoint, at, &other_keys, &planned) {
                service.change_report(|report| report.advise(kind, found));
            }
        }
        // The journal keeps the body as it was before.
        let length = planned.large;
        let body = match length {
            Some(length) => {
                let recorded = service.journal.limits().body_bytes.min(length);
                large_body::json(length).copy_to_bytes(recorded)
            }
            None => planned.body.clone(),
        };
        if compresses_responses {
            compress(&request, &mut planned);
        }
        let entry = Entry {
            request,
            other_keys,
            at,
            endpoint: processed.endpoint.map(Endpoint::path),
            has_known_key,
            fault: planned.fault,
            violations,
            outcome: planned.outcome(),
            response: response(&planned, body, length),
        };
        (planned, entry)
    }
}

impl Drop for Exchange {
    /// Records that the client has disconnected during a delay. The report includes a request that was not
    /// handled.
    fn drop(&mut self) {
        if self.is_delayed {
            self.abandon();
        }
        if let Some(processed) = &self.processed {
            let service = &self.service;
            service.change_report(|report| report.record(processed, false));
        }
    }
}

/// Returns the recorded part of a response, or `None` if the client does not receive it.
fn response(planned: &PlannedReply, body: Bytes, length: Option<usize>) -> Option<Response> {
    Some(Response {
        status: planned.status()?,
        headers: planned.headers.clone(),
        body_length: length.unwrap_or(body.len()) as u64,
        body,
    })
}
