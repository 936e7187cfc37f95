//! The table of the requests, and the values in them.

use std::fmt;
use std::hash::{BuildHasher, Hasher, RandomState};

use mock_server::ProfileField;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::Method;
use serde_json::{Map, Value, json};

use crate::response::{Answer, WRONG_KEY};

/// Defines the steps, which are sent in their order.
macro_rules! steps {
    ($($step:ident: $request:expr;)*) => {
        /// A request whose response is observed.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) enum Step { $($step),* }

        impl Step {
            pub(crate) const ALL: &[Self] = &[$(Self::$step),*];

            /// Returns the request, or the reason why it cannot be sent.
            pub(crate) fn request(self, values: &RequestValues) -> Known<Request> {
                let request: fn(&RequestValues) -> Known<Request> = match self { $(Self::$step => $request),* };
                request(values)
            }
        }
    };
}

steps! {
    Me: |_| get("/me");
    Analytics: |_| get("/me/analytics");
    UnknownHandle: |values| get(&format!("/users/{}/stats", values.unknown));
    UnknownPath: |values| get(&format!("/{}", values.unknown));
    WithoutKey: |_| Ok(Request::get("/me").access(Access::NoKey, " without a key"));
    WrongKey: |_| Ok(Request::get("/me").access(Access::WrongKey, " with a wrong key"));
    Badges: |_| get("/badges");
    BadgesWithoutKey: |_| Ok(Request::get("/badges").access(Access::NoKey, " without a key"));
    Site: |_| get("/stats");
    SiteWithoutKey: |_| Ok(Request::get("/stats").access(Access::NoKey, " without a key"));
    WrongMethod: |_| Ok(Request::new(Method::PUT, "/stats"));
    Own: |values| statistics(&values.own, "");
    Own1: |values| statistics(&values.own, "?days=1");
    Own30: |values| statistics(&values.own, "?days=30");
    Own31: |values| statistics(&values.own, "?days=31");
    Own365: |values| statistics(&values.own, "?days=365");
    Own366: |values| statistics(&values.own, "?days=366");
    Other: |values| statistics(&values.other, "");
    Other1: |values| statistics(&values.other, "?days=1");
    Other30: |values| statistics(&values.other, "?days=30");
    Other31: |values| statistics(&values.other, "?days=31");
    Other366: |values| statistics(&values.other, "?days=366");
    // Edits of the profile repeat the current values; only one, with `--allow-writes`, changes the color.
    UnknownField: |values| {
        let mut edit = values.profile.clone()?;
        edit.insert(values.field.clone(), "x".into());
        Ok(edit_profile().body(" with an unknown field", Value::Object(edit)))
    };
    // Shows what differs between rejections of equal requests, such as an ID.
    UnknownHandleAgain: |values| get(&format!("/users/{}/stats", values.unknown));
    // The last request without `--allow-writes`: nothing may have changed.
    MeAfterwards: |_| get("/me");

    MeBeforeWrites: |_| get("/me");
    EditProfile: |values| {
        let mut edit = values.profile.clone()?;
        edit.extend(other_color(values).map(|color| (COLOR.to_owned(), color)));
        Ok(edit_profile().body("", Value::Object(edit)))
    };
    RepeatedField: |values| Ok(edit_profile().body(" with a repeated field", repeated(values)?));
    NotAnObject: |values| {
        Ok(edit_profile().body(" with an array", json!([values.profile.clone()?])))
    };
    NotJson: |values| {
        let unfinished = Value::Object(values.profile.clone()?).to_string();
        let unfinished = unfinished.trim_end_matches('}');
        Ok(edit_profile().body(" with a body that is not JSON", unfinished))
    };
    NotJsonType: |values| {
        let edit = edit_profile().body(" as text/plain", Value::Object(values.profile.clone()?));
        Ok(Request { content_type: "text/plain", ..edit })
    };
    CreateLinkWithoutUrl: |values| {
        Ok(post("/me/links").body(" without a URL", json!({ "title": text(values) })))
    };
    CreateLink: |values| Ok(post("/me/links").body("", link(values)));
    EditLinkUnknownField: |values| {
        let mut edit = link(values);
        edit[&values.field] = "x".into();
        edit_new_link(values, " with an unknown field", edit)
    };
    EditLinkNull: |values| edit_new_link(values, " with null", json!({ "title": null, "url": URL }));
    EditLinkNumber: |values| edit_new_link(values, " with a number", json!({ "title": 1, "url": URL }));
    EditLinkRelativeUrl: |values| {
        let edit = json!({ "title": text(values), "url": "/relative" });
        edit_new_link(values, " with a relative URL", edit)
    };
    EditLinkEmpty: |values| edit_new_link(values, " without fields", json!({}));
    EditLink: |values| {
        let edit = json!({ "title": text(values) + ", edited", "url": URL });
        edit_new_link(values, "", edit)
    };
    MeWithLink: |_| get("/me");
    DeleteLink: |values| delete("/me/links", &values.link);
    CreatePost: |values| Ok(post("/me/posts").body("", json!({ "body": text(values) })));
    MeWithPost: |_| get("/me");
    DeletePost: |values| delete("/me/posts", &values.post);
    MeAfterDeletions: |_| get("/me");
    DeleteLinkAgain: |values| Ok(delete("/me/links", &values.link)?.body(" again", ""));
    DeletePostAgain: |values| Ok(delete("/me/posts", &values.post)?.body(" again", ""));

    // Not a request: stands for the first response with 429, to any request.
    RateLimited: |_| Err("needs a 429".to_owned());
}

