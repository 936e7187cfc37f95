//! `POST /me/posts` and `DELETE /me/posts/{id}`.

use serde::{Deserialize, Serialize};

use super::json_body;
use super::refusal::Refusal;
use super::reply::Reply;
use super::request::Request;
use super::routing::Call;
use super::world::World;

const FIELDS: [&str; 1] = ["body"];

/// A post on a profile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Post {
    /// What paths call it, such as `post_3`.
    pub id: String,
    /// Any text.
    pub body: String,
    /// When it was made: RFC 3339, in UTC and whole seconds.
    pub created_at: String,
}

pub(super) fn create(world: &mut World, call: &Call) -> Result<Reply, Refusal> {
    let body = read_body(call.request)?.ok_or(Refusal::MissingField { field: "body" })?;
    let post = world.add_post(&call.caller.handle, &body);
    Ok(Reply::data(201, post.ok_or(Refusal::UnknownKey)?))
}

pub(super) fn delete(world: &mut World, call: &Call) -> Result<Reply, Refusal> {
    let posts = &mut world.owner_mut(&call.caller)?.posts;
    let id = &call.parameter;
    let index = posts.iter().position(|post| post.id == *id);
    posts.remove(index.ok_or_else(|| Refusal::UnknownPost { id: id.clone() })?);
    Ok(Reply::no_content())
}

fn read_body(request: &Request) -> Result<Option<String>, Refusal> {
    let mut body = None;
    for (field, value) in json_body::fields(request)? {
        if field != "body" {
            let known = &FIELDS;
            return Err(Refusal::UnknownField { field, known });
        }
        body = Some(json_body::text(&field, value)?);
    }
    Ok(body)
}
