//! `GET /me`: the profile of the key owner with email, visibility and key.

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::call::Call;
use super::profile::PublicProfile;
use crate::engine::access::{Key, Scope};
use crate::engine::dialect::{ApiVisible, Dialect, KeyObject, KeyRateLimit, KeyScopes};
use crate::engine::rejections::{Rejected, Rejection};
use crate::engine::reply::Reply;
use crate::engine::resources::Account;
use crate::engine::world::World;

pub(super) fn show(world: &World, call: &mut Call<'_>) -> Result<Reply, Rejected> {
    let length = call.request.body.len();
    if length > 0 {
        call.problems.tolerate(Rejection::UnexpectedBody { length });
    }
    let key = &call.caller()?;
    let (dialect, account) = (world.dialect(), world.owner(key));
    let me = Me {
        profile: PublicProfile::of(world, &key.handle, account),
        account,
        dialect,
        key: KeyView { dialect, key },
    };
    Ok(Reply::data(200, me))
}

struct Me<'a> {
    profile: PublicProfile<'a>,
    account: &'a Account,
    dialect: &'a Dialect,
    key: KeyView<'a>,
}

impl Serialize for Me<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.profile.entries(&mut map)?;
        map.serialize_entry("email", &self.account.email)?;
        let visible = self.account.api_visible;
        match self.dialect.api_visible {
            ApiVisible::Boolean => map.serialize_entry("api_visible", &visible)?,
            ApiVisible::Integer => map.serialize_entry("api_visible", &u8::from(visible))?,
            ApiVisible::String => map.serialize_entry("api_visible", &visible.to_string())?,
        }
        map.serialize_entry("key", &self.key)?;
        map.end()
    }
}

/// The key object in the response.
struct KeyView<'a> {
    dialect: &'a Dialect,
    key: &'a Key,
}

#[derive(serde::Serialize)]
struct Owner<'a> {
    handle: &'a str,
}

impl Serialize for KeyView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { dialect, key } = self;
        let mut map = serializer.serialize_map(None)?;
        match dialect.key_scopes {
            KeyScopes::Array => map.serialize_entry("scopes", &key.scopes)?,
            KeyScopes::SpaceSeparated => {
                let names: Vec<_> = key.scopes.iter().copied().map(Scope::as_str).collect();
                map.serialize_entry("scopes", &names.join(" "))?;
            }
        }
        match dialect.key_rate_limit {
            KeyRateLimit::Object => map.serialize_entry("rate_limit", &key.rate_limit)?,
            KeyRateLimit::Number => map.serialize_entry("rate_limit", &key.rate_limit.limit)?,
        }
        if dialect.key_object == KeyObject::ExtraFields {
            let handle = &key.handle;
            map.serialize_entry("name", "A key of the mock server")?;
            map.serialize_entry("owner", &Owner { handle })?;
        }
        map.end()
    }
}
