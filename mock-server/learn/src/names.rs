//! The values in requests that are chosen at random or known from earlier responses.

use std::hash::{BuildHasher, Hasher, RandomState};

use mock_server::ProfileField;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value};

use super::answer::Answer;
use super::key::{HIDDEN, WRONG_KEY};

/// A value, or the reason why it is unknown.
pub(super) type Known<T> = Result<T, String>;

/// The values in requests. Handles and ids are encoded as segments of a path.
#[derive(Debug, Clone)]
pub(super) struct Names {
    pub(super) own: Known<String>,
    pub(super) other: Known<String>,
    /// A handle and path that do not exist.
    pub(super) unknown: String,
    /// A field that does not exist.
    pub(super) field: String,
    /// A part of the title of each created link and of the body of each created post.
    pub(super) mark: String,
    pub(super) link: Known<String>,
    pub(super) post: Known<String>,
    /// The editable fields of the profile with their present values.
    pub(super) profile: Known<Map<String, Value>>,
}

impl Names {
    /// Creates the names for a service whose first `GET /me` returned this. `other` is the handle of
    /// another profile.
    pub(super) fn new(me: &Answer, other: Option<&str>) -> Self {
        let own = me.at("/handle").and_then(Value::as_str);
        let other = other.filter(|other| own != Some(*other));
        let segment = |handle: Option<&str>, reason: &str| {
            let segment = handle.and_then(path_segment);
            segment.ok_or_else(|| reason.to_owned())
        };
        let unknown = |name| Err(format!("no response shows the id of the new {name}"));
        Self {
            own: segment(own, "GET /me has no handle"),
            other: segment(other, "needs --handle of another profile"),
            unknown: random(),
            field: random(),
            mark: random(),
            link: unknown("link"),
            post: unknown("post"),
            profile: editable(me),
        }
    }

    /// Returns names in braces, for descriptions of requests.
    pub(super) fn placeholders() -> Self {
        let name = |name: &str| Ok(format!("{{{name}}}"));
        Self {
            own: name("own"),
            other: name("other"),
            unknown: "{unknown}".to_owned(),
            field: String::new(),
            mark: String::new(),
            link: name("id"),
            post: name("id"),
            profile: Ok([(String::new(), Value::Null)].into_iter().collect()),
        }
    }

    /// Returns `true` if a text contains a value that is different in each run.
    pub(super) fn occur_in(&self, text: &str) -> bool {
        let random = [&self.unknown, &self.field, &self.mark].into_iter();
        let known = [&self.own, &self.other, &self.link, &self.post];
        let known = known.into_iter().filter_map(|name| name.as_ref().ok());
        let mut all = random.chain(known).map(String::as_str).chain([WRONG_KEY]);
        all.any(|name| text.contains(name))
    }
}

/// Returns the editable fields in a response to `GET /me`, except those that are `null`, or the reason for
/// not editing the profile. An edit could clear a field that it does not repeat.
pub(super) fn editable(me: &Answer) -> Known<Map<String, Value>> {
    let mut shown = Map::new();
    for name in ProfileField::ALL.iter().map(ProfileField::name) {
        let value = me.at(&format!("/{name}"));
        let value = value.ok_or_else(|| format!("not asked: GET /me does not show {name}"))?;
        shown.insert(name.to_owned(), value.clone());
    }
    shown.retain(|_, value| !value.is_null());
    let is_redacted = |value: &Value| me.is_redacted && value.to_string().contains(HIDDEN);
    if shown.values().any(is_redacted) {
        return Err("the profile contains the API key".to_owned());
    }
    Ok(shown)
}

/// Returns a name that no profile and no field has.
fn random() -> String {
    let random = RandomState::new().build_hasher().finish();
    format!("learn{random:016x}")
}

/// Encodes a handle or an id as one segment of a path, which cannot be empty, `.` or `..`.
pub(super) fn path_segment(text: &str) -> Option<String> {
    /// The unreserved characters of RFC 3986 are not encoded: some services do not decode them.
    const ENCODED: AsciiSet = NON_ALPHANUMERIC
        .remove(b'-')
        .remove(b'.')
        .remove(b'_')
        .remove(b'~');
    let is_segment = !matches!(text, "" | "." | "..");
    is_segment.then(|| utf8_percent_encode(text, &ENCODED).to_string())
}
