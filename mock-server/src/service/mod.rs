//! A service: one world with its storage, faults, journal and report.

mod advice;
mod response;
mod store;

use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use jiff::Timestamp;

use self::advice::RecentResponses;
use self::response::{compress, is_preflight};
use self::store::{Handled, Store};
use crate::engine::{Endpoint, Keys, Processed, Reply, Report, Request, World};
use crate::faults::{Fault, FaultPlan, FaultRule, FaultRules, PlannedReply};
use crate::input::InvalidInput;
use crate::journal::{Entry, Journal, JournalLimits, Numbered, RequestOutcome, Response};
use crate::mutants::Mutant;
use crate::tasks::Shutdown;

pub(crate) use response::Cors;
pub use store::{StateError, StateFile};

/// A world with its faults, journal and report. The transports send requests to it.
#[derive(Debug)]
pub(crate) struct Service {
    pub(crate) store: Store,
    /// The state that [`reset`](Self::reset) restores.
    pub(crate) initial: World,
    /// The keys of `demo` in the initial world.
    pub(crate) keys: Keys,
    pub(crate) faults: FaultRules,
    pub(crate) journal: Journal,
    report: Mutex<Report>,
    recent_responses: Mutex<RecentResponses>,
    /// The report before the last [`reset`](Self::reset).
    past_report: Mutex<Report>,
    /// Makes the service break a sentence of the specification.
    pub(crate) mutant: Option<Mutant>,
    /// Lets web pages of another origin use the service.
    pub(crate) cors: Option<Cors>,
    /// `false` if the service has no connections of its own, but passes its responses to wiremock.
    pub(crate) has_connection: bool,
    /// Starts when the world is deleted, which wakes all waiting requests.
    pub(crate) closed: Shutdown,
}

impl Service {
    /// Creates a service in memory.
    pub(crate) fn in_memory(world: World) -> Self {
        Self::new(Store::Memory(Mutex::new(world.clone())), world)
    }

    /// Creates a service with a state file. If the file does not exist, it starts with `new_world`.
    /// [`reset`](Self::reset) restores the current content of the file.
    pub(crate) fn in_file(file: StateFile, new_world: World) -> Result<Self, StateError> {
        let initial = file.transact(&new_world, |world| (world.clone(), false))?;
        // If the file is deleted, its replacement must have the keys that were printed.
        let new_world = match initial.seed() == new_world.seed() {
            true => new_world,
            false => new_world.recreate(initial.seed()),
        };
        Ok(Self::new(Store::File { file, new_world }, initial))
    }

    fn new(store: Store, initial: World) -> Self {
        Self {
            store,
            keys: initial.keys(),
            initial,
            faults: FaultRules::default(),
            journal: Journal::new(JournalLimits::default()),
            report: Mutex::default(),
            recent_responses: Mutex::default(),
            past_report: Mutex::default(),
            mutant: None,
            cors: None,
            has_connection: true,
            closed: Shutdown::new(),
        }
    }

    /// Changes the world and the state that [`reset`](Self::reset) restores.
    pub(crate) fn update_initial<T>(
        &mut self,
        change: impl FnOnce(&mut World) -> T,
    ) -> Result<T, StateError> {
        let (result, initial) = self.store.transact(|world| {
            let result = change(world);
            ((result, world.clone()), true)
        })?;
        self.initial = initial;
        Ok(result)
    }

    /// Adds a fault rule, unless its fault needs a connection that the service does not have.
    pub(crate) fn add_fault(&self, rule: FaultRule) -> Result<(), InvalidInput> {
        if let (Fault::Wire(wire), false) = (&rule.fault, self.has_connection) {
            let message = format!(
                "the fault `{}` needs a connection, which a responder of wiremock does not have; use \
                 `MockServer`",
                wire.name()
            );
            return Err(InvalidInput::new("no_connection", message));
        }
        self.faults.add(vec![rule])
    }

    /// Determines the faults of a request and counts it. This is separate from
    /// [`answer`](Self::answer) because the plan may contain a delay before it.
    pub(crate) fn plan(&self, request: &Request) -> FaultPlan {
        // A rule for the next request means the one that the page sends, not the browser's own.
        if self.cors.is_some() && is_preflight(request) {
            return FaultPlan::default();
        }
        self.faults.plan(request)
    }

    /// Records a request that is delayed before it is carried out, with the violations that it would
    /// have now. Returns `None` if the state file cannot be read, which `answer` reports.
    pub(crate) fn receive(&self, request: &Request, plan: &FaultPlan) -> Option<Delayed> {
        let handled = self.store.dry_run(request, self.mutant).ok()?;
        let entry = Entry {
            request: request.clone(),
            other_keys: handled.other_keys,
            at: handled.at,
            endpoint: handled.processed.endpoint.map(Endpoint::path),
            has_known_key: handled.has_known_key,
            fault: plan.fault_name(),
            violations: handled.processed.violations.clone(),
            outcome: RequestOutcome::Delayed,
            response: None,
        };
        let number = self.journal.record(entry, None).number;
        let processed = Some(handled.processed);
        Some(Delayed { number, processed })
    }

