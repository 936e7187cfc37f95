//! `GET /me/analytics`: views, likes and social counts of the key owner's profile.

use serde::Serialize;

use super::refusal::Refusal;
use super::reply::Reply;
use super::routing::Call;
use super::statistics::Visits;
use super::world::World;

#[derive(Serialize)]
struct Analytics {
    views: u64,
    likes: u64,
    social: Social,
}

#[derive(Serialize)]
struct Social {
    followers: u64,
    following: u64,
    comments: u64,
}

/// Views are the `total_views` of the view statistics. Likes and social counts are shares of them,
/// so that nobody is liked more often than seen.
pub(super) fn show(world: &World, call: &Call) -> Result<Reply, Refusal> {
    let views = Visits::of(world, &call.caller.handle).total(world.clock().today());
    let analytics = Analytics {
        views,
        likes: views / 12,
        social: Social {
            followers: views / 50,
            following: views / 80,
            comments: views / 100,
        },
    };
    Ok(Reply::data(200, analytics))
}
