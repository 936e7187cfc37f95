//! Where a server keeps its world: in memory, or in a file that other processes share.

use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;

use crate::engine::{Reply, Request, World, path_template};
use crate::journal::{Answered, Journal};
use crate::state_file::{StateError, StateFile};

/// The world of one server.
#[derive(Debug)]
pub(crate) enum Store {
    Memory(Mutex<World>),
    File {
        file: StateFile,
        /// What the file begins with when there is none.
        new_world: World,
    },
}

impl Store {
    /// The engine's answer to a request, or 500 when the state file fails it. Either is in the
    /// journal when this returns.
    pub(crate) fn answer(&self, request: &Request, journal: &Journal) -> Reply {
        let answered = self.transact(|world| {
            let outcome = world.handle(request);
            let (key, at) = (world.key_label(request), world.clock().timestamp());
            ((outcome.reply, key, at), outcome.changed)
        });
        let (reply, key, at) = answered.unwrap_or_else(|error| {
            let reply = Reply::error(500, "state_file", &error.to_string(), None);
            (reply, None, Timestamp::now())
        });
        let answered = Answered {
            at,
            endpoint: path_template(request),
            key,
            status: reply.status,
            fault: None,
        };
        journal.record(request, &answered);
        reply
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
}
