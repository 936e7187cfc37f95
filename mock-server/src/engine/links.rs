//! `POST /me/links`, `PATCH /me/links/{id}` and `DELETE /me/links/{id}`.

use serde::{Deserialize, Serialize};
use url::Url;

use super::json_body;
use super::refusal::Refusal;
use super::reply::Reply;
use super::request::Request;
use super::routing::Call;
use super::world::World;

const FIELDS: [&str; 2] = ["title", "url"];

/// A link on a profile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Link {
    /// What paths call it, such as `link_1`.
    pub id: String,
    /// Any text.
    pub title: String,
    /// An absolute URL, byte for byte as it was given.
    pub url: String,
    /// When it was made: RFC 3339, in UTC and whole seconds.
    pub created_at: String,
}

pub(super) fn create(world: &mut World, call: &Call) -> Result<Reply, Refusal> {
    let LinkFields { title, url } = LinkFields::read(call.request)?;
    let title = title.ok_or(Refusal::MissingField { field: "title" })?;
    let url = url.ok_or(Refusal::MissingField { field: "url" })?;
    let link = world.add_link(&call.caller.handle, &title, &url);
    Ok(Reply::data(201, link.ok_or(Refusal::UnknownKey)?))
}

pub(super) fn edit(world: &mut World, call: &Call) -> Result<Reply, Refusal> {
    let LinkFields { title, url } = LinkFields::read(call.request)?;
    if title.is_none() && url.is_none() {
        return Err(Refusal::EmptyEdit { known: &FIELDS });
    }
    let links = &mut world.owner_mut(&call.caller)?.links;
    let index = position(links, &call.parameter)?;
    let link = &mut links[index];
    link.title = title.unwrap_or_else(|| link.title.clone());
    link.url = url.unwrap_or_else(|| link.url.clone());
    Ok(Reply::data(200, link))
}

pub(super) fn delete(world: &mut World, call: &Call) -> Result<Reply, Refusal> {
    let links = &mut world.owner_mut(&call.caller)?.links;
    let index = position(links, &call.parameter)?;
    links.remove(index);
    Ok(Reply::no_content())
}

/// The fields of a body that creates or edits a link, as far as they are given.
#[derive(Default)]
struct LinkFields {
    title: Option<String>,
    url: Option<String>,
}

impl LinkFields {
    fn read(request: &Request) -> Result<Self, Refusal> {
        let mut read = Self::default();
        for (field, value) in json_body::fields(request)? {
            match field.as_str() {
                "title" => read.title = Some(json_body::text(&field, value)?),
                "url" => read.url = Some(absolute(json_body::text(&field, value)?)?),
                _ => {
                    let known = &FIELDS;
                    return Err(Refusal::UnknownField { field, known });
                }
            }
        }
        Ok(read)
    }
}

fn absolute(url: String) -> Result<String, Refusal> {
    match Url::parse(&url) {
        Ok(_) => Ok(url),
        Err(reason) => Err(Refusal::NotAUrl { reason }),
    }
}

fn position(links: &[Link], id: &str) -> Result<usize, Refusal> {
    let found = links.iter().position(|link| link.id == id);
    found.ok_or_else(|| Refusal::UnknownLink { id: id.to_owned() })
}
