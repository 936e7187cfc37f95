//! `GET /badges`: the badges that the service gives.

use serde::{Deserialize, Serialize};

use super::reply::Reply;
use super::world::World;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Badge {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) description: String,
    pub(super) color: String,
    pub(super) kind: String,
}

pub(super) fn list(world: &World) -> Reply {
    Reply::data(200, &world.badges)
}
