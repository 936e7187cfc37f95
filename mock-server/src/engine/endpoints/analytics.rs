//! `GET /me/analytics`: views, likes and social counts of the key owner's profile.

use serde::Serialize;
use serde_json::{Value, json};

use super::call::Call;
use super::statistics::Visits;
use crate::engine::dialect::AnalyticsShape;
use crate::engine::problems::Rejected;
use crate::engine::reply::Reply;
use crate::engine::world::World;

#[derive(Serialize)]
struct Analytics {
    views: Value,
    likes: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    social: Option<Social>,
    #[serde(flatten)]
    flat: Option<Social>,
}

#[derive(Serialize)]
struct Social {
    followers: Value,
    following: Value,
    comments: Value,
}

/// Derives likes and social counts from the `total_views` of the view statistics, so that they are
/// smaller.
pub(super) fn show(world: &World, call: &mut Call<'_>) -> Result<Reply, Rejected> {
    let caller = call.caller()?;
    let views = Visits::of(world, &world.keys[caller].handle).total(world.clock().today());
    let shape = world.dialect().analytics;
    let count = |count: u64| match shape {
        AnalyticsShape::Social | AnalyticsShape::Flat => json!(count),
        AnalyticsShape::Totals => json!({"total": count}),
    };
    let social = Social {
        followers: count(views / 50),
        following: count(views / 80),
        comments: count(views / 100),
    };
    let (social, flat) = match shape {
        AnalyticsShape::Social | AnalyticsShape::Totals => (Some(social), None),
        AnalyticsShape::Flat => (None, Some(social)),
    };
    let analytics = Analytics {
        views: count(views),
        likes: count(views / 12),
        social,
        flat,
    };
    Ok(Reply::data(200, analytics))
}
