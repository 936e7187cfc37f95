//! `GET /me`, `PATCH /me/profile` and `GET /badges`: the profile of the key owner.

use super::call::{Call, read_object};
use super::links_and_posts::{write_link, write_post};
use crate::engine::dialect::{
    ApiVisible, BadgeKinds, KeyObject, KeyRateLimit, KeyScopes, MeFields, UnknownFields,
};
use crate::engine::{
    Badge, Dialect, Key, Object, Problem, ProfileField, Rejected, Reply, Scope, World,
};

pub(super) fn show(world: &World, call: &mut Call<'_>) -> Result<Reply, Rejected> {
    let length = call.request.body.len();
    if length > 0 {
        call.problems.tolerate(Problem::UnexpectedBody { length });
    }
    let caller = call.caller()?;
    let (dialect, key) = (world.dialect(), &world.keys[caller]);
    let account = &world.accounts[&key.handle];
    Ok(Reply::object(200, |object| {
        write_profile(object, world, key);
        object.string("email", &account.email);
        let visible = account.api_visible;
        match dialect.api_visible {
            ApiVisible::Boolean => object.value("api_visible", &visible),
            ApiVisible::Integer => object.value("api_visible", &u8::from(visible)),
            ApiVisible::String => object.string("api_visible", &visible.to_string()),
        }
        object.object("key", |object| write_key(object, dialect, key));
    }))
}

fn joined_scopes(key: &Key, separator: &str) -> String {
    let names: Vec<_> = key.scopes.iter().copied().map(Scope::as_str).collect();
    names.join(separator)
}

fn write_key(object: &mut Object<'_>, dialect: &Dialect, key: &Key) {
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
        object.string("name", "A key of the mock server");
        object.object("owner", |owner| owner.string("handle", &key.handle));
    }
}

pub(super) fn edit(world: &mut World, call: &mut Call<'_>) -> Result<Reply, Rejected> {
    let edit = read(call);
    let caller = call.caller()?;
    let profile = &mut world.owner_mut(caller).profile;
    for (field, text) in edit {
        field.set(profile, text);
    }
    let key = &world.keys[caller];
    Ok(Reply::edited(world.dialect(), |object| {
        write_profile(object, world, key)
    }))
}

/// Returns the fields of an edit with their new values.
fn read(call: &mut Call<'_>) -> Vec<(&'static ProfileField, String)> {
    let mut edit = Vec::new();
    let (known, others) = (ProfileField::NAMES, UnknownFields::Rejected);
    read_object(call, known, others, |name, text, problems| {
        let Some(field) = ProfileField::ALL.iter().find(|field| field.name() == name) else {
            return;
        };
        for problem in field.limit().problems(field.name(), &text) {
            problems.reject(problem);
        }
        edit.push((field, text));
    });
    edit
}

/// Writes the public profile of the owner of a key.
fn write_profile(object: &mut Object<'_>, world: &World, key: &Key) {
    let (dialect, account) = (world.dialect(), &world.accounts[&key.handle]);
    let is_full = dialect.me_fields == MeFields::Full;
    if is_full {
        object.string("handle", &key.handle);
    }
    for field in ProfileField::ALL {
        object.string(field.name(), field.get(&account.profile));
    }
    if is_full {
        let (links, posts) = (account.links.iter(), account.posts.iter());
        let is_owned = |badge: &&Badge| account.badges.contains(&badge.id);
        object.array("links", links, |object, link| {
            write_link(object, dialect, link)
        });
        object.array("posts", posts, |object, post| {
            write_post(object, dialect, post)
        });
        let badges: Vec<_> = world.badges.iter().filter(is_owned).collect();
        object.value("badges", &badges);
    }
}

pub(super) fn list_badges(world: &World, call: &mut Call<'_>) -> Result<Reply, Rejected> {
    call.expect_no_parameters();
    call.problems.check()?;
    Ok(match world.dialect().badge_kinds {
        BadgeKinds::Auto => Reply::data(200, &world.badges),
        BadgeKinds::Extra => {
            let staff = Badge {
                kind: "manual".to_owned(),
                ..Badge::new("staff", "Staff", "Given by hand", "#dc2626")
            };
            let all: Vec<_> = world.badges.iter().chain([&staff]).collect();
            Reply::data(200, &all)
        }
    })
}
