//! `GET /stats`: the counters of the site.

use serde::Serialize;

use super::call::Call;
use super::statistics::Visits;
use crate::engine::problems::Rejected;
use crate::engine::reply::Reply;
use crate::engine::world::World;

#[derive(Serialize)]
struct SiteStatistics {
    users: usize,
    views: u64,
    links: usize,
}

pub(super) fn show(world: &World, call: &mut Call<'_>) -> Result<Reply, Rejected> {
    call.expect_no_parameters();
    call.problems.check()?;
    let today = world.clock().today();
    let statistics = SiteStatistics {
        users: world.accounts.len(),
        views: world
            .accounts
            .keys()
            .map(|handle| Visits::of(world, handle).total(today))
            .sum(),
        links: world.accounts.values().map(|one| one.links.len()).sum(),
    };
    Ok(Reply::data(200, statistics))
}
