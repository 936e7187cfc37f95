//! `GET /me/analytics`: views, likes and social counts of the key owner's profile.

use serde::Serialize;

use super::call::Call;
use super::statistics::Visits;
use crate::engine::dialect::AnalyticsShape;
use crate::engine::rejections::Rejected;
use crate::engine::reply::Reply;
use crate::engine::world::World;

/// The type `C` of the counts is a number or an object that contains it.
#[derive(Serialize)]
struct Analytics<C> {
    views: C,
    likes: C,
    social: Social<C>,
}

#[derive(Serialize)]
struct Flat {
    views: u64,
    likes: u64,
    #[serde(flatten)]
    social: Social<u64>,
}

#[derive(Serialize)]
struct Social<C> {
    followers: C,
    following: C,
    comments: C,
}

#[derive(Serialize)]
struct Total {
    total: u64,
}

pub(super) fn show(world: &World, call: &mut Call<'_>) -> Result<Reply, Rejected> {
    let caller = call.caller()?;
    let views = Visits::of(world, &world.keys[caller].handle).total(world.clock().today());
    let counts = count(views, |count| count);
    Ok(match world.dialect().analytics {
        AnalyticsShape::Social => Reply::data(200, counts),
        AnalyticsShape::Flat => Reply::data(
            200,
            Flat {
                views,
                likes: counts.likes,
                social: counts.social,
            },
        ),
        AnalyticsShape::Totals => Reply::data(200, count(views, |total| Total { total })),
    })
}

/// Derives likes and social counts from the `total_views` of the view statistics, so that they are
/// smaller.
fn count<C>(views: u64, render: impl Fn(u64) -> C) -> Analytics<C> {
    Analytics {
        views: render(views),
        likes: render(views / 12),
        social: Social {
            followers: render(views / 50),
            following: render(views / 80),
            comments: render(views / 100),
        },
    }
}
