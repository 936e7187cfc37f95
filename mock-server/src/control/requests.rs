//! `/requests`: the journal of a world, asked, awaited and compared with what was to come.

use std::collections::BTreeSet;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use url::form_urlencoded;

use super::api::Answer;
use super::json::{done, json, read};
use super::refusal::{ControlRefusal, ErrorObject};
use super::world_call::WorldCall;
use crate::engine::{Reply, Request};
use crate::journal::{Expectation, RequestPattern, Verification, WrittenExpectation};

/// The longest that anybody may wait: a minute, in milliseconds.
const MAX_WAIT: u64 = 60_000;

pub(super) fn list(call: &WorldCall) -> Result<Reply, ControlRefusal> {
    let pattern = filter(call.request)?;
    pattern.check()?;
    Ok(json(200, &call.service.journal().matching(&pattern)))
}

pub(super) fn clear(call: &WorldCall) -> Result<Reply, ControlRefusal> {
    call.service.journal().clear();
    Ok(done())
}

/// Whether something came is a question that has an answer either way, so the status is the same.
pub(super) fn verify(call: &WorldCall) -> Result<Reply, ControlRefusal> {
    let expectation = Expectation::try_from(read::<WrittenExpectation>(call.request)?)?;
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

/// What the one who waited is told when the time is up.
#[derive(Serialize)]
struct NotInTime<'a> {
    error: ErrorObject<'a>,
    verification: &'a Verification,
}

pub(super) fn wait(call: &WorldCall) -> Result<Answer, ControlRefusal> {
    let Wait {
        request,
        times,
        within_milliseconds: within,
    } = read(call.request)?;
    if within > MAX_WAIT {
        let message = format!("within_milliseconds is {within}; at most {MAX_WAIT} are allowed");
        return Err(ControlRefusal::unprocessable("wait_too_long", message));
    }
    request.check()?;
    let (service, name) = (call.service.clone(), call.name.to_owned());
    let ending = call.control.ending.begun();
    Ok(Answer::Later(Box::pin(async move {
        let within = Duration::from_millis(within);
        tokio::select! {
            biased;
            came = service.journal().wait(&request, times, within) => match came {
                Ok(requests) => json(200, &requests),
                Err(verification) => not_in_time(&verification),
            },
            () = service.journal().emptied() => {
                let message = "the journal was emptied meanwhile; ask once more to wait for what \
                               comes now";
                ControlRefusal::new(409, "journal_emptied", message).into_reply()
            }
            () = ending => {
                let message = "the program is about to end, and nothing comes any more";
                ControlRefusal::new(503, "ending", message).into_reply()
            }
            () = service.closed() => ControlRefusal::unknown_world(&name).into_reply(),
        }
    })))
}

/// Not 408, which has many a client send the request once more by itself.
fn not_in_time(verification: &Verification) -> Reply {
    let error = ErrorObject {
        code: "not_in_time",
        message: &verification.message,
    };
    let told = NotInTime {
        error,
        verification,
    };
    json(504, &told)
}

/// The pattern in the query of a request.
fn filter(request: &Request) -> Result<RequestPattern, ControlRefusal> {
    let mut pattern = RequestPattern::any();
    let query = request.query.as_deref().unwrap_or_default();
    let mut given = BTreeSet::new();
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        if !given.insert(name.clone()) {
            let message = format!("the query parameter `{name}` is given twice; give it once");
            return Err(ControlRefusal::new(400, "repeated_parameter", message));
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
                        format!("the status is `{value}`; a number such as 422 is expected");
                    return Err(ControlRefusal::new(400, "invalid_status", message));
                }
            },
            _ => {
                let message = format!(
                    "unknown query parameter `{name}`; expected one of `method`, `path`, `key`, \
                     `status` and `fault`"
                );
                return Err(ControlRefusal::new(400, "unknown_parameter", message));
            }
        };
    }
    Ok(pattern)
}