    /// Records that the client of a request has disconnected. If the request was not carried out, its
    /// violations count all the same.
    pub(crate) fn abandon(&self, delayed: &Delayed) {
        self.journal
            .conclude(delayed.number, RequestOutcome::Abandoned);
        if let Some(processed) = &delayed.processed {
            self.change_report(|report| report.record_violations(processed));
        }
    }

    /// Handles a request, applies the planned fault to the response, and records the request in the
    /// journal and the report. Returns the response and the entry of the journal. `earlier` is the
    /// number of its entry, if it was already recorded; `outcome_of` returns what becomes of the
    /// response.
    pub(crate) fn answer(
        &self,
        request: Request,
        plan: &FaultPlan,
        earlier: Option<u64>,
        outcome_of: fn(&PlannedReply) -> RequestOutcome,
    ) -> (PlannedReply, Numbered) {
        let handled = match plan.prevents_write() {
            true => self.store.dry_run(&request, self.mutant),
            false => self.store.handle(&request, self.mutant),
        };
        match handled {
            Ok(handled) => self.apply(request, plan, handled, earlier, outcome_of),
            Err(error) => {
                let reply = Reply::error(500, "state_file", &error.to_string());
                let planned = PlannedReply::new(reply);
                let entry = Entry {
                    request,
                    other_keys: self.initial.other_keys(),
                    at: Timestamp::now(),
                    endpoint: None,
                    has_known_key: false,
                    fault: None,
                    violations: Vec::new(),
                    outcome: outcome_of(&planned),
                    response: response(&planned, planned.body.clone()),
                };
                (planned, self.journal.record(entry, earlier))
            }
        }
    }

    fn apply(
        &self,
        request: Request,
        plan: &FaultPlan,
        handled: Handled,
        earlier: Option<u64>,
        outcome_of: fn(&PlannedReply) -> RequestOutcome,
    ) -> (PlannedReply, Numbered) {
        let Handled {
            mut processed,
            at,
            date,
            compresses_responses,
            has_known_key,
            other_keys,
        } = handled;
        if let Some(cors) = &self.cors {
            cors.answer_preflight(&request, &mut processed);
        }
        self.change_report(|report| match plan.fault {
            // The client does not receive a response that a fault replaces.
            Some(_) => report.record_violations(&processed),
            None => report.record(&processed),
        });
        let endpoint = processed.endpoint.map(Endpoint::path);
        let mut planned = plan.apply(processed.reply);
        if let Some(date) = date {
            planned.set_default_header("date", date);
        }
        if let Some(cors) = &self.cors {
            cors.allow(&request, &mut planned);
        }
        if let Some(endpoint) = processed.endpoint {
            let shown =
                self.recent_responses()
                    .observe(&request, endpoint, at, &other_keys, &planned);
            for (habit, found) in shown {
                self.change_report(|report| report.advise(habit, found));
            }
        }
        // The journal keeps the body as it was before.
        let body = planned.body.clone();
        if compresses_responses {
            compress(&request, &mut planned);
        }
        let entry = Entry {
            request,
            other_keys,
            at,
            endpoint,
            has_known_key,
            fault: planned.fault,
            violations: processed.violations,
            outcome: outcome_of(&planned),
            response: response(&planned, body),
        };
        (planned, self.journal.record(entry, earlier))
    }

    /// Returns the violations and coverage so far.
    pub(crate) fn report(&self) -> Report {
        self.change_report(|report| report.clone())
    }

    /// Returns the report so far, including what a [`reset`](Self::reset) cleared.
    pub(crate) fn full_report(&self) -> Report {
        let mut all = self.past_report().clone();
        self.change_report(|report| all.merge(report));
        all
    }

    fn recent_responses(&self) -> MutexGuard<'_, RecentResponses> {
        self.recent_responses
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn past_report(&self) -> MutexGuard<'_, Report> {
        let past = self.past_report.lock();
        past.unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn change_report<T>(&self, change: impl FnOnce(&mut Report) -> T) -> T {
        change(&mut self.report.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Replaces the world. The webhook is kept unless the new world has one.
    pub(crate) fn replace(&self, new: World) -> Result<(), StateError> {
        let replaced = self.store.transact(|world| {
            let replaced = std::mem::replace(world, new.clone());
            (world.keep_webhook(replaced), true)
        });
        match replaced {
            // A damaged state has no webhook to keep.
            Err(StateError::Damaged { .. } | StateError::UnsupportedVersion { .. }) => {
                self.store.replace(new)
            }
            other => other,
        }
    }

    /// Restores the initial world and clears the faults, the journal and the report.
    pub(crate) fn reset(&self) -> Result<(), StateError> {
        self.faults.restart();
        self.journal.clear();
        self.recent_responses().clear();
        let report = self.change_report(std::mem::take);
        self.past_report().merge(&report);
        self.store.replace(self.initial.clone())
    }
}

/// A request in the journal that may still be abandoned.
pub(crate) struct Delayed {
    pub(crate) number: u64,
    /// The result that the request would have; `None` if it was carried out.
    pub(crate) processed: Option<Processed>,
}

/// Returns the recorded part of a response, or `None` if the client does not receive it.
fn response(planned: &PlannedReply, body: Bytes) -> Option<Response> {
    Some(Response {
        status: planned.status()?,
        headers: planned.headers.clone(),
        body_length: body.len() as u64,
        body,
    })
}