impl Step {
    /// Returns the requests without `--allow-writes`, except the first.
    pub(crate) fn reads() -> &'static [Self] {
        &Self::ALL[1..=Self::MeAfterwards as usize]
    }

    pub(crate) fn writes() -> &'static [Self] {
        &Self::ALL[Self::MeBeforeWrites as usize..Self::RateLimited as usize]
    }

    /// Returns a description that is the same in each run, such as `GET /users/{own}/stats`.
    pub(crate) fn label(self) -> String {
        let request = self.request(&RequestValues::placeholders());
        request.map_or_else(|reason| reason, |request| request.to_string())
    }
}

/// The URL of the created link. It ends with `/` after parsing.
pub(crate) const URL: &str = "https://example.com";

fn get(path: &str) -> Known<Request> {
    Ok(Request::get(path))
}

fn statistics(handle: &Known<String>, query: &str) -> Known<Request> {
    get(&format!("/users/{}/stats{query}", handle.clone()?))
}

fn edit_profile() -> Request {
    Request::new(Method::PATCH, "/me/profile")
}

/// Returns an edit of the profile that repeats its values before the writes.
pub(crate) fn restoration(values: &RequestValues) -> Known<Request> {
    Ok(edit_profile().body("", Value::Object(values.profile.clone()?)))
}

/// The field that one edit of the profile changes, by so little that nobody sees it.
pub(crate) const COLOR: &str = "accent_color";

/// Returns the color next to that of the profile, if it has one.
pub(crate) fn other_color(values: &RequestValues) -> Option<Value> {
    let color = values.profile.as_ref().ok()?.get(COLOR)?.as_str()?;
    let digits = color.strip_prefix('#').filter(|digits| digits.len() == 6)?;
    let number = u32::from_str_radix(digits, 16).ok()?;
    Some(format!("#{:06x}", number ^ 1).into())
}

/// Returns the present profile with one field twice, as JSON.
fn repeated(values: &RequestValues) -> Known<String> {
    let profile = values.profile.clone()?;
    let first = profile.iter().next();
    let (name, value) = first.ok_or("all editable fields are null")?;
    let start = format!("{{{}:{value},", json!(name));
    Ok(json!(profile).to_string().replacen('{', &start, 1))
}

pub(crate) fn post(path: &str) -> Request {
    Request::new(Method::POST, path)
}

/// Returns the text of a created link or post.
pub(crate) fn text(values: &RequestValues) -> String {
    format!("Learning {}", values.mark)
}

fn link(values: &RequestValues) -> Value {
    json!({ "title": text(values), "url": URL })
}

pub(crate) fn edit_link(id: &str) -> Request {
    Request::new(Method::PATCH, format!("/me/links/{id}"))
}

/// Returns an edit of the created link.
fn edit_new_link(values: &RequestValues, about: &'static str, edit: Value) -> Known<Request> {
    Ok(edit_link(&values.link.clone()?).body(about, edit))
}

fn delete(all: &str, id: &Known<String>) -> Known<Request> {
    let path = format!("{all}/{}", id.clone()?);
    Ok(Request::new(Method::DELETE, path))
}

/// The key that a request carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Key,
    WrongKey,
    NoKey,
}

/// A request to the service.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) method: Method,
    /// The path below `/api/v1`, with the query.
    pub(crate) path: String,
    pub(crate) access: Access,
    /// Empty if the request has no body.
    pub(crate) body: String,
    pub(crate) content_type: &'static str,
    /// The difference from other requests with this method and path, such as ` without a key`.
    about: &'static str,
}

