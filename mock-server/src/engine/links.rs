//! `POST /me/links`, `PATCH /me/links/{id}` and `DELETE /me/links/{id}`.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;

use super::dialect::{Dialect, UnknownFields};
use super::json_body;
use super::refusal::{Refusal, first};
use super::reply::Reply;
use super::request::Request;
use super::routing::Call;
use super::shown::{Shown, is_id};
use super::world::World;

const FIELDS: [&str; 2] = ["title", "url"];

/// A link on a profile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Link {
    /// What paths call it, such as `link_1`; under integer ids that is the number at its end.
    pub id: String,
    /// Any text.
    pub title: String,
    /// An absolute URL, byte for byte as it was given.
    pub url: String,
    /// When it was made: RFC 3339, in UTC and whole seconds.
    pub created_at: String,
}

pub(super) fn create(world: &mut World, call: &Call) -> Result<Reply, Refusal> {
    let LinkFields { title, url } = LinkFields::read(world.dialect(), call.request)?;
    let title = title.ok_or(Refusal::MissingField { field: "title" })?;
    let url = url.ok_or(Refusal::MissingField { field: "url" })?;
    let link = world.add_link(&call.caller.handle, &title, &url);
    let link = link.ok_or(Refusal::UnknownKey)?;
    let dialect = world.dialect();
    Ok(Reply::written(dialect, 201, Shown(dialect, &link)))
}

pub(super) fn edit(world: &mut World, call: &Call) -> Result<Reply, Refusal> {
    let LinkFields { title, url } = LinkFields::read(world.dialect(), call.request)?;
    if title.is_none() && url.is_none() {
        return Err(Refusal::EmptyEdit { known: &FIELDS });
    }
    let index = position(world, call)?;
    let link = &mut world.owner_mut(&call.caller)?.links[index];
    link.title = title.unwrap_or_else(|| link.title.clone());
    link.url = url.unwrap_or_else(|| link.url.clone());
    let dialect = world.dialect();
    let link = &world.owner(&call.caller)?.links[index];
    Ok(Reply::written(dialect, 200, Shown(dialect, link)))
}

pub(super) fn delete(world: &mut World, call: &Call) -> Result<Reply, Refusal> {
    let index = position(world, call)?;
    world.owner_mut(&call.caller)?.links.remove(index);
    Ok(Reply::deleted(world.dialect()))
}

/// What is wrong with a field of a body that creates or edits a link.
pub(super) fn judge(field: &str, value: &Value) -> Vec<Refusal> {
    if !FIELDS.contains(&field) {
        return vec![Refusal::unknown_field(field, &FIELDS)];
    }
    let text = json_body::text(field, value);
    let judged = text.and_then(|text| match field {
        "url" => check_absolute(text),
        _ => Ok(()),
    });
    judged.err().into_iter().collect()
}

/// Refuses a link that no request can have led to.
pub(super) fn check(link: &Link) -> Result<(), Refusal> {
    check_absolute(&link.url)
}

/// The fields of a body that creates or edits a link, as far as they are given.
#[derive(Default)]
struct LinkFields {
    title: Option<String>,
    url: Option<String>,
}

impl LinkFields {
    fn read(dialect: &Dialect, request: &Request) -> Result<Self, Refusal> {
        let mut read = Self::default();
        for (field, value) in json_body::fields(request)? {
            if dialect.unknown_fields == UnknownFields::Ignored && !FIELDS.contains(&&*field) {
                continue;
            }
            first(judge(&field, &value))?;
            let text = json_body::text(&field, &value)?.to_owned();
            match field.as_str() {
                "title" => read.title = Some(text),
                _ => read.url = Some(text),
            }
        }
        Ok(read)
    }
}

fn check_absolute(url: &str) -> Result<(), Refusal> {
    match Url::parse(url) {
        Ok(_) => Ok(()),
        Err(reason) => Err(Refusal::NotAUrl { reason }),
    }
}

fn position(world: &World, call: &Call) -> Result<usize, Refusal> {
    let links = &world.owner(&call.caller)?.links;
    let found = links
        .iter()
        .position(|link| is_id(world.dialect(), &link.id, &call.parameter));
    found.ok_or_else(|| Refusal::UnknownLink {
        id: call.parameter.to_string(),
    })
}
