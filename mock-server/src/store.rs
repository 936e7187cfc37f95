//! Where a service keeps its world: in memory, or in a file that other processes share.

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
        /// What the file begins with when there is none.
        new_world: World,
    },
}

/// What became of a request, and what its world knows of it.
pub(crate) struct Handled<'a> {
    pub(crate) outcome: Outcome,
    pub(crate) at: Timestamp,
    /// The value of the header `Date`, where it is not the machine's own.
    pub(crate) date: Option<String>,
    /// What the key is called.
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
    /// Whether a request may have to wait for the disk or for another process.
    pub(crate) fn is_slow(&self) -> bool {
        matches!(self, Self::File { .. })
    }

    /// Carries a request out.
    pub(crate) fn handle<'a>(&self, request: &'a Request) -> Result<Handled<'a>, StateError> {
        self.transact(|world| {
            let handled = Handled::new(world, request);
            let changed = handled.outcome.changed;
            (handled, changed)
        })
    }

    /// Answers as if the request were carried out, and leaves the world as it is.
    pub(crate) fn dry_run<'a>(&self, request: &'a Request) -> Result<Handled<'a>, StateError> {
        let mut world = self.world()?;
        Ok(Handled::new(&mut world, request))
    }

    /// A copy of the world as it is now.
    pub(crate) fn world(&self) -> Result<World, StateError> {
        self.transact(|world| (world.clone(), false))
    }

    /// Runs `change` on the world while nobody else has it, and keeps the world when `change`
    /// returns `true` beside its result.
    pub(crate) fn transact<T>(
        &self,
        change: impl FnOnce(&mut World) -> (T, bool),
    ) -> Result<T, StateError> {
        match self {
            Self::Memory(world) => {
                // A panic inside a test's own change must not take the server down with it.
                let mut world = world.lock().unwrap_or_else(PoisonError::into_inner);
                Ok(change(&mut world).0)
            }
            Self::File { file, new_world } => file.transact(new_world, change),
        }
    }

    /// Puts another world in place, whatever state the old one is in.
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

/// Returns the name of the key of a request, which may be shown: `all` for
/// `mock_all_0123456789abcdef`, and never a part of another text.
fn key_label<'a>(world: &World, request: &'a Request) -> Option<&'a str> {
    let header = request.header_values("authorization").next()?;
    let known = bearer_token(header).filter(|token| world.has_key(token));
    Some(known.map_or("unknown", |token| label(token).unwrap_or("other")))
}
