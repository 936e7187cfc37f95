//! The table of the requests.

use reqwest::Method;
use serde_json::{Value, json};

use super::call::Access::{NoKey, WrongKey};
use super::call::Call;
use Mock::{Accepts, Rejects};

/// The response of the mock to a request.
#[derive(Debug, Clone, Copy)]
pub(super) enum Mock {
    Accepts,
    /// The code, and the status in the default dialect.
    Rejects(&'static str, u16),
}

/// Defines the steps, which are sent in their order. A row has the request and the response of the mock.
macro_rules! requests {
    ($($step:ident: $call:expr, $mock:expr;)*) => {
        /// A request whose response is observed.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub(super) enum Step { $($step),* }

        impl Step {
            const ALL: &[Self] = &[$(Self::$step),*];

            /// Returns the request. Names in braces stand for values that are known later.
            pub(super) fn call(self) -> Call {
                match self { $(Self::$step => $call),* }
            }

            pub(super) fn mock(self) -> Mock {
                match self { $(Self::$step => $mock),* }
            }
        }
    };
}

requests! {
    Me: get("/me"), Accepts;
    Analytics: get("/me/analytics"), Accepts;
    UnknownHandle: get("/users/{unknown}/stats"), Rejects("unknown_handle", 404);
    UnknownPath: get("/{unknown}"), Rejects("unknown_path", 404);
    WithoutKey: get("/me").access(NoKey), Rejects("key_missing", 401);
    WrongKey: get("/me").access(WrongKey), Rejects("key_invalid", 401);
    Badges: get("/badges"), Accepts;
    BadgesWithoutKey: get("/badges").access(NoKey), Accepts;
    Site: get("/stats"), Accepts;
    SiteWithoutKey: get("/stats").access(NoKey), Accepts;
    WrongMethod: Call::new(Method::PUT, "/stats"), Rejects("method_not_allowed", 405);
    Own: get("/users/{own}/stats"), Accepts;
    Own1: get("/users/{own}/stats?days=1"), Accepts;
    Own30: get("/users/{own}/stats?days=30"), Accepts;
    Own31: get("/users/{own}/stats?days=31"), Accepts;
    Own365: get("/users/{own}/stats?days=365"), Accepts;
    Own366: get("/users/{own}/stats?days=366"), Rejects("out_of_range", 422);
    Other: get("/users/{other}/stats"), Accepts;
    Other1: get("/users/{other}/stats?days=1"), Accepts;
    Other30: get("/users/{other}/stats?days=30"), Accepts;
    Other31: get("/users/{other}/stats?days=31"), Rejects("out_of_range", 422);
    Other365: get("/users/{other}/stats?days=365"), Rejects("out_of_range", 422);
    Other366: get("/users/{other}/stats?days=366"), Rejects("out_of_range", 422);
    UnknownField: Call::edit(json!({ "{field}": "x" })), Rejects("unknown_field", 422);
    // The last request without `--allow-writes`: the edit above must not have changed anything.
    MeAfterwards: get("/me"), Accepts;

    Location: edit("location", "Learning"), Accepts;
    LocationNumber: edit("location", 1), Rejects("wrong_type", 422);
    LocationNull: edit("location", Value::Null), Rejects("wrong_type", 422);
    LocationRepeated: Call::edit(r#"{"{location}": "a", "{location}": "b"}"#), Rejects("repeated_field", 400);
    Location40: edit("location", "x".repeat(40)), Accepts;
    Location41: edit("location", "x".repeat(41)), Rejects("too_many_characters", 422);
    LocationTwoBytes: edit("location", "é".repeat(40)), Accepts;
    LocationTwoUnits: edit("location", "😀".repeat(40)), Accepts;
    LocationCombined: edit("location", "e\u{301}".repeat(40)), Rejects("too_many_characters", 422);
    Bio300: edit("bio", "x".repeat(300)), Accepts;
    Bio301: edit("bio", "x".repeat(301)), Rejects("too_many_characters", 422);
    Bio10Lines: edit("bio", "x\n".repeat(9) + "x"), Accepts;
    Bio11Lines: edit("bio", "x\n".repeat(10) + "x"), Rejects("too_many_lines", 422);
    Bio10LinesCrLf: edit("bio", "x\r\n".repeat(9) + "x"), Accepts;
    Bio11LinesCr: edit("bio", "x\r".repeat(10) + "x"), Rejects("too_many_lines", 422);
    BioTrailingBreak: edit("bio", "x\n".repeat(10)), Rejects("too_many_lines", 422);
    ColorShort: edit("accent_color", "#abc"), Rejects("not_a_color", 422);
    ColorUpperCase: edit("accent_color", "#ABCDEF"), Accepts;
    MeEdited: get("/me"), Accepts;
    NotAnObject: Call::edit("[]"), Rejects("not_a_json_object", 400);
    NotJson: Call::edit("learn"), Rejects("not_a_json_object", 400);
    NotJsonType: Call { content_type: "text/plain", ..edit("location", "Learning") },
        Rejects("wrong_content_type", 415);
    CreateLinkWithoutUrl: post("/me/links", json!({ "title": "Learning {mark}" })),
        Rejects("missing_field", 422);
    CreateLink: post("/me/links", json!({ "title": "Learning {mark}", "url": URL })), Accepts;
    EditLink: edit_link(json!({ "title": "Learning {mark}", "url": URL })), Accepts;
    EditLinkUnknownField: edit_link(json!({ "url": URL, "{field}": "x" })), Rejects("unknown_field", 422);
    EditLinkRelativeUrl: edit_link(json!({ "url": "/relative" })), Rejects("not_a_url", 422);
    EditLinkEmpty: edit_link(json!({})), Rejects("empty_edit", 422);
    MeWithLink: get("/me"), Accepts;
    DeleteLink: Call::new(Method::DELETE, "/me/links/{link}"), Accepts;
    DeleteLinkAgain: Call::new(Method::DELETE, "/me/links/{link}"), Rejects("unknown_link", 404);
    CreatePost: post("/me/posts", json!({ "body": "Learning {mark}" })), Accepts;
    DeletePost: Call::new(Method::DELETE, "/me/posts/{post}"), Accepts;
    DeletePostAgain: Call::new(Method::DELETE, "/me/posts/{post}"), Rejects("unknown_post", 404);
}

impl Step {
    /// Returns the requests without `--allow-writes`, except the first.
    pub(super) fn reads() -> &'static [Self] {
        &Self::ALL[1..=Self::MeAfterwards as usize]
    }

    pub(super) fn writes() -> &'static [Self] {
        &Self::ALL[Self::Location as usize..]
    }
}

const URL: &str = "https://example.com/";

fn get(path: &str) -> Call {
    Call::get(path)
}

/// Edits a field of the profile, if it can be set back.
fn edit(field: &str, value: impl Into<Value>) -> Call {
    Call::edit(json!({ format!("{{{field}}}"): value.into() }))
}

fn post(path: &str, body: Value) -> Call {
    Call::new(Method::POST, path).body(body)
}

fn edit_link(body: Value) -> Call {
    Call::new(Method::PATCH, "/me/links/{link}").body(body)
}
