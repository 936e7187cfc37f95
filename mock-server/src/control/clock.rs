//! `/clock`: the time that a world believes it is.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::json::{json, read};
use super::refusal::ControlRefusal;
use super::world_call::WorldCall;
use crate::engine::{Clock, LAST_INSTANT, Reply, World};

/// The instant, and where the clock has it from.
#[derive(Serialize)]
struct Shown {
    now: String,
    /// As [`Clock`] is written.
    clock: Clock,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Set {
    /// As [`Clock`] is written.
    clock: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Advance {
    seconds: u64,
}

pub(super) fn show(call: &WorldCall) -> Result<Reply, ControlRefusal> {
    let read = |world: &mut World| (shown(world), false);
    Ok(json(200, &call.service.store().transact(read)?))
}

pub(super) fn set(call: &WorldCall) -> Result<Reply, ControlRefusal> {
    let Set { clock } = read(call.request)?;
    let clock = Clock::try_from(clock)?;
    let set = |world: &mut World| {
        world.set_clock(clock);
        (shown(world), true)
    };
    Ok(json(200, &call.service.store().transact(set)?))
}

pub(super) fn advance(call: &WorldCall) -> Result<Reply, ControlRefusal> {
    let Advance { seconds } = read(call.request)?;
    let time = Duration::from_secs(seconds);
    let advance = |world: &mut World| {
        if !world.clock().can_advance(time) {
            return (Err(end_of_time(seconds)), false);
        }
        world.advance(time);
        (Ok(shown(world)), true)
    };
    Ok(json(200, &call.service.store().transact(advance)??))
}

fn end_of_time(seconds: u64) -> ControlRefusal {
    let message = format!(
        "{seconds} seconds lead past {LAST_INSTANT}, the last instant of a clock; give less"
    );
    ControlRefusal::unprocessable("end_of_time", message)
}

fn shown(world: &World) -> Shown {
    Shown {
        now: world.clock().timestamp().to_string(),
        clock: world.clock().clone(),
    }
}
