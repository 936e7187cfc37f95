//! `POST /me/posts` and `DELETE /me/posts/{id}`.

use super::call::Call;
use super::json_body::{self, Known};
use super::render::{View, id_in_path};
use crate::engine::problems::{Problem, Rejected};
use crate::engine::reply::Reply;
use crate::engine::world::World;

pub(super) fn create(world: &mut World, call: &mut Call<'_>) -> Result<Reply, Rejected> {
    let mut body = None;
    let known = Known {
        fields: &["body"],
        others: world.dialect().unknown_fields,
    };
    json_body::read(call, &known, |_, text, _| body = Some(text));
    let body = call.require("body", body);
    let caller = call.caller()?;
    let handle = world.keys[caller].handle.clone();
    let post = world.add_post(&handle, &body?);
    let post = post.expect("the caller has an account");
    let dialect = world.dialect();
    Ok(Reply::created(dialect, &View(dialect, &post)))
}

pub(super) fn delete(world: &mut World, call: &mut Call<'_>) -> Result<Reply, Rejected> {
    let caller = call.caller()?;
    let mut posts = world.owner(caller).posts.iter();
    let index = posts.position(|post| id_in_path(world.dialect(), &post.id) == call.parameter);
    let Some(index) = index else {
        let id = call.parameter.to_string();
        return Err(call.problems.reject(Problem::UnknownPost { id }));
    };
    world.owner_mut(caller).posts.remove(index);
    Ok(Reply::deleted(world.dialect()))
}
