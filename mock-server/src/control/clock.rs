//! `/clock`: the time that a world believes it is.

use serde::{Deserialize, Serialize};

use super::refusal::ControlRefusal;
use super::routes::{WorldCall, json, read};
use crate::engine::{Clock, Reply, World};

/// The instant, and whether it stands still.
#[derive(Serialize)]
struct Shown {
    now: String,
    /// `system`, or the instant of a clock that stands still.
    clock: Clock,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Set {
    /// `system`, or an instant.
    clock: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Advance {
    seconds: i64,
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
    let advance = |world: &mut World| match advanced(world.clock(), seconds) {
        Ok(clock) => {
            world.set_clock(clock);
            (Ok(shown(world)), true)
        }
        Err(refusal) => (Err(refusal), false),
    };
    let shown = call.service.store().transact(advance)??;
    Ok(json(200, &shown))
}

fn shown(world: &World) -> Shown {
    Shown {
        now: world.clock().timestamp().to_string(),
        clock: world.clock().clone(),
    }
}

fn advanced(clock: &Clock, seconds: i64) -> Result<Clock, ControlRefusal> {
    if *clock == Clock::system() {
        return Err(ControlRefusal::SystemClock);
    }
    let now = clock.timestamp();
    let then = now.checked_add(jiff::SignedDuration::from_secs(seconds));
    let clock = then
        .ok()
        .and_then(|then| Clock::fixed(&then.to_string()).ok());
    let now = now.to_string();
    clock.ok_or(ControlRefusal::OutOfTime { now, seconds })
}
