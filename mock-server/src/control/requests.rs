//! `/requests`: lists, verifies and waits for requests in the journal of a world.

use std::collections::BTreeSet;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use url::form_urlencoded;

use super::api::ControlReply;
use super::error::{ControlError, ErrorObject};
use super::json::{done, json, read};
use super::world_call::WorldCall;
use crate::engine::{Reply, Request};
use crate::journal::{Expectation, ExpectationJson, JournalLimits, RequestPattern, Verification};

/// Maximum wait: one minute, in milliseconds.
const MAX_WAIT: u64 = 60_000;

pub(super) fn list(call: &WorldCall) -> Result<Reply, ControlError> {
    let pattern = filter(call.request)?;
    pattern.check()?;
    Ok(json(200, &call.service.journal().matching(&pattern)))
}

pub(super) fn limits(call: &WorldCall) -> Result<Reply, ControlError> {
    Ok(json(200, &call.service.journal().limits()))
}

/// Changes the given limits and keeps the others.
pub(super) fn set_limits(call: &WorldCall) -> Result<Reply, ControlError> {
    let journal = call.service.journal();
    let LimitsChange {
        entries,
        bytes,
        body_bytes,
    } = read(call.request)?;
    let old = journal.limits();
    let limits = JournalLimits {
        entries: entries.unwrap_or(old.entries),
        bytes: bytes.unwrap_or(old.bytes),
        body_bytes: body_bytes.unwrap_or(old.body_bytes),
    };
    journal.set_limits(limits);
    Ok(json(200, &limits))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LimitsChange {
    entries: Option<usize>,
    bytes: Option<usize>,
    body_bytes: Option<usize>,
}

pub(super) fn clear(call: &WorldCall) -> Result<Reply, ControlError> {
    call.service.journal().clear();
    Ok(done())
}

/// Verifies an expectation. The status is 200 whether or not the expectation is met.
pub(super) fn verify(call: &WorldCall) -> Result<Reply, ControlError> {
    let expectation = Expectation::try_from(read::<ExpectationJson>(call.request)?)?;
    expectation.request().check()?;
    Ok(json(200, &call.service.journal().verify(&expectation)))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wait {
    request: RequestPattern,
    #[serde(default = "once")]
    times: u64,
    #[serde(default = "ten_seconds")]
    within_milliseconds: u64,
}

fn once() -> u64 {
    1
}

fn ten_seconds() -> u64 {
    10_000
}

/// The body of the reply after a timeout.
#[derive(Serialize)]
struct WaitTimeout<'a> {
    error: ErrorObject<'a>,
    verification: &'a Verification,
}

pub(super) fn wait(call: &WorldCall) -> Result<ControlReply, ControlError> {
    let Wait {
        request,
        times,
        within_milliseconds: within,
    } = read(call.request)?;
    if within > MAX_WAIT {
        let message = format!("within_milliseconds is {within}; expected at most {MAX_WAIT}");
        return Err(ControlError::unprocessable("wait_too_long", message));
    }
    request.check()?;
    let (service, name) = (call.service.clone(), call.name.to_owned());
    let shutdown = call.control.shutdown.started();
    Ok(ControlReply::Later(Box::pin(async move {
        let within = Duration::from_millis(within);
        tokio::select! {
            biased;
            came = service.journal().wait(&request, times, within) => match came {
                Ok(requests) => json(200, &requests),
                Err(verification) => wait_timeout(&verification),
            },
            () = service.journal().cleared() => {
                let message = "the journal was cleared during the wait; repeat the request to wait \
                               for new requests";
                ControlError::new(409, "journal_cleared", message).into_reply()
            }
            () = shutdown => {
                let message = "the server is shutting down";
                ControlError::new(503, "shutting_down", message).into_reply()
            }
            () = service.closed() => ControlError::unknown_world(&name).into_reply(),
        }
    })))
}

/// Uses 504 instead of 408, since many clients retry a 408 automatically.
fn wait_timeout(verification: &Verification) -> Reply {
    let error = ErrorObject {
        code: "timed_out",
        message: &verification.message,
    };
    let body = WaitTimeout {
        error,
        verification,
    };
    json(504, &body)
}

/// Parses the pattern in the query string of a request.
fn filter(request: &Request) -> Result<RequestPattern, ControlError> {
    let mut pattern = RequestPattern::any();
    let query = request.query.as_deref().unwrap_or_default();
    let mut given = BTreeSet::new();
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        if !given.insert(name.clone()) {
            let message = format!("duplicate query parameter `{name}`; expected it once");
            return Err(ControlError::new(400, "repeated_parameter", message));
        }
        pattern = match &*name {
            "method" => pattern.method(value),
            "path" => pattern.path(value),
            "key" => pattern.key(value),
            "fault" => pattern.fault(value),
            "status" => match value.parse() {
                Ok(status) => pattern.status(status),
                Err(_) => {
                    let message =
                        format!("invalid status `{value}`; expected a number such as 422");
                    return Err(ControlError::new(400, "invalid_status", message));
                }
            },
            _ => {
                let message = format!(
                    "unknown query parameter `{name}`; expected one of `method`, `path`, `key`, \
                     `status` and `fault`"
                );
                return Err(ControlError::new(400, "unknown_parameter", message));
            }
        };
    }
    Ok(pattern)
}
