//! The stages of a request to a service: it is planned, received, handled and concluded, or abandoned by
//! its client. They do not wait; the transport waits for the delays of the plan.

use std::sync::Arc;
use std::time::Duration;

use bytes::Buf;

use super::Service;
use super::response::compress;
use super::store::Handled;
use crate::engine::{Endpoint, Processed, Request, World};
use crate::faults::{FaultPlan, Phase, PlannedReply, large_json};
use crate::journal::{Entry, RequestOutcome, Response};
use crate::tasks::lock;

/// A request and its response. If it is dropped during a delay, the client has disconnected.
#[derive(Debug)]
pub(crate) struct Exchange {
    pub(crate) service: Arc<Service>,
    pub(crate) plan: FaultPlan,
    stage: Stage,
    /// The number of the entry in the journal, once there is one.
    number: Option<u64>,
    /// A request that is carried out late, and the world in which it arrived.
    late: Option<(Request, World)>,
}

/// The stage of a request.
#[derive(Debug)]
enum Stage {
    Planned,
    /// Waits to be handled, and would have this result now.
    Received(Box<Processed>),
    /// Its response waits to be sent.
    Handled,
    Over,
}

impl Exchange {
    /// Determines the faults of a request and counts it.
    pub(crate) fn plan(service: Arc<Service>, request: &Request) -> Self {
        // Preflights do not use up a fault rule, which is meant for the request of the page.
        let plan = match service.cors.is_some() && request.is_preflight() {
            true => FaultPlan::default(),
            false => service.faults.plan(request, || service.now()),
        };
        Self {
            service,
            plan,
            stage: Stage::Planned,
            number: None,
            late: None,
        }
    }

    /// Records a request that is delayed before it is handled, with the violations that it would have
    /// now. Records nothing if the state file cannot be read, which [`handle`](Self::handle) reports.
    pub(crate) fn receive(&mut self, request: &Request) {
        let service = &self.service;
        let Ok(handled) = service.store.handle(request, service.mutant, true) else {
            return;
        };
        let (entry, processed) = self.entry(request.clone(), handled);
        self.number = Some(service.journal.record(entry, None).number);
        self.stage = Stage::Received(Box::new(processed));
    }

    /// Handles the request, applies the fault to the response, and records both. Returns the response
    /// and the entry of the journal.
    pub(crate) fn handle(&mut self, request: Request) -> (PlannedReply, Arc<Entry>) {
        match self.plan.delay_after.is_zero() {
            true => self.answer(request, None, Stage::Over),
            false => self.answer(request, Some(RequestOutcome::Delayed), Stage::Handled),
        }
    }

    /// Handles the request for wiremock, which waits for the delays itself.
    #[cfg(feature = "wiremock")]
    pub(crate) fn hand_over(mut self, request: Request) -> PlannedReply {
        self.answer(request, Some(RequestOutcome::HandedOver), Stage::Over)
            .0
    }

    /// Records the outcome of a delayed response.
    pub(crate) fn conclude(&mut self, planned: &PlannedReply) {
        if let Stage::Handled = self.stage {
            self.stage = Stage::Over;
            self.record_outcome(planned.outcome());
        }
    }

    /// Records that the client has disconnected, although the response was not sent completely.
    pub(crate) fn abandon(&self) {
        self.record_outcome(RequestOutcome::Abandoned);
    }

    /// Returns the rest of a request that is carried out later, unless the service ends before: the time until then,
    /// and a function that carries it out and records `planned`, what the client received.
    pub(crate) fn take_late(
        &mut self,
        planned: &PlannedReply,
    ) -> Option<(Duration, impl FnOnce() + use<>)> {
        let (request, before) = self.late.take()?;
        let (time, service) = (self.plan.late()?, self.service.clone());
        let (number, outcome) = (self.number?, planned.outcome());
        let carry_out = move || {
            // A state file that cannot be used is reported by the next request.
            let _ = service.store.handle_late(&request, service.mutant, before);
            service.journal.conclude(number, outcome);
        };
        Some((time, carry_out))
    }

    fn record_outcome(&self, outcome: RequestOutcome) {
        if let (Some(number), None) = (self.number, self.plan.late()) {
            self.service.journal.conclude(number, outcome);
        }
    }

