//! `PATCH /me/profile`: the six fields that an owner edits.

use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::account::Account;
use super::badges::Badge;
use super::dialect::MeFields;
use super::json_body;
use super::limits::{check_characters, check_color, check_lines};
use super::refusal::{Refusal, first};
use super::reply::Reply;
use super::routing::Call;
use super::shown::AllShown;
use super::world::World;

const FIELDS: [&str; 6] = [
    "display_name",
    "bio",
    "location",
    "accent_color",
    "text_color",
    "background_color",
];

/// The six fields of a profile that its owner edits (section Resources of the specification).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Profile {
    /// Up to 32 characters.
    pub display_name: String,
    /// Up to 300 characters and up to 10 lines.
    pub bio: String,
    /// Up to 40 characters.
    pub location: String,
    /// `#rrggbb`, in the case in which it was given.
    pub accent_color: String,
    /// `#rrggbb`, in the case in which it was given.
    pub text_color: String,
    /// `#rrggbb`, in the case in which it was given.
    pub background_color: String,
}

impl Default for Profile {
    /// Empty texts, and black on white.
    fn default() -> Self {
        Self {
            display_name: String::new(),
            bio: String::new(),
            location: String::new(),
            accent_color: "#000000".to_owned(),
            text_color: "#000000".to_owned(),
            background_color: "#ffffff".to_owned(),
        }
    }
}

/// What everybody sees of an account.
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

    /// Writes the fields into an object that may have others as well.
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
            map.serialize_entry("links", &AllShown(dialect, &self.account.links))?;
            map.serialize_entry("posts", &AllShown(dialect, &self.account.posts))?;
            map.serialize_entry("badges", &self.badges())?;
        }
        Ok(())
    }

    fn badges(&self) -> Vec<&'a Badge> {
        let worn = |badge: &&Badge| self.account.badges.contains(&badge.id);
        self.world.badges.iter().filter(worn).collect()
    }
}

impl Serialize for PublicProfile<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.entries(&mut map)?;
        map.end()
    }
}

pub(super) fn edit(world: &mut World, call: &Call) -> Result<Reply, Refusal> {
    let account = world.owner_mut(&call.caller)?;
    // A copy is edited and put in place at the end: one bad field, and none of them is taken.
    let mut edited = account.profile.clone();
    for (field, value) in json_body::fields(call.request)? {
        first(judge(&field, &value))?;
        if let Some(place) = edited.field_mut(&field) {
            json_body::text(&field, &value)?.clone_into(place);
        }
    }
    account.profile = edited;
    let account = world.owner(&call.caller)?;
    let profile = PublicProfile::of(world, &call.caller.handle, account);
    Ok(Reply::written(world.dialect(), 200, profile))
}

/// What is wrong with a field of an edit (sections Limits and Errors of the specification).
pub(super) fn judge(field: &str, value: &Value) -> Vec<Refusal> {
    let Some(&name) = FIELDS.iter().find(|name| **name == field) else {
        return vec![Refusal::unknown_field(field, &FIELDS)];
    };
    let text = match json_body::text(name, value) {
        Ok(text) => text,
        Err(refusal) => return vec![refusal],
    };
    let judged = match name {
        "display_name" => [check_characters(name, text, 32), Ok(())],
        "bio" => [
            check_characters(name, text, 300),
            check_lines(name, text, 10),
        ],
        "location" => [check_characters(name, text, 40), Ok(())],
        _ => [check_color(name, text), Ok(())],
    };
    judged.into_iter().filter_map(Result::err).collect()
}

/// Refuses a profile that no edit can have led to.
pub(super) fn check(profile: &Profile) -> Result<(), Refusal> {
    let Profile {
        display_name,
        bio,
        location,
        accent_color,
        text_color,
        background_color,
    } = profile;
    let texts = [
        display_name,
        bio,
        location,
        accent_color,
        text_color,
        background_color,
    ];
    let mut fields = FIELDS.iter().zip(texts);
    fields.try_for_each(|(field, text)| first(judge(field, &Value::from(text.as_str()))))
}

impl Profile {
    fn field_mut(&mut self, name: &str) -> Option<&mut String> {
        match name {
            "display_name" => Some(&mut self.display_name),
            "bio" => Some(&mut self.bio),
            "location" => Some(&mut self.location),
            "accent_color" => Some(&mut self.accent_color),
            "text_color" => Some(&mut self.text_color),
            "background_color" => Some(&mut self.background_color),
            _ => None,
        }
    }
}
