//! `PATCH /me/profile`: the six fields that an owner edits.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::account::Account;
use super::badges::Badge;
use super::json_body;
use super::limits::{check_characters, check_color, check_lines};
use super::links::Link;
use super::posts::Post;
use super::refusal::Refusal;
use super::reply::Reply;
use super::routing::Call;
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
#[derive(Serialize)]
pub(super) struct PublicProfile<'a> {
    handle: &'a str,
    #[serde(flatten)]
    profile: &'a Profile,
    links: &'a [Link],
    posts: &'a [Post],
    badges: Vec<&'a Badge>,
}

impl<'a> PublicProfile<'a> {
    pub(super) fn of(world: &'a World, handle: &'a str, account: &'a Account) -> Self {
        let worn = |badge: &&Badge| account.badges.contains(&badge.id);
        Self {
            handle,
            profile: &account.profile,
            links: &account.links,
            posts: &account.posts,
            badges: world.badges.iter().filter(worn).collect(),
        }
    }
}

pub(super) fn edit(world: &mut World, call: &Call) -> Result<Reply, Refusal> {
    let account = world.owner_mut(&call.caller)?;
    // A copy is edited and put in place at the end: one bad field, and none of them is taken.
    let mut edited = account.profile.clone();
    for (field, value) in json_body::fields(call.request)? {
        set(&mut edited, field, value)?;
    }
    account.profile = edited;
    let account = world.owner(&call.caller)?;
    let profile = PublicProfile::of(world, &call.caller.handle, account);
    Ok(Reply::data(200, profile))
}

fn set(profile: &mut Profile, field: String, value: Value) -> Result<(), Refusal> {
    let Some(&name) = FIELDS.iter().find(|name| **name == field) else {
        let known = &FIELDS;
        return Err(Refusal::UnknownField { field, known });
    };
    let text = json_body::text(name, value)?;
    let place = match name {
        "display_name" => {
            check_characters(name, &text, 32)?;
            &mut profile.display_name
        }
        "bio" => {
            check_characters(name, &text, 300)?;
            check_lines(name, &text, 10)?;
            &mut profile.bio
        }
        "location" => {
            check_characters(name, &text, 40)?;
            &mut profile.location
        }
        "accent_color" => {
            check_color(name, &text)?;
            &mut profile.accent_color
        }
        "text_color" => {
            check_color(name, &text)?;
            &mut profile.text_color
        }
        _ => {
            check_color(name, &text)?;
            &mut profile.background_color
        }
    };
    *place = text;
    Ok(())
}