impl Request {
    pub(crate) fn new(method: Method, path: impl Into<String>) -> Self {
        Self {
            method,
            path: path.into(),
            access: Access::Key,
            body: String::new(),
            content_type: "application/json",
            about: "",
        }
    }

    pub(crate) fn get(path: impl Into<String>) -> Self {
        Self::new(Method::GET, path)
    }

    /// Returns the method and the path without handles, IDs and the query.
    pub(crate) fn endpoint(&self) -> String {
        let path = self.path.split('?').next().unwrap_or_default();
        let segments: Vec<_> = path.split('/').collect();
        let path = match segments[..] {
            ["", "users", _, "stats"] => "/users/{handle}/stats".to_owned(),
            ["", "me", kind, _] => format!("/me/{kind}/{{id}}"),
            _ => path.to_owned(),
        };
        format!("{} {path}", self.method)
    }

    /// Sets the key, and what distinguishes the request from others.
    fn access(mut self, access: Access, about: &'static str) -> Self {
        self.access = access;
        self.about = about;
        self
    }

    /// Sets a body, and what distinguishes it from the bodies of other requests.
    pub(crate) fn body(mut self, about: &'static str, body: impl fmt::Display) -> Self {
        self.about = about;
        self.body = body.to_string();
        self
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}{}", self.method, self.path, self.about)
    }
}

/// A value, or the reason why it is unknown.
pub(crate) type Known<T> = Result<T, String>;

/// The values in requests. Handles and IDs are encoded as segments of a path.
#[derive(Debug, Clone)]
pub(crate) struct RequestValues {
    pub(crate) own: Known<String>,
    pub(crate) other: Known<String>,
    /// A handle and path that do not exist.
    pub(crate) unknown: String,
    /// A field that does not exist.
    pub(crate) field: String,
    /// A part of the title of each created link and of the body of each created post.
    pub(crate) mark: String,
    pub(crate) link: Known<String>,
    pub(crate) post: Known<String>,
    /// The editable fields of the profile with their present values.
    pub(crate) profile: Known<Map<String, Value>>,
}

impl RequestValues {
    /// Creates the values for a service whose first `GET /me` returned this. `other` is the handle of
    /// another profile.
    pub(crate) fn new(me: &Answer, other: Option<&str>) -> Self {
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

    /// Returns values in braces, for descriptions of requests.
    pub(crate) fn placeholders() -> Self {
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
    pub(crate) fn occur_in(&self, text: &str) -> bool {
        let random = [&self.unknown, &self.field, &self.mark].into_iter();
        let known = [&self.own, &self.other, &self.link, &self.post];
        let known = known.into_iter().filter_map(|name| name.as_ref().ok());
        let mut all = random.chain(known).map(String::as_str).chain([WRONG_KEY]);
        all.any(|name| text.contains(name))
    }
}

/// Returns the editable fields in a response to `GET /me`, except those that are `null`, or the reason for
/// not editing the profile. An edit could clear a field that it does not repeat.
pub(crate) fn editable(me: &Answer) -> Known<Map<String, Value>> {
    let mut shown = Map::new();
    for name in ProfileField::ALL.iter().map(ProfileField::name) {
        let value = me.at(&format!("/{name}"));
        let value = value.ok_or_else(|| format!("not asked: GET /me does not show {name}"))?;
        shown.insert(name.to_owned(), value.clone());
    }
    shown.retain(|_, value| !value.is_null());
    let mut values = shown.values();
    values.try_for_each(|value| me.require_exact(value))?;
    Ok(shown)
}

/// Returns a name that no profile and no field has.
fn random() -> String {
    let random = RandomState::new().build_hasher().finish();
    format!("learn{random:016x}")
}

/// Checks a handle, which must fit into a path.
pub(crate) fn handle(text: &str) -> Result<String, &'static str> {
    let segment = path_segment(text).ok_or("expected the handle of another profile");
    segment.map(|_| text.to_owned())
}

/// Encodes a handle or an ID as one segment of a path, which cannot be empty, `.` or `..`.
pub(crate) fn path_segment(text: &str) -> Option<String> {
    /// The unreserved characters of RFC 3986 are not encoded: some services do not decode them.
    const ENCODED: AsciiSet = NON_ALPHANUMERIC
        .remove(b'-')
        .remove(b'.')
        .remove(b'_')
        .remove(b'~');
    let is_segment = !matches!(text, "" | "." | "..");
    is_segment.then(|| utf8_percent_encode(text, &ENCODED).to_string())
}
