//! `POST /me/posts` and `DELETE /me/posts/{id}`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::dialect::{Dialect, UnknownFields};
use super::json_body;
use super::refusal::{Refusal, first};
use super::reply::Reply;
use super::request::Request;
use super::routing::Call;
use super::shown::{Shown, is_id};
use super::world::World;

const FIELDS: [&str; 1] = ["body"];

/// A post on a profile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Post {
    /// What paths call it, such as `post_3`; under integer ids that is the number at its end.
    pub id: String,
    /// Any text.
    pub body: String,
    /// When it was made: RFC 3339, in UTC and whole seconds.
    pub created_at: String,
}

pub(super) fn create(world: &mut World, call: &Call) -> Result<Reply, Refusal> {
    let body = read_body(world.dialect(), call.request)?;
    let body = body.ok_or(Refusal::MissingField { field: "body" })?;
    let post = world.add_post(&call.caller.handle, &body);
    let post = post.ok_or(Refusal::UnknownKey)?;
    let dialect = world.dialect();
    Ok(Reply::written(dialect, 201, Shown(dialect, &post)))
}

pub(super) fn delete(world: &mut World, call: &Call) -> Result<Reply, Refusal> {
    let id = &*call.parameter;
    let posts = &world.owner(&call.caller)?.posts;
    let index = posts
        .iter()
        .position(|post| is_id(world.dialect(), &post.id, id));
    let index = index.ok_or_else(|| Refusal::UnknownPost { id: id.to_owned() })?;
    world.owner_mut(&call.caller)?.posts.remove(index);
    Ok(Reply::deleted(world.dialect()))
}

/// What is wrong with a field of a body that creates a post.
pub(super) fn judge(field: &str, value: &Value) -> Vec<Refusal> {
    if !FIELDS.contains(&field) {
        return vec![Refusal::unknown_field(field, &FIELDS)];
    }
    let judged = json_body::text(field, value);
    judged.err().into_iter().collect()
}

fn read_body(dialect: &Dialect, request: &Request) -> Result<Option<String>, Refusal> {
    let mut body = None;
    for (field, value) in json_body::fields(request)? {
        if dialect.unknown_fields == UnknownFields::Ignored && !FIELDS.contains(&&*field) {
            continue;
        }
        first(judge(&field, &value))?;
        body = Some(json_body::text(&field, &value)?.to_owned());
    }
    Ok(body)
}
