//! `PATCH /me/profile`, and the public profile.

use super::call::Call;
use super::json_body::{self, Known};
use super::render::View;
use crate::engine::dialect::{MeFields, UnknownFields};
use crate::engine::json_object::{Fields, Object};
use crate::engine::problems::{Problem, Rejected};
use crate::engine::reply::Reply;
use crate::engine::resources::{Account, Badge, ProfileField};
use crate::engine::world::World;

pub(super) fn edit(world: &mut World, call: &mut Call<'_>) -> Result<Reply, Rejected> {
    let edit = read(call);
    let caller = call.caller()?;
    let profile = &mut world.owner_mut(caller).profile;
    for (field, text) in edit {
        field.set(profile, text);
    }
    let profile = PublicProfile::of(world, &world.keys[caller].handle, world.owner(caller));
    Ok(Reply::edited(world.dialect(), &profile))
}

/// Returns the fields of an edit with their new values.
fn read(call: &mut Call<'_>) -> Vec<(&'static ProfileField, String)> {
    let mut edit = Vec::new();
    let known = Known {
        fields: ProfileField::NAMES,
        others: UnknownFields::Rejected,
    };
    json_body::read(call, &known, |name, text, problems| {
        let Some(field) = ProfileField::ALL.iter().find(|field| field.name() == name) else {
            return;
        };
        for excess in field.limit().problems(&text) {
            problems.reject(Problem::of_limit(field.name(), excess));
        }
        edit.push((field, text));
    });
    edit
}

/// The public part of an account.
pub(super) struct PublicProfile<'a> {
    world: &'a World,
    handle: &'a str,
    account: &'a Account,
}

impl<'a> PublicProfile<'a> {
    pub(super) fn of(world: &'a World, handle: &'a str, account: &'a Account) -> Self {
        Self {
            world,
            handle,
            account,
        }
    }
}

impl Fields for PublicProfile<'_> {
    fn write(&self, object: &mut Object<'_>) {
        let dialect = self.world.dialect();
        let is_full = dialect.me_fields == MeFields::Full;
        if is_full {
            object.string("handle", self.handle);
        }
        let profile = &self.account.profile;
        for field in ProfileField::ALL {
            object.string(field.name(), field.get(profile));
        }
        if is_full {
            let Account {
                links,
                posts,
                badges,
                ..
            } = self.account;
            let is_owned = |badge: &&Badge| badges.contains(&badge.id);
            object.array("links", links.iter().map(|link| View(dialect, link)));
            object.array("posts", posts.iter().map(|post| View(dialect, post)));
            object.array("badges", self.world.badges.iter().filter(is_owned));
        }
    }
}

impl Fields for &Badge {
    fn write(&self, object: &mut Object<'_>) {
        object.string("id", &self.id);
        object.string("name", &self.name);
        object.string("description", &self.description);
        object.string("color", &self.color);
        object.string("kind", &self.kind);
    }
}
