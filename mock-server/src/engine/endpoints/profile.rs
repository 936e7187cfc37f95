//! `PATCH /me/profile`, and the public profile.

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::call::Call;
use super::json_body::{self, Known};
use super::render::ListView;
use crate::engine::dialect::{MeFields, UnknownFields};
use crate::engine::rejections::Rejected;
use crate::engine::reply::Reply;
use crate::engine::resources::{Account, Badge, FIELD_NAMES, FIELDS, Field};
use crate::engine::world::World;

pub(super) fn edit(world: &mut World, call: &mut Call<'_>) -> Result<Reply, Rejected> {
    let edit = read(call);
    let caller = call.caller()?;
    let profile = &mut world.owner_mut(&caller).profile;
    for (field, text) in edit {
        *(field.value)(profile) = text;
    }
    let profile = PublicProfile::of(world, &caller.handle, world.owner(&caller));
    Ok(Reply::written(world.dialect(), 200, profile))
}

/// Returns the fields of an edit with their new values.
fn read(call: &mut Call<'_>) -> Vec<(&'static Field, String)> {
    let mut edit = Vec::new();
    let known = Known {
        fields: &FIELD_NAMES,
        others: UnknownFields::Rejected,
    };
    json_body::read(call, &known, |name, text, problems| {
        let Some(field) = FIELDS.iter().find(|field| field.name == name) else {
            return;
        };
        for problem in field.problems(&text) {
            problems.reject(problem);
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

    /// Serializes the fields into `map`, which may have other fields.
    pub(super) fn entries<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let dialect = self.world.dialect();
        let is_full = dialect.me_fields == MeFields::Full;
        if is_full {
            map.serialize_entry("handle", self.handle)?;
        }
        let profile = &self.account.profile;
        map.serialize_entry("display_name", &profile.display_name)?;
        map.serialize_entry("bio", &profile.bio)?;
        map.serialize_entry("location", &profile.location)?;
        map.serialize_entry("accent_color", &profile.accent_color)?;
        map.serialize_entry("text_color", &profile.text_color)?;
        map.serialize_entry("background_color", &profile.background_color)?;
        if is_full {
            map.serialize_entry("links", &ListView(dialect, &self.account.links))?;
            map.serialize_entry("posts", &ListView(dialect, &self.account.posts))?;
            map.serialize_entry("badges", &self.badges())?;
        }
        Ok(())
    }

    fn badges(&self) -> Vec<&'a Badge> {
        let is_owned = |badge: &&Badge| self.account.badges.contains(&badge.id);
        self.world.badges.iter().filter(is_owned).collect()
    }
}

impl Serialize for PublicProfile<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.entries(&mut map)?;
        map.end()
    }
}
