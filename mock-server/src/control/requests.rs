//! `/requests`, `/faults`, `/violations`, `/advice` and `/coverage`: the journal, the fault rules and the
//! report of a world.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::time::sleep;
use url::form_urlencoded;

use super::{ControlError, ControlReply, WorldCall, now, ok};
use crate::engine::{Reply, Request};
use crate::faults::FaultRule;
use crate::input;
use crate::journal::{Expectation, ExpectationJson, RequestPattern, Verification, archive};

/// Maximum wait: one minute, in milliseconds.
const MAX_WAIT: u64 = 60_000;

/// A filter for the journal. With `within_milliseconds`, the reply waits until a request matches.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Filter {
    method: Option<String>,
    path: Option<String>,
    key: Option<String>,
    status: Option<u16>,
    fault: Option<String>,
    /// The number of the last request that the caller has.
    after: u64,
    within_milliseconds: u64,
    format: Format,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Format {
    #[default]
    Json,
    Har,
}

/// Lists the requests that match. An empty list is returned when the wait or the journal ends.
pub(super) fn list(call: &WorldCall) -> Result<ControlReply, ControlError> {
    let filter = filter(call.request)?;
    let within = check_wait(filter.within_milliseconds)?;
    let pattern = RequestPattern {
        method: filter.method,
        path: filter.path,
        key: filter.key,
        status: filter.status,
        fault: filter.fault,
        ..RequestPattern::any()
    };
    pattern.check()?;
    let (name, url) = (call.name.to_owned(), call.control.url(call.request));
    let (after, journal) = (filter.after, call.service.journal.clone());
    let reply = move |requests, dropped| match filter.format {
        Format::Json => Reply::json(200, &requests),
        Format::Har => Reply::json(200, &archive(&[(name, requests, dropped)], &url)),
    };
    let requests = journal.matching_after(after, &pattern);
    if !requests.is_empty() || within.is_zero() {
        return Ok(now(reply(requests, journal.dropped())));
    }
    let ended = ended(call);
    Ok(Box::pin(async move {
        let found = tokio::select! {
            biased;
            found = journal.wait_after(after, &pattern, 1, sleep(within)) => found.ok(),
            error = ended => match error {
                Some(error) => return error.0,
                None => None,
            },
        };
        reply(found.unwrap_or_default(), journal.dropped())
    }))
}

/// Changes the given limits and keeps the others.
pub(super) fn set_limits(call: &WorldCall) -> Result<Reply, ControlError> {
    let journal = &call.service.journal;
    let mut limits = json!(journal.limits());
    for (name, limit) in input::object::<Map<String, Value>>(&call.request.body)? {
        limits[name] = limit;
    }
    let limits = input::object_in(limits)?;
    journal.set_limits(limits);
    ok(&limits)
}

/// Verifies an expectation. The status is 200 whether or not the expectation is met.
pub(super) fn verify(call: &WorldCall) -> Result<Reply, ControlError> {
    let expectation = Expectation::try_from(input::object::<ExpectationJson>(&call.request.body)?)?;
    expectation.request.check()?;
    ok(&call.service.journal.verify(&expectation))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wait {
    #[serde(deserialize_with = "input::nested_object")]
    request: RequestPattern,
    times: Option<u64>,
    within_milliseconds: Option<u64>,
}

pub(super) fn wait(call: &WorldCall) -> Result<ControlReply, ControlError> {
    let wait: Wait = input::object(&call.request.body)?;
    let within = check_wait(wait.within_milliseconds.unwrap_or(10_000))?;
    wait.request.check()?;
    let (times, service, ended) = (wait.times.unwrap_or(1), call.service.clone(), ended(call));
    Ok(Box::pin(async move {
        tokio::select! {
            biased;
            came = service.journal.wait_after(0, &wait.request, times, sleep(within)) => match came {
                Ok(requests) => Reply::json(200, &requests),
                Err(verification) => wait_timeout(&verification),
            },
            error = ended => error.unwrap_or_else(|| {
                let message = "the journal was cleared during the wait; repeat the request to wait \
                               for new requests";
                ControlError::new(409, "journal_cleared", message)
            }).0,
        }
    }))
}

fn check_wait(milliseconds: u64) -> Result<Duration, ControlError> {
    if milliseconds > MAX_WAIT {
        let message = format!("within_milliseconds is {milliseconds}; expected at most {MAX_WAIT}");
        return Err(ControlError::new(422, "wait_too_long", message));
    }
    Ok(Duration::from_millis(milliseconds))
}

/// Waits until the server shuts down or the world is deleted, which is an error, or until the world is reset or
/// its journal is cleared.
fn ended(call: &WorldCall) -> impl Future<Output = Option<ControlError>> + use<> {
    let (service, worlds) = (call.service.clone(), call.control.worlds.clone());
    let (ended, name) = (service.ended.started(), call.name.to_owned());
    let shutdown = call.control.shutdown.started();
    async move {
        tokio::select! {
            () = shutdown => {
                let message = "the server is shutting down";
                Some(ControlError::new(503, "shutting_down", message))
            }
            () = service.journal.cleared() => None,
            () = ended => match worlds.find(&name) {
                Some(_) => None,
                None => Some(ControlError::unknown_world(&name)),
            },
        }
    }
}

/// Uses 504 instead of 408, since many clients retry a 408 automatically.
fn wait_timeout(verification: &Verification) -> Reply {
    Reply::fields(504, |object| {
        object.object("error", |error| {
            error.string("code", "timed_out");
            error.string("message", &verification.message);
        });
        object.value("verification", verification);
    })
}

/// Parses the query string of a request.
fn filter(request: &Request) -> Result<Filter, ControlError> {
    let query = request.query.as_deref().unwrap_or_default();
    let mut given = Map::new();
    for (name, text) in form_urlencoded::parse(query.as_bytes()) {
        let value = match (&*name, text.parse::<u64>()) {
            ("status" | "after" | "within_milliseconds", Ok(number)) => Value::from(number),
            _ => Value::from(&*text),
        };
        if given.insert(name.to_string(), value).is_some() {
            let message = format!("duplicate query parameter `{name}`; expected it once");
            return Err(ControlError::new(400, "repeated_parameter", message));
        }
    }
    let filter = input::object_in(Value::Object(given));
    filter.map_err(|error| ControlError::new(400, "invalid_query", error.to_string()))
}

/// Adds one rule or an array of rules, and returns an array of them.
pub(super) fn add_faults(call: &WorldCall) -> Result<Reply, ControlError> {
    let rules = FaultRule::from_slice(&call.request.body)?;
    Ok(Reply::json(201, &call.service.add_faults(rules)?))
}

pub(super) fn remove_fault(call: &WorldCall) -> Result<(), ControlError> {
    let id = call.parameter;
    if (id.parse()).is_ok_and(|id| call.service.faults.remove(id)) {
        return Ok(());
    }
    let message = format!("no fault rule has the id `{id}`; GET the rules to see their ids");
    Err(ControlError::new(404, "unknown_fault", message))
}
