//! The shapes of values, and those of the objects in the specification.

use serde_json::{Map, Value, json};

use Shape::{Fields, Is, List, Only, Present};

/// A condition on a value.
#[derive(Clone, Copy)]
pub(super) enum Shape {
    Is(fn(&Value) -> bool),
    /// Any value of a field, but not a missing field.
    Present,
    List(&'static Shape),
    /// An object with at least these fields. A missing field is `null`, except for `Present`.
    Fields(&'static [Field]),
    /// An object without other fields.
    Only(&'static [Field]),
}

pub(super) type Field = (&'static str, Shape);

impl Shape {
    pub(super) fn fits(&self, value: &Value) -> bool {
        self.misfit(value).is_none()
    }

    /// Returns the part of a value that does not have this shape.
    pub(super) fn misfit(&self, value: &Value) -> Option<Value> {
        match self {
            Present => None,
            Is(condition) => (!condition(value)).then(|| value.clone()),
            List(shape) => match value.as_array() {
                Some(all) => all.iter().find_map(|one| shape.misfit(one)),
                None => Some(value.clone()),
            },
            Fields(_) | Only(_) if !value.is_object() => Some(value.clone()),
            Fields(fields) | Only(fields) => {
                let misfit = |(name, shape): &Field| {
                    let misfit = match (shape, value.get(*name)) {
                        (Present, None) => Some(Value::Null),
                        (_, found) => shape.misfit(found.unwrap_or(&Value::Null)),
                    };
                    Some(((*name).to_owned(), misfit?))
                };
                let mut misfits: Map<_, _> = fields.iter().filter_map(misfit).collect();
                if matches!(self, Only(_)) {
                    misfits.extend(extra(value, &[fields]));
                }
                (!misfits.is_empty()).then(|| misfits.into())
            }
        }
    }
}

/// Returns the fields of an object that are not in any of the lists.
pub(super) fn extra(object: &Value, known: &[&[Field]]) -> Map<String, Value> {
    let mut others = object.as_object().cloned().unwrap_or_default();
    let is_known = |name: &str| known.concat().iter().any(|(known, _)| *known == name);
    others.retain(|name, _| !is_known(name));
    others
}

pub(super) const ANY: Shape = Is(|_| true);
pub(super) const TEXT: Shape = Is(Value::is_string);
pub(super) const INTEGER: Shape = Is(Value::is_u64);
pub(super) const TRUE: Shape = Is(|value| *value == json!(true));
/// An empty string clears a color.
const COLOR: Shape = Is(|value| {
    let is_hex = |text: &str| text.bytes().all(|digit| digit.is_ascii_hexdigit());
    let is_color = |text: &str| text.len() == 7 && text.strip_prefix('#').is_some_and(is_hex);
    value
        .as_str()
        .is_some_and(|text| text.is_empty() || is_color(text))
});

/// The fields of the profile, with their limits.
#[rustfmt::skip]
pub(super) const PROFILE: &[Field] = &[
    ("display_name", Is(|value| is_short(value, 32))),
    ("bio", Is(|value| is_short(value, 300) && value.as_str().is_some_and(|text| lines(text) <= 10))),
    ("location", Is(|value| is_short(value, 40))),
    ("accent_color", COLOR), ("text_color", COLOR), ("background_color", COLOR),
];

/// The other specified fields of `GET /me`.
#[rustfmt::skip]
pub(super) const ME: &[Field] = &[
    ("email", TEXT), ("api_visible", Present), ("key", Is(Value::is_object)),
];

/// The fields of the public profile in `GET /me`.
#[rustfmt::skip]
pub(super) const PUBLIC: &[Field] = &[
    ("handle", Present), ("links", Present), ("posts", Present), ("badges", Present),
];

#[rustfmt::skip]
pub(super) const KEY: &[Field] = &[
    ("scopes", Is(|value| value.is_array() || value.is_string())), ("rate_limit", Present),
];

/// The fields of a key in `key_object`.
pub(super) const KEY_OWNER: &[Field] = &[("name", TEXT), ("owner", Fields(&[("handle", TEXT)]))];

#[rustfmt::skip]
pub(super) const BADGE: &[Field] = &[
    ("id", TEXT), ("name", TEXT), ("description", TEXT), ("color", COLOR), ("kind", TEXT),
];

#[rustfmt::skip]
pub(super) const STATISTICS: &[Field] = &[
    ("total_views", INTEGER),
    ("period", Fields(&[("days", INTEGER), ("views", INTEGER)])),
    ("daily", List(&Fields(&[("date", TEXT), ("views", INTEGER)]))),
    ("devices", Is(|value| value.as_object().is_some_and(|all| all.values().all(Value::is_u64)))),
    ("countries", List(&Fields(&[("code", TEXT), ("views", INTEGER)]))),
];

/// The fields of analytics in all dialects.
#[rustfmt::skip]
pub(super) const ANALYTICS: &[Field] = &[
    ("views", ANY), ("likes", ANY), ("social", ANY),
    ("followers", ANY), ("following", ANY), ("comments", ANY),
];

/// The specified fields of links and posts.
#[rustfmt::skip]
pub(super) const RESOURCE: &[Field] = &[("id", ANY), ("title", ANY), ("url", ANY), ("body", ANY)];

pub(super) const CREATED_AT: Field = ("created_at", TEXT);

/// The field of links and posts in `resource_fields`.
pub(super) const METADATA: Field = ("metadata", Only(&[("source", Present), ("tags", Present)]));

#[rustfmt::skip]
pub(super) const SITE: &[Field] = &[("users", INTEGER), ("views", INTEGER), ("links", INTEGER)];

fn is_short(value: &Value, max_characters: usize) -> bool {
    let text = value.as_str();
    text.is_some_and(|text| text.chars().count() <= max_characters)
}

/// Counts lines, which end with `\n`, `\r\n` or a lone `\r`.
fn lines(text: &str) -> usize {
    text.replace("\r\n", "\n").split(['\n', '\r']).count()
}
