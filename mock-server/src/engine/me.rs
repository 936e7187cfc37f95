//! `GET /me`: everything that the owner of the key sees of itself.

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::account::Account;
use super::dialect::{ApiVisible, Dialect, KeyObject, KeyRateLimit, KeyScopes};
use super::keys::Key;
use super::profile::PublicProfile;
use super::refusal::Refusal;
use super::reply::Reply;
use super::routing::Call;
use super::scope::Scope;
use super::world::World;

pub(super) fn show(world: &World, call: &Call) -> Result<Reply, Refusal> {
    let account = world.owner(&call.caller)?;
    let (dialect, key) = (world.dialect(), &*call.caller);
    let write = || {
        let me = Me {
            profile: PublicProfile::of(world, &key.handle, account),
            account,
            dialect,
            key: ShownKey { dialect, key },
        };
        Reply::data_body(me)
    };
    let body = world.me.body(&world.source_of_me(key), write);
    Ok(Reply::json_body(200, body))
}

struct Me<'a> {
    profile: PublicProfile<'a>,
    account: &'a Account,
    dialect: &'a Dialect,
    key: ShownKey<'a>,
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

/// The calling key without its text.
struct ShownKey<'a> {
    dialect: &'a Dialect,
    key: &'a Key,
}

#[derive(serde::Serialize)]
struct Owner<'a> {
    handle: &'a str,
}

impl Serialize for ShownKey<'_> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Outcome, RateLimit, Request};

    fn ask(world: &mut World, key: &str, method: &str, path: &str, body: &str) -> Outcome {
        let request = Request::new(method, path)
            .header("Authorization", format!("Bearer {key}"))
            .header("Content-Type", "application/json")
            .body(body);
        world.handle(&request)
    }

    /// What the world remembers, which has to be what a world says that remembers nothing.
    #[track_caller]
    fn body(world: &mut World, key: &str) -> Vec<u8> {
        let mut copy = world.clone();
        let remembered = ask(world, key, "GET", "/api/v1/me", "").reply;
        assert_eq!(remembered.status, 200);
        assert_eq!(
            remembered.body,
            ask(&mut copy, key, "GET", "/api/v1/me", "").reply.body
        );
        remembered.body
    }

    #[test]
    fn every_change_shows_at_once() {
        let changes: [fn(&mut World, &str); 9] = [
            |world, _| world.account_mut("demo").unwrap().profile.bio = "New".to_owned(),
            |world, _| drop(world.add_link("demo", "Blog", "https://example.com/blog")),
            |world, _| drop(world.add_post("demo", "New")),
            |world, _| world.set_dialect(Dialect::maximal()),
            |world, _| world.badges[0].name = "New".to_owned(),
            |world, key| {
                let limit = RateLimit {
                    limit: 700,
                    ..RateLimit::default()
                };
                world.set_rate_limit(key, limit);
            },
            |world, key| world.keys.get_mut(key).unwrap().scopes.clear(),
            |world, _| *world = World::new(world.seed()),
            |world, key| {
                let edit = r#"{"location": "Elsewhere"}"#;
                let profile = world.keys().profile;
                let edited = ask(world, &profile, "PATCH", "/api/v1/me/profile", edit);
                assert_eq!(edited.reply.status, 200, "{key}");
            },
        ];
        let mut world = World::new(7);
        let key = world.keys().all;
        for (number, change) in changes.into_iter().enumerate() {
            let before = body(&mut world, &key);
            assert_eq!(body(&mut world, &key), before, "before change {number}");
            change(&mut world, &key);
            assert_ne!(body(&mut world, &key), before, "change {number}");
        }
    }

    #[test]
    fn no_key_is_shown_what_another_was() {
        let mut world = World::new(7);
        let keys = world.keys();
        let grace = world.create_key("grace", &[]);
        for key in [&keys.all, &keys.none, &grace, &keys.all] {
            let body = String::from_utf8(body(&mut world, key)).unwrap();
            assert_eq!(body.contains("links:write"), *key == keys.all);
            assert_eq!(body.contains("grace@example.com"), *key == grace);
        }
    }
}
