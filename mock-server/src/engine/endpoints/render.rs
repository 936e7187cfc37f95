//! The JSON form of links and posts, which depends on the dialect.

use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::engine::dialect::{Dialect, Ids, ResourceFields};
use crate::engine::resources::{Link, Post};

/// The JSON form of a link or post.
pub(super) struct View<'a, T>(pub(super) &'a Dialect, pub(super) &'a T);

/// The JSON form of several links or posts.
pub(super) struct ListView<'a, T>(pub(super) &'a Dialect, pub(super) &'a [T]);

impl Serialize for View<'_, Link> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(dialect, link) = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &IdView::of(dialect, &link.id))?;
        map.serialize_entry("title", &link.title)?;
        map.serialize_entry("url", &link.url)?;
        extra_fields(&mut map, dialect, &link.created_at)?;
        map.end()
    }
}

impl Serialize for View<'_, Post> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(dialect, post) = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &IdView::of(dialect, &post.id))?;
        map.serialize_entry("body", &post.body)?;
        extra_fields(&mut map, dialect, &post.created_at)?;
        map.end()
    }
}

impl<'a, T> Serialize for ListView<'a, T>
where
    View<'a, T>: Serialize,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(dialect, all) = *self;
        serializer.collect_seq(all.iter().map(|one| View(dialect, one)))
    }
}

/// Returns `true` if the id in a path is the form of `id` in the dialect.
pub(super) fn matches_id(dialect: &Dialect, id: &str, in_path: &str) -> bool {
    match IdView::of(dialect, id) {
        IdView::String(string) => string == in_path,
        IdView::Number(number) => number.to_string() == in_path,
    }
}

#[derive(serde::Serialize)]
#[serde(untagged)]
enum IdView<'a> {
    String(&'a str),
    Number(u64),
}

impl<'a> IdView<'a> {
    fn of(dialect: &Dialect, id: &'a str) -> Self {
        let number = match dialect.ids {
            Ids::String => None,
            Ids::Integer => id.rsplit('_').next().and_then(|digits| digits.parse().ok()),
        };
        number.map_or(Self::String(id), Self::Number)
    }
}

fn extra_fields<M: SerializeMap>(
    map: &mut M,
    dialect: &Dialect,
    created_at: &str,
) -> Result<(), M::Error> {
    if dialect.resource_fields != ResourceFields::Bare {
        map.serialize_entry("created_at", created_at)?;
    }
    if dialect.resource_fields == ResourceFields::Nested {
        map.serialize_entry("metadata", &Metadata::default())?;
    }
    Ok(())
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
