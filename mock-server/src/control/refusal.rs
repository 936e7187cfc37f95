//! What the control API refuses, and in which words. It speaks one language whatever the worlds do.

use crate::control::BODY_LIMIT;
use crate::engine::{InvalidInstant, Reply};
use crate::faults::InvalidFault;
use crate::state_file::StateError;

/// Why the control API does not do what it is asked for.
#[derive(Debug, thiserror::Error)]
pub(super) enum ControlRefusal {
    #[error("there is nothing at {path} in the control API; see {known}")]
    UnknownPath { path: String, known: String },
    #[error("{method} is not allowed here; allowed: {}", allowed.join(", "))]
    MethodNotAllowed {
        method: String,
        allowed: Vec<&'static str>,
    },
    #[error("there is no world `{name}`; POST /_mock/v1/worlds makes one")]
    UnknownWorld { name: String },
    #[error(
        "the world `default` cannot be deleted; POST /_mock/v1/worlds/default/reset empties it"
    )]
    DefaultWorld,
    #[error("this world has no such key")]
    UnknownKey,
    #[error("the handle is empty; give one such as `demo`")]
    EmptyHandle,
    #[error("the body has {length} bytes; at most {BODY_LIMIT} are allowed")]
    BodyTooLarge { length: usize },
    #[error("the body is not what is expected here: {0}")]
    Body(#[from] serde_json::Error),
    #[error(transparent)]
    Instant(#[from] InvalidInstant),
    #[error("the clock is the system's, which nobody can advance; set an instant with PUT first")]
    SystemClock,
    #[error("{seconds} seconds from {now} is outside the years 1 to 9999")]
    OutOfTime { now: String, seconds: i64 },
    #[error(transparent)]
    Fault(#[from] InvalidFault),
    #[error(transparent)]
    State(#[from] StateError),
}

impl ControlRefusal {
    pub(super) fn into_reply(self) -> Reply {
        let (status, code) = self.status_and_code();
        let mut reply = Reply::error(status, code, &self.to_string(), None);
        if let Self::MethodNotAllowed { allowed, .. } = self {
            let allow = ("allow".to_owned(), allowed.join(", "));
            reply.headers.push(allow);
        }
        reply
    }

    fn status_and_code(&self) -> (u16, &'static str) {
        match self {
            Self::Body(_) => (400, "bad_body"),
            Self::UnknownPath { .. } => (404, "unknown_path"),
            Self::UnknownWorld { .. } => (404, "unknown_world"),
            Self::UnknownKey => (404, "unknown_key"),
            Self::MethodNotAllowed { .. } => (405, "method_not_allowed"),
            Self::DefaultWorld => (409, "default_world"),
            Self::SystemClock => (409, "system_clock"),
            Self::BodyTooLarge { .. } => (413, "body_too_large"),
            Self::EmptyHandle => (422, "empty_handle"),
            Self::Instant(_) | Self::OutOfTime { .. } => (422, "invalid_instant"),
            Self::Fault(_) => (422, "invalid_fault"),
            Self::State(_) => (500, "state_file"),
        }
    }
}
