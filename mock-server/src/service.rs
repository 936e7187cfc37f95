//! One world with everything around it that does not persist.

use std::sync::Mutex;

use crate::engine::{Keys, Reply, Request, World};
use crate::faults::{FaultRules, Plan, Planned};
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

    /// Carries a request out as far as the plan lets it, and spoils its answer.
    pub(crate) fn answer(&self, request: &Request, plan: &Plan) -> Planned {
        let outcome = match plan.prevents_write() {
            true => self.store.try_out(request),
            false => self.store.handle(request),
        };
        match outcome {
            Ok(outcome) => plan.spoil(outcome.reply),
            Err(error) => Planned::right(Reply::error(500, "state_file", &error.to_string(), None)),
        }
    }

    /// Starts anew: the world as it was made, and no faults.
    pub(crate) fn reset(&self) -> Result<(), StateError> {
        self.faults.clear();
        self.store.replace(self.first.clone())
    }
}
