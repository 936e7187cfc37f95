//! `GET /badges`: the list of badges.

use super::call::Call;
use crate::engine::dialect::BadgeKinds;
use crate::engine::problems::Rejected;
use crate::engine::reply::Reply;
use crate::engine::resources::Badge;
use crate::engine::world::World;

pub(super) fn list(world: &World, call: &mut Call<'_>) -> Result<Reply, Rejected> {
    call.expect_no_parameters();
    call.problems.check()?;
    Ok(match world.dialect().badge_kinds {
        BadgeKinds::Auto => Reply::data(200, &world.badges),
        BadgeKinds::Extra => {
            let staff = Badge {
                id: "staff".to_owned(),
                name: "Staff".to_owned(),
                description: "Given by hand".to_owned(),
                color: "#dc2626".to_owned(),
                kind: "manual".to_owned(),
            };
            let all: Vec<_> = world.badges.iter().chain([&staff]).collect();
            Reply::data(200, all)
        }
    })
}