    /// Handles and records the request. `outcome` defaults to that of the response.
    fn answer(
        &mut self,
        request: Request,
        outcome: Option<RequestOutcome>,
        next: Stage,
    ) -> (PlannedReply, Arc<Entry>) {
        let service = &self.service;
        let handled = match self.plan.late() {
            None => {
                let is_dry_run = matches!(self.plan.fault, Some((Phase::Before, _)));
                service.store.handle(&request, service.mutant, is_dry_run)
            }
            Some(_) => service
                .store
                .count(&request, service.mutant)
                .map(|(handled, before)| {
                    match (handled.processed.rejection, &mut self.plan.fault) {
                        (None, _) => self.late = Some((request.clone(), before)),
                        (Some(_), Some((phase, _))) => *phase = Phase::Before,
                        (Some(_), None) => {}
                    }
                    handled
                }),
        };
        let handled = handled.unwrap_or_else(|error| {
            // No fault hides the error.
            self.plan.fault = None;
            Handled::failed(&error, service.initial.other_keys())
        });
        let (planned, mut entry) = self.reply(request, handled);
        let outcome = outcome.filter(|_| self.late.is_none());
        let outcome = outcome.or(self.late.as_ref().map(|_| RequestOutcome::Late));
        entry.outcome = outcome.unwrap_or(entry.outcome);
        let recorded = service.journal.record(entry, self.number);
        (self.stage, self.number) = (next, Some(recorded.number));
        (planned, recorded.entry)
    }

    /// Splits a handled request into its entry, without the response, and the result for the report, without the
    /// violations that do not count.
    fn entry(&self, request: Request, handled: Handled) -> (Entry, Processed) {
        let service = &self.service;
        let is_cross_origin = request.is_cross_origin(&service.own_hosts);
        let mut processed = handled.processed;
        let violations = processed.violations.clone();
        // Any page that is open in a browser can send requests to this machine.
        if is_cross_origin && service.cors.is_none() {
            processed.of_other_origin = processed.violations.drain(..).len() as u64;
        }
        if request.is_lost {
            processed.violations.clear();
        }
        let entry = Entry {
            violations,
            is_cross_origin,
            request,
            other_keys: handled.other_keys,
            at: handled.at,
            endpoint: processed.endpoint.map(Endpoint::path),
            has_known_key: handled.has_known_key,
            fault: self.plan.fault_name(),
            outcome: RequestOutcome::Delayed,
            response: None,
        };
        (entry, processed)
    }

    /// Turns the reply of the engine into the response, and adds the request to the report.
    fn reply(&self, request: Request, mut handled: Handled) -> (PlannedReply, Entry) {
        let service = &self.service;
        if let Some(cors) = &service.cors
            && let Some(accepted) = cors.accept_preflight(&request)
        {
            let processed = &mut handled.processed;
            processed.rejection = None;
            // A path that no endpoint has is a violation of the request itself, which follows.
            processed.violations.clear();
            processed.reply = accepted;
        }
        let (date, compresses) = (handled.date.take(), handled.compresses_responses);
        let (mut entry, processed) = self.entry(request, handled);
        let request = &entry.request;
        // The client does not receive a response that a fault replaces.
        let is_received = self.plan.fault.is_none();
        service.count(|report| report.record(&processed, is_received));
        let mut planned = self.plan.apply(processed.reply);
        planned.is_head = request.method == "HEAD";
        if let Some(date) = date {
            planned.set_default_header("date", date);
        }
        if let Some(cors) = &service.cors {
            cors.allow(request, &mut planned);
        }
        if let Some(endpoint) = processed.endpoint {
            let mut recent = lock(&service.recent_responses);
            for (kind, found) in recent.observe(&entry, endpoint, &planned) {
                service.count(|report| report.advise(kind, found));
            }
        }
        // The journal keeps the body as it was before.
        let length = planned.large;
        let body = match length {
            Some(length) => {
                let recorded = service.journal.limits().body_bytes.min(length);
                large_json(length).copy_to_bytes(recorded)
            }
            None => planned.body.clone(),
        };
        if compresses {
            compress(request, &mut planned);
        }
        entry.outcome = planned.outcome();
        entry.response = planned.status().map(|status| Response {
            status,
            headers: planned.headers.clone(),
            body_length: length.unwrap_or(body.len()) as u64,
            body,
        });
        (planned, entry)
    }
}

impl Drop for Exchange {
    /// Records that the client has disconnected during a delay. The report includes a request that was not
    /// handled.
    fn drop(&mut self) {
        match &self.stage {
            Stage::Planned | Stage::Over => {}
            Stage::Handled => self.abandon(),
            Stage::Received(processed) => {
                self.abandon();
                let service = &self.service;
                service.count(|report| report.record(processed, false));
            }
        }
    }
}
