//! `GET /me`: the profile of the key owner with email, visibility and key.

use super::call::Call;
use super::profile::PublicProfile;
use crate::engine::access::{Key, Scope};
use crate::engine::dialect::{ApiVisible, Dialect, KeyObject, KeyRateLimit, KeyScopes};
use crate::engine::json_object::{Fields, Object};
use crate::engine::problems::{Problem, Rejected};
use crate::engine::reply::Reply;
use crate::engine::resources::Account;
use crate::engine::world::World;

pub(super) fn show(world: &World, call: &mut Call<'_>) -> Result<Reply, Rejected> {
    let length = call.request.body.len();
    if length > 0 {
        call.problems.tolerate(Problem::UnexpectedBody { length });
    }
    let caller = call.caller()?;
    let (dialect, account, key) = (world.dialect(), world.owner(caller), &world.keys[caller]);
    let me = Me {
        profile: PublicProfile::of(world, &key.handle, account),
        account,
        dialect,
        key: KeyView { dialect, key },
    };
    Ok(Reply::object(200, &me))
}

struct Me<'a> {
    profile: PublicProfile<'a>,
    account: &'a Account,
    dialect: &'a Dialect,
    key: KeyView<'a>,
}

impl Fields for Me<'_> {
    fn write(&self, object: &mut Object<'_>) {
        self.profile.write(object);
        object.string("email", &self.account.email);
        let visible = self.account.api_visible;
        match self.dialect.api_visible {
            ApiVisible::Boolean => object.value("api_visible", &visible),
            ApiVisible::Integer => object.value("api_visible", &u8::from(visible)),
            ApiVisible::String => object.string("api_visible", &visible.to_string()),
        }
        object.object("key", &self.key);
    }
}

fn joined_scopes(key: &Key, separator: &str) -> String {
    let names: Vec<_> = key.scopes.iter().copied().map(Scope::as_str).collect();
    names.join(separator)
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

impl Fields for KeyView<'_> {
    fn write(&self, object: &mut Object<'_>) {
        let Self { dialect, key } = self;
        match dialect.key_scopes {
            KeyScopes::Array => object.value("scopes", &key.scopes),
            KeyScopes::SpaceSeparated => object.string("scopes", &joined_scopes(key, " ")),
            KeyScopes::CommaSeparated => object.string("scopes", &joined_scopes(key, ",")),
        }
        match dialect.key_rate_limit {
            KeyRateLimit::Object => object.value("rate_limit", &key.rate_limit),
            KeyRateLimit::Number => object.value("rate_limit", &key.rate_limit.limit),
        }
        if dialect.key_object == KeyObject::ExtraFields {
            let handle = &key.handle;
            object.string("name", "A key of the mock server");
            object.value("owner", &Owner { handle });
        }
    }
}
