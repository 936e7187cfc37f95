//! `GET /me`: everything that the owner of the key sees of itself.

use std::collections::BTreeSet;

use serde::Serialize;

use super::profile::PublicProfile;
use super::refusal::Refusal;
use super::reply::Reply;
use super::routing::Call;
use super::scope::Scope;
use super::world::World;

/// What `GET /me` shows as the rate limit of every key. Nothing counts against it.
const RATE_LIMIT: RateLimit = RateLimit {
    limit: 1_000_000,
    window_seconds: 60,
};

#[derive(Serialize)]
struct Me<'a> {
    #[serde(flatten)]
    profile: PublicProfile<'a>,
    email: &'a str,
    api_visible: bool,
    key: KeyObject<'a>,
}

#[derive(Serialize)]
struct KeyObject<'a> {
    scopes: &'a BTreeSet<Scope>,
    rate_limit: RateLimit,
}

#[derive(Serialize)]
struct RateLimit {
    limit: u32,
    window_seconds: u32,
}

pub(super) fn show(world: &World, call: &Call) -> Result<Reply, Refusal> {
    let account = world.owner(&call.caller)?;
    let me = Me {
        profile: PublicProfile::of(world, &call.caller.handle, account),
        email: &account.email,
        api_visible: account.api_visible,
        key: KeyObject {
            scopes: &call.caller.scopes,
            rate_limit: RATE_LIMIT,
        },
    };
    Ok(Reply::data(200, me))
}
