//! One world with everything around it that does not persist.

use std::sync::Mutex;

use jiff::Timestamp;

use crate::engine::{Keys, Reply, Request, World, path_template};
use crate::faults::{FaultRules, Plan, Planned};
use crate::journal::{Answered, Journal, JournalLimits};
use crate::state_file::{StateError, StateFile};
use crate::store::Store;

/// A world, and the faults that its clients meet. Every transport carries requests to one of these.
#[derive(Debug)]
pub(crate) struct Service {
    store: Store,
    /// What [`reset`](Self::reset) goes back to.
    first: World,
    keys: Keys,
    faults: FaultRules,
    journal: Journal,
}

impl Service {
    /// A service in memory.
    pub(crate) fn in_memory(world: World) -> Self {
        let keys = world.keys();
        Self::new(Store::Memory(Mutex::new(world.clone())), world, keys)
    }

    /// A service on a file, which begins as `new_world` when it is not there.
    pub(crate) fn on_file(file: StateFile, new_world: World) -> Result<Self, StateError> {
        let mut first = new_world.clone();
        let store = Store::File { file, new_world };
        let (seed, keys) = store.transact(|world| ((world.seed(), world.keys()), false))?;
        if seed != first.seed() {
            // The file was there, and was begun with another seed.
            first = World::new(seed);
        }
        Ok(Self::new(store, first, keys))
    }

    fn new(store: Store, first: World, keys: Keys) -> Self {
        let faults = FaultRules::new(first.seed());
        Self {
            store,
            first,
            keys,
            faults,
            journal: Journal::new(JournalLimits::default()),
        }
    }

    /// The same service, whose journal keeps another number of requests.
    pub(crate) fn with_journal_limits(self, limits: JournalLimits) -> Self {
        Self {
            journal: Journal::new(limits),
            ..self
        }
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
    /// journal when this returns.
    pub(crate) fn answer(&self, request: &Request, plan: &Plan) -> Planned {
        let handled = match plan.prevents_write() {
            true => self.store.try_out(request),
            false => self.store.handle(request),
        };
        let (at, key, planned) = match handled {
            Ok(handled) => (handled.at, handled.key, plan.spoil(handled.outcome.reply)),
            Err(error) => {
                let reply = Reply::error(500, "state_file", &error.to_string(), None);
                (Timestamp::now(), None, Planned::right(reply))
            }
        };
        let answered = Answered {
            at,
            endpoint: path_template(request),
            key,
            status: planned.reply.status,
            fault: plan.fault_name(),
        };
        self.journal.record(request, &answered);
        planned
    }

    pub(crate) fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Starts anew: the world as it was made, no faults, and an empty journal.
    pub(crate) fn reset(&self) -> Result<(), StateError> {
        self.faults.clear();
        self.journal.clear();
        self.store.replace(self.first.clone())
    }
}
