//! The JSON form of links and posts, which depends on the dialect.

use std::borrow::Cow;

use crate::engine::dialect::{Dialect, Ids, ResourceFields};
use crate::engine::json_object::{Fields, Object};
use crate::engine::resources::{Link, Post};
use crate::engine::seeded_hash::SeededHash;

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

/// Returns the form of an id in paths.
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

/// Returns the number at the end of an id if the dialect has integer ids.
fn number(dialect: &Dialect, id: &str) -> Option<u64> {
    match dialect.ids {
        Ids::Integer => id.rsplit('_').next()?.parse().ok(),
        Ids::String | Ids::Uuid => None,
    }
}

/// Returns a UUID of version 4 (RFC 9562, section 5.4) that is determined by the id.
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
