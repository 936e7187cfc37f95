//! The body of the last `GET /me`, kept because a suite asks for it again and again.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use super::keys::Key;
use super::reply::USUAL_LENGTH;
use super::stamped::Stamp;

/// Everything that the body of `GET /me` follows from.
pub(super) struct Source<'a> {
    /// The calling key, but for what is used up of its rate limit, which the body does not show.
    pub(super) key: &'a Key,
    /// Those of the accounts, the badges and the dialect.
    pub(super) stamps: [Stamp; 3],
}

/// The last body, if there is one. It is no part of the state of a world: all are equal, and a copy
/// has none.
#[derive(Default)]
pub(super) struct Remembered(Mutex<Option<Written>>);

struct Written {
    key: Key,
    stamps: [Stamp; 3],
    body: Vec<u8>,
}

impl Remembered {
    /// The body that was written from the same source the last time, or one that is written now.
    pub(super) fn body(&self, source: &Source<'_>, write: impl FnOnce() -> Vec<u8>) -> Vec<u8> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = &*last
            && last.stamps == source.stamps
            && last.key == *source.key
        {
            let mut body = Vec::with_capacity(USUAL_LENGTH);
            body.extend_from_slice(&last.body);
            return body;
        }
        let body = write();
        *last = Some(Written {
            key: source.key.clone(),
            stamps: source.stamps,
            body: body.clone(),
        });
        body
    }
}

impl Clone for Remembered {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for Remembered {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Remembered {}

impl fmt::Debug for Remembered {
    /// Shows nothing: what it holds follows from the world around it.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Remembered").finish_non_exhaustive()
    }
}
