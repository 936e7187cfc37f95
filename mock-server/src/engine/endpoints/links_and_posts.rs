//! Links and posts: their endpoints, and their JSON form, which depends on the dialect.

use std::borrow::Cow;

use serde_json::json;
use url::Url;

use super::call::{Call, read_object};
use crate::engine::dialect::{Ids, LinkUrls, ResourceFields};
use crate::engine::{Dialect, Link, Object, Post, Problem, Rejected, Reply, SeededHash, World};

const FIELDS: &[&str] = &["title", "url"];

pub(super) fn create_link(world: &mut World, call: &mut Call<'_>) -> Result<Reply, Rejected> {
    let (title, url) = read_link(world.dialect(), call);
    let title = call.require("title", title);
    let url = call.require("url", url);
    let caller = call.caller()?;
    let handle = world.keys[caller].handle.clone();
    let link = world.add_link(&handle, &title?, &url?);
    let link = link.expect("the caller has an account");
    let dialect = world.dialect();
    Ok(Reply::created(dialect, |object| {
        write_link(object, dialect, &link)
    }))
}

pub(super) fn edit_link(world: &mut World, call: &mut Call<'_>) -> Result<Reply, Rejected> {
    let (title, url) = read_link(world.dialect(), call);
    if title.is_none() && url.is_none() {
        call.problems.reject(Problem::EmptyEdit { known: FIELDS });
    }
    let caller = call.caller()?;
    let index = link_position(world, caller, call)?;
    let link = &mut world.owner_mut(caller).links[index];
    if let Some(title) = title {
        link.title = title;
    }
    if let Some(url) = url {
        link.url = url;
    }
    let (dialect, link) = (world.dialect(), &world.owner(caller).links[index]);
    Ok(Reply::edited(dialect, |object| {
        write_link(object, dialect, link)
    }))
}

pub(super) fn delete_link(world: &mut World, call: &mut Call<'_>) -> Result<Reply, Rejected> {
    let caller = call.caller()?;
    let index = link_position(world, caller, call)?;
    world.owner_mut(caller).links.remove(index);
    Ok(Reply::deleted(world.dialect()))
}

/// Returns the valid title and URL in a body that creates or edits a link.
fn read_link(dialect: &Dialect, call: &mut Call<'_>) -> (Option<String>, Option<String>) {
    let (mut title, mut url) = (None, None);
    let others = dialect.unknown_fields;
    read_object(call, FIELDS, others, |field, text, problems| {
        if field == "title" {
            title = Some(text);
            return;
        }
        match (Url::parse(&text), dialect.link_urls) {
            (Err(reason), _) => drop(problems.reject(Problem::NotAUrl { reason })),
            (Ok(_), LinkUrls::AsSent) => url = Some(text),
            (Ok(parsed), LinkUrls::Parsed) => url = Some(parsed.into()),
        }
    });
    (title, url)
}

fn link_position(world: &World, caller: &str, call: &mut Call<'_>) -> Result<usize, Rejected> {
    let mut links = world.owner(caller).links.iter();
    let found = links.position(|link| id_in_path(world.dialect(), &link.id) == call.parameter);
    let id = call.parameter.to_string();
    found.ok_or_else(|| call.problems.reject(Problem::UnknownLink { id }))
}

pub(super) fn create_post(world: &mut World, call: &mut Call<'_>) -> Result<Reply, Rejected> {
    let mut body = None;
    let others = world.dialect().unknown_fields;
    read_object(call, &["body"], others, |_, text, _| body = Some(text));
    let body = call.require("body", body);
    let caller = call.caller()?;
    let handle = world.keys[caller].handle.clone();
    let post = world.add_post(&handle, &body?);
    let post = post.expect("the caller has an account");
    let dialect = world.dialect();
    Ok(Reply::created(dialect, |object| {
        write_post(object, dialect, &post)
    }))
}

pub(super) fn delete_post(world: &mut World, call: &mut Call<'_>) -> Result<Reply, Rejected> {
    let caller = call.caller()?;
    let mut posts = world.owner(caller).posts.iter();
    let index = posts.position(|post| id_in_path(world.dialect(), &post.id) == call.parameter);
    let id = call.parameter.to_string();
    let index = index.ok_or_else(|| call.problems.reject(Problem::UnknownPost { id }))?;
    world.owner_mut(caller).posts.remove(index);
    Ok(Reply::deleted(world.dialect()))
}

pub(super) fn write_link(object: &mut Object<'_>, dialect: &Dialect, link: &Link) {
    id(object, dialect, &link.id);
    object.string("title", &link.title);
    object.string("url", &link.url);
    extra_fields(object, dialect, &link.created_at);
}

pub(super) fn write_post(object: &mut Object<'_>, dialect: &Dialect, post: &Post) {
    id(object, dialect, &post.id);
    object.string("body", &post.body);
    extra_fields(object, dialect, &post.created_at);
}

/// Returns the form of an ID in paths.
pub(crate) fn id_in_path<'a>(dialect: &Dialect, id: &'a str) -> Cow<'a, str> {
    if dialect.ids == Ids::Uuid {
        return uuid(id).into();
    }
    number(dialect, id).map_or(id.into(), |number| number.to_string().into())
}

fn id(object: &mut Object<'_>, dialect: &Dialect, id: &str) {
    match number(dialect, id) {
        None => object.string("id", &id_in_path(dialect, id)),
        Some(number) => object.value("id", &number),
    }
}

/// Returns the number at the end of an ID if the dialect has integer IDs.
fn number(dialect: &Dialect, id: &str) -> Option<u64> {
    match dialect.ids {
        Ids::Integer => id.rsplit('_').next()?.parse().ok(),
        Ids::String | Ids::Uuid => None,
    }
}

/// Returns a UUID of version 4 (RFC 9562, section 5.4) that is determined by the ID.
fn uuid(id: &str) -> String {
    let hash = SeededHash::new(0).mix_str("uuid").mix_str(id);
    let (high, low) = (hash.value(), hash.mix(0).value());
    format!(
        "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
        high >> 32,
        high >> 16 & 0xffff,
        high & 0xfff,
        low >> 48 & 0x3fff | 0x8000,
        low & 0xffff_ffff_ffff,
    )
}

fn extra_fields(object: &mut Object<'_>, dialect: &Dialect, created_at: &str) {
    if dialect.resource_fields != ResourceFields::Bare {
        object.string("created_at", created_at);
    }
    if dialect.resource_fields == ResourceFields::Nested {
        let source = json!({"from": null, "imported": false});
        object.value("metadata", &json!({"source": source, "tags": []}));
    }
}
