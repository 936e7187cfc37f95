//! A service: one world with its storage, faults, journal and report, until a reset or its deletion.

mod advice;
mod exchange;
mod response;
mod state_file;
mod store;

use std::sync::{Arc, Mutex};

use jiff::Timestamp;

use self::advice::RecentResponses;
use crate::engine::{Keys, OwnHosts, Report, World};
use crate::faults::{ActiveRule, FaultRule, FaultRules};
use crate::input::Result;
use crate::journal::{Journal, PastJournals};
use crate::mutants::Mutant;
use crate::tasks::{Shutdown, lock};

pub(crate) use exchange::Exchange;
pub(crate) use response::Cors;
pub use state_file::{StateError, StateFile};
pub(crate) use store::Store;

/// A world from its creation or a reset until the next reset or its deletion, with its faults, journal and
/// report. The transports send requests to it. Requests and deliveries that are under way at its end stay with
/// it, and have no effect on the service that replaces it.
#[derive(Debug)]
pub(crate) struct Service {
    pub(crate) store: Store,
    /// The state that a reset restores.
    pub(crate) initial: World,
    /// The keys of `demo` in the initial world.
    pub(crate) keys: Keys,
    pub(crate) faults: FaultRules,
    pub(crate) journal: Arc<Journal>,
    /// `None` after the end of the service, when everything counts in the report of `past`.
    report: Mutex<Option<Report>>,
    recent_responses: Mutex<RecentResponses>,
    pub(crate) past: Arc<Past>,
    /// Makes the service break a sentence of the specification.
    pub(crate) mutant: Option<Mutant>,
    /// Lets web pages of another origin use the service.
    pub(crate) cors: Option<Cors>,
    pub(crate) own_hosts: OwnHosts,
    /// Starts when the service ends, which wakes all waiting requests.
    pub(crate) ended: Shutdown,
}

/// The report and the journals of the services of one process that have ended.
#[derive(Debug, Default)]
pub(crate) struct Past {
    pub(crate) report: Mutex<Report>,
    pub(crate) journals: Mutex<PastJournals>,
}

impl Service {
    /// Creates a service in memory.
    pub(crate) fn in_memory(world: World) -> Self {
        Self::new(Store::in_memory(world.clone()), world)
    }

    /// Creates a service with a state file. If the file does not exist, it starts with `new_world`. A reset
    /// restores the current content of the file.
    pub(crate) fn in_file(file: StateFile, new_world: World) -> Result<Self, StateError> {
        let initial = file.transact(&new_world, |world| (world.clone(), false))?;
        // If the file is deleted, its replacement must have the keys that were printed.
        let new_world = match initial.seed() == new_world.seed() {
            true => new_world,
            false => new_world.recreate(initial.seed()),
        };
        Ok(Self::new(Store::in_file(file, new_world), initial))
    }

    /// Returns the service for the time after a reset. With a state file, `self` continues with a copy of it.
    pub(crate) fn restart(&self) -> Result<Self, StateError> {
        let store = self.store.restart(self.initial.clone())?;
        Ok(self.beside(store, self.initial.clone(), self.journal.restart()))
    }

    /// Returns a service with the settings of this one.
    pub(crate) fn beside(&self, store: Store, initial: World, journal: Journal) -> Self {
        journal.set_limits(self.journal.limits());
        Self {
            journal: Arc::new(journal),
            past: self.past.clone(),
            mutant: self.mutant,
            cors: self.cors.clone(),
            own_hosts: self.own_hosts.clone(),
            ..Self::new(store, initial)
        }
    }

    /// Ends the service of the world with this name. What is under way is completed.
    pub(crate) fn end(&self, world: &str) {
        let mut report = lock(&self.report);
        if let Some(report) = report.take() {
            lock(&self.past.report).merge(&report);
            lock(&self.past.journals).add(world, &self.journal);
            self.ended.start();
        }
    }

    fn new(store: Store, initial: World) -> Self {
        Self {
            store,
            keys: initial.keys(),
            initial,
            faults: FaultRules::default(),
            journal: Arc::new(Journal::new()),
            report: Mutex::new(Some(Report::default())),
            recent_responses: Mutex::default(),
            past: Arc::default(),
            mutant: None,
            cors: None,
            own_hosts: OwnHosts::default(),
            ended: Shutdown::default(),
        }
    }

    /// Adds fault rules, and returns them.
    pub(crate) fn add_faults(&self, rules: Vec<FaultRule>) -> Result<Vec<ActiveRule>> {
        self.faults.add(rules, || self.now())
    }

    /// Returns the time of the world's clock, or of the machine's if the state file cannot be used.
    pub(crate) fn now(&self) -> Timestamp {
        let now = self.store.read(|world| world.clock().timestamp());
        now.unwrap_or_else(|_| Timestamp::now())
    }

    /// Returns the violations and coverage so far.
    pub(crate) fn report(&self) -> Report {
        lock(&self.report).clone().unwrap_or_default()
    }

    /// Removes the violations and the advice. A suite gathers the coverage over all of its tests.
    pub(crate) fn clear_violations(&self) {
        let mut report = lock(&self.report);
        report.as_mut().map(Report::clear_violations);
    }

    /// Counts something in the report, or in that of the past if the service has ended.
    pub(crate) fn count(&self, change: impl FnOnce(&mut Report)) {
        match &mut *lock(&self.report) {
            Some(report) => change(report),
            None => change(&mut lock(&self.past.report)),
        }
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
}
