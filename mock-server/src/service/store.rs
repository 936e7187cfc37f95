//! The storage of a world, in memory or in a state file.

use std::sync::Mutex;

use jiff::Timestamp;

use super::state_file::{StateError, StateFile};
use crate::engine::dialect::Compression;
use crate::engine::{Processed, Reply, Request, World, process};
use crate::mutants::Mutant;
use crate::tasks::lock;

/// The world of one service.
#[derive(Debug)]
pub(crate) struct Store {
    place: Mutex<Place>,
    /// `true` if a request may have to wait for the disk or for another process.
    pub(crate) is_slow: bool,
}

#[derive(Debug)]
enum Place {
    Memory(World),
    File {
        file: StateFile,
        /// The world for a file that does not exist yet.
        new_world: World,
    },
}

/// A processed request, with the time and keys for the journal.
pub(crate) struct Handled {
    pub(crate) processed: Processed,
    pub(crate) at: Timestamp,
    /// The value of the header `Date`, unless the world uses the system clock.
    pub(crate) date: Option<String>,
    /// `true` if the dialect compresses responses.
    pub(crate) compresses_responses: bool,
    /// `true` if the world has the key of the request.
    pub(crate) has_known_key: bool,
    /// The keys of the world that were not generated.
    pub(crate) other_keys: Vec<String>,
}

impl Handled {
    fn new(world: &mut World, request: &Request, mutant: Option<Mutant>) -> Self {
        let at = world.clock().timestamp();
        Self {
            processed: match mutant {
                None => process(world, request, at),
                Some(mutant) => mutant.process(world, request, at),
            },
            at,
            date: world.clock().date_header(at),
            compresses_responses: world.dialect().compression == Compression::Gzip,
            has_known_key: request.key().is_some_and(|key| world.has_key(key)),
            other_keys: world.other_keys(),
        }
    }

    /// Returns the result of a request for which the state file cannot be used.
    pub(super) fn failed(error: &StateError, other_keys: Vec<String>) -> Self {
        let reply = Reply::error(500, "state_file", &error.to_string());
        Self {
            processed: Processed::new(reply),
            at: Timestamp::now(),
            date: None,
            compresses_responses: false,
            has_known_key: false,
            other_keys,
        }
    }
}

impl Store {
    pub(crate) fn in_memory(world: World) -> Self {
        let place = Mutex::new(Place::Memory(world));
        let is_slow = false;
        Self { place, is_slow }
    }

    pub(crate) fn in_file(file: StateFile, new_world: World) -> Self {
        let place = Mutex::new(Place::File { file, new_world });
        let is_slow = true;
        Self { place, is_slow }
    }

    /// Returns a store with this world. It takes over the state file, and `self` continues with a copy.
    pub(crate) fn restart(&self, world: World) -> Result<Self, StateError> {
        let mut place = lock(&self.place);
        let Place::File { file, new_world } = &*place else {
            return Ok(Self::in_memory(world));
        };
        let old = file.replace(&world)?;
        let new = Self::in_file(file.clone(), new_world.clone());
        *place = Place::Memory(old.unwrap_or_else(|| new_world.clone()));
        Ok(new)
    }

    /// Handles a request and stores the changed world, unless `is_dry_run`.
    pub(crate) fn handle(
        &self,
        request: &Request,
        mutant: Option<Mutant>,
        is_dry_run: bool,
    ) -> Result<Handled, StateError> {
        if is_dry_run {
            return Ok(Handled::new(&mut self.world()?, request, mutant));
        }
        self.transact(|world| {
            let handled = Handled::new(world, request, mutant);
            let changed = handled.processed.changed;
            (handled, changed)
        })
    }

    /// Handles a request in a copy of the world, but counts it against the rate limit of its key. Returns the world
    /// before, too.
    pub(crate) fn count(
        &self,
        request: &Request,
        mutant: Option<Mutant>,
    ) -> Result<(Handled, World), StateError> {
        self.transact(|world| {
            let (before, mut after) = (world.clone(), world.clone());
            let handled = Handled::new(&mut after, request, mutant);
            world.keys = after.keys;
            let changed = handled.processed.changed;
            ((handled, before), changed)
        })
    }

    /// Carries out a request that arrived in the world `before`, whose keys it has.
    pub(crate) fn handle_late(
        &self,
        request: &Request,
        mutant: Option<Mutant>,
        before: World,
    ) -> Result<(), StateError> {
        self.transact(|world| {
            let now = world.clone();
            world.keys = before.keys;
            let handled = Handled::new(world, request, mutant);
            world.keys = now.keys;
            ((), handled.processed.changed)
        })
    }

    /// Returns a copy of the current world.
    pub(crate) fn world(&self) -> Result<World, StateError> {
        self.read(World::clone)
    }

    pub(crate) fn read<T>(&self, read: impl FnOnce(&World) -> T) -> Result<T, StateError> {
        self.transact(|world| (read(world), false))
    }

    /// Changes the world and stores it.
    pub(crate) fn update<T>(&self, change: impl FnOnce(&mut World) -> T) -> Result<T, StateError> {
        self.transact(|world| (change(world), true))
    }

    /// Changes the world and stores it unless `change` fails.
    pub(crate) fn try_update<T, E: From<StateError>>(
        &self,
        change: impl FnOnce(&mut World) -> Result<T, E>,
    ) -> Result<T, E> {
        self.transact(|world| {
            let result = change(world);
            let changed = result.is_ok();
            (result, changed)
        })?
    }

    /// Runs `change` on the locked world and stores the world if `change` returns `true` with its
    /// result.
    fn transact<T>(&self, change: impl FnOnce(&mut World) -> (T, bool)) -> Result<T, StateError> {
        match &mut *lock(&self.place) {
            Place::Memory(world) => Ok(change(world).0),
            Place::File { file, new_world } => file.transact(new_world, change),
        }
    }

    /// Replaces the world, even if the state file is damaged.
    pub(crate) fn replace(&self, new: World) -> Result<(), StateError> {
        match &mut *lock(&self.place) {
            Place::Memory(world) => *world = new,
            Place::File { file, .. } => file.reset(&new)?,
        }
        Ok(())
    }
}
