//! `/clock`: the clock of a world.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::control::error::ControlError;
use crate::control::world_call::WorldCall;
use crate::engine::{Clock, LAST_INSTANT, Reply, World};
use crate::input::read_json;

/// The current time and the clock's setting.
#[derive(Serialize)]
struct ClockView {
    now: String,
    /// The JSON form of [`Clock`].
    clock: Clock,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Set {
    /// The JSON form of [`Clock`].
    clock: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Advance {
    seconds: u64,
}

pub(in crate::control) fn show(call: &WorldCall) -> Result<Reply, ControlError> {
    let read = |world: &mut World| (view(world), false);
    Ok(Reply::json(200, &call.service.store.transact(read)?))
}

pub(in crate::control) fn set(call: &WorldCall) -> Result<Reply, ControlError> {
    let Set { clock } = read_json::object(&call.request.body)?;
    let clock = Clock::try_from(clock)?;
    let set = |world: &mut World| {
        world.set_clock(clock);
        (view(world), true)
    };
    Ok(Reply::json(200, &call.service.store.transact(set)?))
}

pub(in crate::control) fn advance(call: &WorldCall) -> Result<Reply, ControlError> {
    let Advance { seconds } = read_json::object(&call.request.body)?;
    let time = Duration::from_secs(seconds);
    let advance = |world: &mut World| {
        if !world.clock().can_advance(time) {
            return (Err(clock_out_of_range(seconds)), false);
        }
        world.advance(time);
        (Ok(view(world)), true)
    };
    Ok(Reply::json(200, &call.service.store.transact(advance)??))
}

fn clock_out_of_range(seconds: u64) -> ControlError {
    let message =
        format!("cannot advance by {seconds} s; the latest time of a clock is {LAST_INSTANT}");
    ControlError::unprocessable("clock_out_of_range", message)
}

fn view(world: &World) -> ClockView {
    ClockView {
        now: world.clock().timestamp().to_string(),
        clock: world.clock().clone(),
    }
}
