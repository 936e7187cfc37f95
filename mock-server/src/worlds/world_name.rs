//! The name of a world in URLs and keys.

use crate::engine::ActiveKeys;

/// The name of the world that always exists.
pub(crate) const DEFAULT: &str = "default";

/// The path prefix of the worlds.
pub(crate) const PATH_PREFIX: &str = "/worlds/";

/// The separator between a key and the name of its world.
pub(crate) const SEPARATOR: char = '.';

/// Returns the base URL of a world.
pub(crate) fn world_url(server: &str, world: &str) -> String {
    format!("{server}{PATH_PREFIX}{world}")
}

/// Appends the name of the world to one of its keys, except for the world `default`.
pub(crate) fn qualified_key(world: &str, key: &str) -> String {
    match world {
        DEFAULT => key.to_owned(),
        other => format!("{key}{SEPARATOR}{other}"),
    }
}

/// Removes the name of the world from a key.
pub(crate) fn plain_key<'a>(world: &str, key: &'a str) -> &'a str {
    match key.rsplit_once(SEPARATOR) {
        Some((inner, name)) if name == world => inner,
        _ => key,
    }
}

/// Appends the name of the world to its keys, except for the world `default`.
pub(crate) fn qualified_keys(world: &str, mut keys: ActiveKeys) -> ActiveKeys {
    for key in keys.values_mut().flatten() {
        *key = qualified_key(world, key);
    }
    keys
}
