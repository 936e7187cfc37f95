//! The storage of a world: in memory, or in a file that other processes share.

use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;

use crate::engine::{Outcome, Request, World, bearer_token, label, process};
use crate::state_file::{StateError, StateFile};

/// The world of one service.
#[derive(Debug)]
pub(crate) enum Store {
    Memory(Mutex<World>),
    File {
        file: StateFile,
        /// The world for a file that does not exist yet.
        new_world: World,
    },
}

/// The outcome of a request, with the time and key for the journal.
pub(crate) struct Handled<'a> {
    pub(crate) outcome: Outcome,
    pub(crate) at: Timestamp,
    /// The value of the header `Date`, unless the world uses the system clock.
    pub(crate) date: Option<String>,
    /// The name of the key.
    pub(crate) key: Option<&'a str>,
}

impl<'a> Handled<'a> {
    fn new(world: &mut World, request: &'a Request) -> Self {
        let at = world.clock().timestamp();
        Self {
            outcome: process(world, request, at),
            at,
            date: world.clock().date_header(at),
            key: key_label(world, request),
        }
    }
}

impl Store {
    /// Returns `true` if a request may have to wait for the disk or for another process.
    pub(crate) fn is_slow(&self) -> bool {
        matches!(self, Self::File { .. })
    }

    /// Handles a request and stores the changed world.
    pub(crate) fn handle<'a>(&self, request: &'a Request) -> Result<Handled<'a>, StateError> {
        self.transact(|world| {
            let handled = Handled::new(world, request);
            let changed = handled.outcome.changed;
            (handled, changed)
        })
    }

    /// Returns the result of handling the request without changing the world.
    pub(crate) fn dry_run<'a>(&self, request: &'a Request) -> Result<Handled<'a>, StateError> {
        let mut world = self.world()?;
        Ok(Handled::new(&mut world, request))
    }

    /// Returns a copy of the current world.
    pub(crate) fn world(&self) -> Result<World, StateError> {
        self.transact(|world| (world.clone(), false))
    }

    /// Runs `change` on the locked world and stores the world if `change` returns `true` with its
    /// result.
    pub(crate) fn transact<T>(
        &self,
        change: impl FnOnce(&mut World) -> (T, bool),
    ) -> Result<T, StateError> {
        match self {
            Self::Memory(world) => {
                // A panic in a closure of a test must not break the server.
                let mut world = world.lock().unwrap_or_else(PoisonError::into_inner);
                Ok(change(&mut world).0)
            }
            Self::File { file, new_world } => file.transact(new_world, change),
        }
    }

    /// Replaces the world, even if the state file is damaged.
    pub(crate) fn replace(&self, new: World) -> Result<(), StateError> {
        match self {
            Self::Memory(world) => {
                *world.lock().unwrap_or_else(PoisonError::into_inner) = new;
                Ok(())
            }
            Self::File { file, .. } => file.reset(&new),
        }
    }
}

/// Returns the printable name of the key of a request: `all` for `mock_all_0123456789abcdef`,
/// `other` for a known key with another format, and `unknown` for an unknown key.
fn key_label<'a>(world: &World, request: &'a Request) -> Option<&'a str> {
    let header = request.header_values("authorization").next()?;
    let known = bearer_token(header).filter(|token| world.has_key(token));
    Some(known.map_or("unknown", |token| label(token).unwrap_or("other")))
}
