//! One world with everything around it that does not persist.

use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;
use tokio::sync::watch;

use crate::engine::{Endpoint, Keys, Reply, Request, Verdicts, World};
use crate::faults::{FaultRule, FaultRules, Plan, PlannedReply};
use crate::invalid_input::InvalidInput;
use crate::journal::{Journal, JournalLimits, RecordedReply};
use crate::state_file::{StateError, StateFile};
use crate::store::{Handled, Store};
use crate::webhook::keep_webhook;

/// A world, and the faults that its clients meet. Every transport carries requests to one of these.
#[derive(Debug)]
pub(crate) struct Service {
    store: Store,
    /// What [`reset`](Self::reset) goes back to.
    initial: World,
    keys: Keys,
    faults: FaultRules,
    journal: Journal,
    verdicts: Mutex<Verdicts>,
    /// Says `true` when its world is taken away.
    closed: watch::Sender<bool>,
}

impl Service {
    /// A service in memory.
    pub(crate) fn in_memory(world: World) -> Self {
        let keys = world.keys();
        Self::new(Store::Memory(Mutex::new(world.clone())), world, keys)
    }

    /// A service on a file, which begins as `new_world` when it is not there. Once it was there,
    /// [`reset`](Self::reset) goes back to what it holds now.
    pub(crate) fn in_file(file: StateFile, new_world: World) -> Result<Self, StateError> {
        let initial = file.transact(&new_world, |world| (world.clone(), false))?;
        let keys = initial.keys();
        // Should the file go away, the next one has the keys that were told.
        let new_world = match initial.seed() == new_world.seed() {
            true => new_world,
            false => new_world.recreate(initial.seed()),
        };
        Ok(Self::new(Store::File { file, new_world }, initial, keys))
    }

    fn new(store: Store, initial: World, keys: Keys) -> Self {
        let faults = FaultRules::new(initial.seed());
        Self {
            store,
            initial,
            keys,
            faults,
            journal: Journal::new(JournalLimits::default()),
            verdicts: Mutex::default(),
            closed: watch::Sender::new(false),
        }
    }

    /// Changes the world and what [`reset`](Self::reset) goes back to.
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

    /// The same service, whose journal keeps another number of requests.
    pub(crate) fn with_journal_limits(self, limits: JournalLimits) -> Self {
        Self {
            journal: Journal::new(limits),
            ..self
        }
    }

    /// The world as it was made.
    pub(crate) fn initial(&self) -> &World {
        &self.initial
    }

    /// Tells whoever waits for something to happen here that nothing will.
    pub(crate) fn close(&self) {
        self.closed.send_replace(true);
    }

    /// Waits for [`end`](Self::end).
    pub(crate) async fn closed(&self) {
        // The sender lives as long as `self`.
        let _ = self.closed.subscribe().wait_for(|closed| *closed).await;
    }

    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    /// The six keys of `demo`, as they were when the service began.
    pub(crate) fn keys(&self) -> &Keys {
        &self.keys
    }

    pub(crate) fn faults(&self) -> &FaultRules {
        &self.faults
    }

    /// Adds fault rules, all or none.
    pub(crate) fn add_faults(&self, rules: Vec<FaultRule>) -> Result<(), InvalidInput> {
        self.faults.add(rules)
    }

    /// What is to go wrong with a request, which is counted. Comes first, since a plan may be to
    /// wait before [`answer`](Self::answer).
    pub(crate) fn plan(&self, request: &Request) -> Plan {
        let now = self.faults.reads_clock().then(|| {
            self.store
                .transact(|world| (world.clock().timestamp(), false))
        });
        // A state that cannot be read is told by `answer`.
        self.faults.plan(request, now.and_then(Result::ok))
    }

    /// Carries a request out as far as the plan lets it, and spoils its answer. The request is in the
    /// journal and in the verdicts when this returns.
    pub(crate) fn answer(&self, request: &Request, plan: &Plan) -> PlannedReply {
        let handled = match plan.prevents_write() {
            true => self.store.dry_run(request),
            false => self.store.handle(request),
        };
        match handled {
            Ok(handled) => self.record(request, plan, handled),
            Err(error) => {
                let reply = Reply::error(500, "state_file", &error.to_string(), None);
                let answered = RecordedReply {
                    at: Timestamp::now(),
                    endpoint: None,
                    key: None,
                    status: Some(reply.status),
                    fault: None,
                };
                self.journal.record(request, &answered);
                PlannedReply::new(reply)
            }
        }
    }

    fn record(&self, request: &Request, plan: &Plan, handled: Handled<'_>) -> PlannedReply {
        let Handled {
            outcome,
            at,
            date,
            key,
        } = handled;
        self.change_verdicts(|verdicts| match plan.fault {
            // What a fault replaced, the client has not seen.
            Some(_) => verdicts.record_violations(&outcome),
            None => verdicts.record(&outcome),
        });
        let endpoint = outcome.endpoint.map(Endpoint::path);
        let mut planned = plan.apply(outcome.reply);
        if let Some(date) = date {
            planned.reply.set_default_header("date", date);
        }
        let answered = RecordedReply {
            at,
            endpoint,
            key,
            status: planned.status(),
            fault: plan.fault_name(),
        };
        self.journal.record(request, &answered);
        planned
    }

    /// What the service thinks of its clients so far.
    pub(crate) fn verdicts(&self) -> Verdicts {
        self.change_verdicts(|verdicts| verdicts.clone())
    }

    pub(crate) fn change_verdicts<T>(&self, change: impl FnOnce(&mut Verdicts) -> T) -> T {
        change(&mut self.verdicts.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Puts another world in place. The webhook stays unless the new world has one.
    pub(crate) fn replace(&self, new: World) -> Result<(), StateError> {
        let replaced = self.store.transact(|world| {
            let replaced = std::mem::replace(world, new.clone());
            (keep_webhook(world, replaced), true)
        });
        match replaced {
            // A state that nobody can read has no webhook to keep.
            Err(StateError::Damaged { .. } | StateError::UnsupportedVersion { .. }) => {
                self.store.replace(new)
            }
            other => other,
        }
    }

    /// Starts anew: the world as it was made, no faults, an empty journal and no verdicts.
    pub(crate) fn reset(&self) -> Result<(), StateError> {
        self.faults.restart();
        self.journal.clear();
        self.change_verdicts(|verdicts| *verdicts = Verdicts::default());
        self.store.replace(self.initial.clone())
    }
}
