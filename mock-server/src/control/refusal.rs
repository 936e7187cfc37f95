//! What the control API refuses, and in which words. It speaks one language whatever the worlds do.

use crate::control::BODY_LIMIT;
use serde::Serialize;

use crate::engine::{InvalidInstant, InvalidWorld, LAST_INSTANT, Reply, UnknownDialect};
use crate::faults::InvalidFault;
use crate::journal::InvalidExpectation;
use crate::misfit::Misfit;
use crate::never_matches::NeverMatches;
use crate::state_error::StateError;
use crate::webhook::{NotSent, WebhookError};

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
    Body(#[from] Misfit),
    #[error(transparent)]
    Instant(#[from] InvalidInstant),
    #[error("{seconds} seconds lead past {LAST_INSTANT}, the last instant of a clock; give less")]
    EndOfTime { seconds: u64 },
    #[error(transparent)]
    Dialect(#[from] UnknownDialect),
    #[error(transparent)]
    Fault(#[from] InvalidFault),
    #[error(
        "the query parameter `{name}` is none; there are `method`, `path`, `key`, `status` and \
         `fault`"
    )]
    UnknownParameter { name: String },
    #[error("the query parameter `{name}` is given twice; give it once")]
    RepeatedParameter { name: String },
    #[error(transparent)]
    Expectation(#[from] InvalidExpectation),
    #[error(transparent)]
    NeverMatches(#[from] NeverMatches),
    #[error("the status is `{found}`; a number such as 422 is expected")]
    NotAStatus { found: String },
    #[error("within_milliseconds is {within}; at most {longest} are allowed")]
    LongWait { within: u64, longest: u64 },
    #[error("the journal was emptied meanwhile; ask once more to wait for what comes now")]
    Emptied,
    #[error("the program is about to end, and nothing comes any more")]
    Ending,
    #[error("`url` stands beside `sink`; give one of them")]
    TwoReceivers,
    #[error("nothing is to change; give `url` or `sink`, or `active`")]
    NoChange,
    #[error("`secret` stands alone; give `url` or `sink` beside it")]
    LoneSecret,
    #[error("the webhook has no secret yet; give `secret` as well")]
    NoSecret,
    #[error("`active` is false; a webhook is turned off by ten failed deliveries in a row alone")]
    TurnOff,
    #[error("the webhook does not point at the sink; PUT here makes it")]
    NoSink,
    #[error("`seed` stands beside `state`, which has one; give one of them")]
    SeedAndState,
    #[error("`data` stands beside `body`; give one of them")]
    DataAndBody,
    #[error(transparent)]
    Webhook(#[from] WebhookError),
    #[error(transparent)]
    World(#[from] InvalidWorld),
    #[error(transparent)]
    State(#[from] StateError),
}

/// What `error` holds in the answer to anything that is not done.
#[derive(Serialize)]
pub(super) struct ErrorObject<'a> {
    pub(super) code: &'a str,
    pub(super) message: &'a str,
}

impl ControlRefusal {
    pub(super) fn into_reply(self) -> Reply {
        let (status, code) = self.status_and_code();
        let mut reply = Reply::error(status, code, &self.to_string(), None);
        if let Self::MethodNotAllowed { allowed, .. } = self {
            let allow = ("allow".into(), allowed.join(", ").into());
            reply.headers.push(allow);
        }
        reply
    }

    fn status_and_code(&self) -> (u16, &'static str) {
        match self {
            Self::Body(misfit) if misfit.is_readable() => (422, "invalid_value"),
            Self::Body(_) => (400, "bad_body"),
            Self::UnknownPath { .. } => (404, "unknown_path"),
            Self::UnknownWorld { .. } => (404, "unknown_world"),
            Self::UnknownKey => (404, "unknown_key"),
            Self::MethodNotAllowed { .. } => (405, "method_not_allowed"),
            Self::DefaultWorld => (409, "default_world"),
            Self::BodyTooLarge { .. } => (413, "body_too_large"),
            Self::EmptyHandle => (422, "empty_handle"),
            Self::Instant(_) => (422, "invalid_instant"),
            Self::EndOfTime { .. } => (422, "end_of_time"),
            Self::Dialect(_) => (422, "invalid_dialect"),
            Self::Fault(error) if error.is_unread() => (400, "bad_body"),
            Self::Fault(_) => (422, "invalid_fault"),
            Self::UnknownParameter { .. } => (400, "unknown_parameter"),
            Self::RepeatedParameter { .. } => (400, "repeated_parameter"),
            Self::Expectation(_) => (422, "invalid_expectation"),
            Self::NeverMatches(_) => (422, "never_matches"),
            Self::NotAStatus { .. } => (400, "invalid_status"),
            Self::LongWait { .. } => (422, "wait_too_long"),
            Self::Emptied => (409, "journal_emptied"),
            Self::Ending => (503, "ending"),
            Self::TwoReceivers => (422, "two_receivers"),
            Self::NoChange => (422, "no_change"),
            Self::LoneSecret => (422, "lone_secret"),
            Self::NoSecret => (422, "no_secret"),
            Self::TurnOff => (422, "cannot_turn_off"),
            Self::NoSink => (404, "no_sink"),
            Self::SeedAndState => (422, "seed_and_state"),
            Self::DataAndBody => (422, "data_and_body"),
            Self::Webhook(error) => (status_of(error), error.code()),
            Self::World(_) => (422, "invalid_state"),
            Self::State(_) => (500, "state_file"),
        }
    }
}

fn status_of(error: &WebhookError) -> u16 {
    match error {
        WebhookError::NotSent(NotSent::UnknownDelivery { .. }) => 404,
        WebhookError::NotSent(NotSent::NoReceiver | NotSent::WebhookOff { .. }) => 409,
        WebhookError::State(_) => 500,
        WebhookError::Url(_)
        | WebhookError::Secret(_)
        | WebhookError::Script(_)
        | WebhookError::Kind(_) => 422,
    }
}
