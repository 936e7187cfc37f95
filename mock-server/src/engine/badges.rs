//! `GET /badges`: the badges that the service gives.

use serde::{Deserialize, Serialize};

use super::dialect::BadgeKinds;
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
    match world.dialect().badge_kinds {
        BadgeKinds::Auto => Reply::data(200, &world.badges),
        BadgeKinds::Further => {
            let further = Badge {
                id: "staff".to_owned(),
                name: "Staff".to_owned(),
                description: "Given by hand".to_owned(),
                color: "#dc2626".to_owned(),
                kind: "manual".to_owned(),
            };
            let all: Vec<_> = world.badges.iter().chain([&further]).collect();
            Reply::data(200, all)
        }
    }
}
