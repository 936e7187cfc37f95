//! The JSON form of links and posts, which depends on the dialect.

use crate::engine::dialect::{Dialect, Ids, ResourceFields};
use crate::engine::json_object::{Fields, Object};
use crate::engine::resources::{Link, Post};

/// The JSON form of a link or post.
pub(super) struct View<'a, T>(pub(super) &'a Dialect, pub(super) &'a T);

impl Fields for View<'_, Link> {
    fn write(&self, object: &mut Object<'_>) {
        let Self(dialect, link) = self;
        id(object, dialect, &link.id);
        object.string("title", &link.title);
        object.string("url", &link.url);
        extra_fields(object, dialect, &link.created_at);
    }
}

impl Fields for View<'_, Post> {
    fn write(&self, object: &mut Object<'_>) {
        let Self(dialect, post) = self;
        id(object, dialect, &post.id);
        object.string("body", &post.body);
        extra_fields(object, dialect, &post.created_at);
    }
}

/// Returns `true` if the id in a path is the form of `id` in the dialect.
pub(super) fn matches_id(dialect: &Dialect, id: &str, in_path: &str) -> bool {
    match number(dialect, id) {
        None => id == in_path,
        Some(number) => number.to_string() == in_path,
    }
}

fn id(object: &mut Object<'_>, dialect: &Dialect, id: &str) {
    match number(dialect, id) {
        None => object.string("id", id),
        Some(number) => object.value("id", &number),
    }
}

/// Returns the number at the end of an id if the dialect has integer ids.
fn number(dialect: &Dialect, id: &str) -> Option<u64> {
    match dialect.ids {
        Ids::String => None,
        Ids::Integer => id.rsplit('_').next()?.parse().ok(),
    }
}

fn extra_fields(object: &mut Object<'_>, dialect: &Dialect, created_at: &str) {
    if dialect.resource_fields != ResourceFields::Bare {
        object.string("created_at", created_at);
    }
    if dialect.resource_fields == ResourceFields::Nested {
        object.value("metadata", &Metadata::default());
    }
}

/// An extra field with nested values.
#[derive(Default, serde::Serialize)]
struct Metadata {
    tags: [&'static str; 0],
    source: Source,
}

#[derive(Default, serde::Serialize)]
struct Source {
    imported: bool,
    from: Option<&'static str>,
}
