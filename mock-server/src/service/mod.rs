//! A service: one world with its storage, faults, journal and report.

mod advice;
mod exchange;
mod response;
mod state_file;
mod store;

use std::sync::Mutex;

use jiff::Timestamp;

use self::advice::RecentResponses;
use self::store::Store;
use crate::engine::{Keys, Processed, Report, Request, Violation, World};
use crate::faults::{Fault, FaultRule, FaultRules};
use crate::input::InvalidInput;
use crate::journal::Journal;
use crate::mutants::Mutant;
use crate::tasks::{Shutdown, lock};

pub(crate) use exchange::Exchange;
pub(crate) use response::Cors;
pub use state_file::{StateError, StateFile};

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
            journal: Journal::new(),
            report: Mutex::default(),
            recent_responses: Mutex::default(),
            past_report: Mutex::default(),
            mutant: None,
            cors: None,
            has_connection: true,
            closed: Shutdown::new(),
        }
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
        self.add_faults(vec![rule])
    }

    /// Adds fault rules to a service with connections.
    pub(crate) fn add_faults(&self, rules: Vec<FaultRule>) -> Result<(), InvalidInput> {
        self.faults.add(rules, || self.now())
    }

    /// Returns the time of the world's clock, or of the machine's if the state file cannot be used.
    pub(crate) fn now(&self) -> Timestamp {
        let now = self.store.read(|world| world.clock().timestamp());
        now.unwrap_or_else(|_| Timestamp::now())
    }

    /// Returns the violations and coverage so far.
    pub(crate) fn report(&self) -> Report {
        self.change_report(|report| report.clone())
    }

    /// Returns the report so far, including what a [`reset`](Self::reset) cleared.
    pub(crate) fn full_report(&self) -> Report {
        let mut all = lock(&self.past_report).clone();
        self.change_report(|report| all.merge(report));
        all
    }

    /// Returns the violations of a request for the journal. Those of a page of another origin do not count:
    /// any page that is open in a browser can send requests to this machine.
    fn take_violations(&self, request: &Request, processed: &mut Processed) -> Vec<Violation> {
        let violations = processed.violations.clone();
        if !violations.is_empty() && self.cors.is_none() && request.is_cross_origin() {
            processed.violations.clear();
        }
        violations
    }

    pub(crate) fn change_report<T>(&self, change: impl FnOnce(&mut Report) -> T) -> T {
        change(&mut lock(&self.report))
    }

    /// Replaces the world. The webhook is kept unless the new world has one.
    pub(crate) fn replace(&self, new: World) -> Result<(), StateError> {
        let replaced = self.store.update(|world| {
            let replaced = std::mem::replace(world, new.clone());
            world.keep_webhook(replaced);
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
        lock(&self.recent_responses).clear();
        let report = self.change_report(std::mem::take);
        lock(&self.past_report).merge(&report);
        self.store.replace(self.initial.clone())
    }
}
