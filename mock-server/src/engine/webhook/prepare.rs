//! Prepares deliveries with the clock and counter of the world.

use super::event::EventData;
use super::refusal::Refusal;
use super::state::Prepared;
use crate::engine::{EventKind, World};

pub(crate) fn prepare_event(
    world: &mut World,
    kind: EventKind,
    data: EventData,
) -> Result<Prepared, Refusal> {
    // Check first: a rejected event must not use up a number.
    world.webhook.check_active()?;
    let (id, now) = next_delivery(world);
    let dialect = world.dialect().clone();
    world.webhook.emit(id, now, (kind, data), &dialect)
}

pub(crate) fn prepare_redelivery(world: &mut World, earlier: &str) -> Result<Prepared, Refusal> {
    world.webhook.check_active()?;
    world.webhook.delivery(earlier)?;
    let (id, now) = next_delivery(world);
    let dialect = world.dialect().clone();
    world.webhook.redeliver(id, now, earlier, &dialect)
}

fn next_delivery(world: &mut World) -> (String, String) {
    let id = format!("delivery_{}", world.next_number());
    (id, world.clock().now())
}

/// Keeps the webhook of the replaced world, unless the new world has one.
pub(crate) fn keep_webhook(world: &mut World, replaced: World) {
    if world.webhook.is_new() && !replaced.webhook.is_new() {
        // Ids of later deliveries must differ from those in the log.
        world.continue_ids_after(&replaced);
        world.webhook = replaced.webhook;
    }
}
