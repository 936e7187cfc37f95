//! The table of the requests.

use reqwest::Method;
use serde_json::{Value, json};

use super::call::Access::{NoKey, WrongKey};
use super::call::Call;
use super::names::{Known, Names};

/// Defines the steps, which are sent in their order.
macro_rules! steps {
    ($($step:ident: $call:expr;)*) => {
        /// A request whose response is observed.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub(super) enum Step { $($step),* }

        impl Step {
            pub(super) const ALL: &[Self] = &[$(Self::$step),*];

            /// Returns the request, or the reason why it cannot be sent.
            pub(super) fn call(self, names: &Names) -> Known<Call> {
                let call: fn(&Names) -> Known<Call> = match self { $(Self::$step => $call),* };
                call(names)
            }
        }
    };
}

steps! {
    Me: |_| get("/me");
    Analytics: |_| get("/me/analytics");
    UnknownHandle: |names| get(&format!("/users/{}/stats", names.unknown));
    UnknownPath: |names| get(&format!("/{}", names.unknown));
    WithoutKey: |_| Ok(Call::get("/me").access(NoKey));
    WrongKey: |_| Ok(Call::get("/me").access(WrongKey));
    Badges: |_| get("/badges");
    BadgesWithoutKey: |_| Ok(Call::get("/badges").access(NoKey));
    Site: |_| get("/stats");
    SiteWithoutKey: |_| Ok(Call::get("/stats").access(NoKey));
    WrongMethod: |_| Ok(Call::new(Method::PUT, "/stats"));
    Own: |names| statistics(&names.own, "");
    Own1: |names| statistics(&names.own, "?days=1");
    Own30: |names| statistics(&names.own, "?days=30");
    Own31: |names| statistics(&names.own, "?days=31");
    Own365: |names| statistics(&names.own, "?days=365");
    Own366: |names| statistics(&names.own, "?days=366");
    Other: |names| statistics(&names.other, "");
    Other1: |names| statistics(&names.other, "?days=1");
    Other30: |names| statistics(&names.other, "?days=30");
    Other31: |names| statistics(&names.other, "?days=31");
    Other366: |names| statistics(&names.other, "?days=366");
    // All edits of the profile repeat its values: a service that accepts one changes nothing.
    UnknownField: |names| {
        let mut edit = names.profile.clone()?;
        edit.insert(names.field.clone(), "x".into());
        Ok(edit_profile().body(" with an unknown field", Value::Object(edit)))
    };
    // Shows which parts of a rejection are copies, such as the id of the request.
    UnknownHandleAgain: |names| get(&format!("/users/{}/stats", names.unknown));
    // The last request without `--allow-writes`: nothing may have changed.
    MeAfterwards: |_| get("/me");

    MeBeforeWrites: |_| get("/me");
    EditProfile: |names| {
        Ok(edit_profile().body("", Value::Object(names.profile.clone()?)))
    };
    RepeatedField: |names| Ok(edit_profile().body(" with a repeated field", repeated(names)?));
    NotAnObject: |names| {
        Ok(edit_profile().body(" with an array", json!([names.profile.clone()?])))
    };
    NotJson: |names| {
        let unfinished = Value::Object(names.profile.clone()?).to_string();
        let unfinished = unfinished.trim_end_matches('}');
        Ok(edit_profile().body(" with a body that is not JSON", unfinished))
    };
    NotJsonType: |names| {
        let edit = edit_profile().body(" as text/plain", Value::Object(names.profile.clone()?));
        Ok(edit.content_type("text/plain"))
    };
    CreateLinkWithoutUrl: |names| {
        Ok(post("/me/links").body(" without a URL", json!({ "title": text(names) })))
    };
    CreateLink: |names| Ok(post("/me/links").body("", link(names)));
    EditLink: |names| Ok(edit_link(names)?.body("", link(names)));
    EditLinkUnknownField: |names| {
        let mut edit = link(names);
        edit[&names.field] = "x".into();
        Ok(edit_link(names)?.body(" with an unknown field", edit))
    };
    EditLinkNull: |names| {
        Ok(edit_link(names)?.body(" with null", json!({ "title": null, "url": URL })))
    };
    EditLinkNumber: |names| {
        Ok(edit_link(names)?.body(" with a number", json!({ "title": 1, "url": URL })))
    };
    EditLinkRelativeUrl: |names| {
        let edit = json!({ "title": text(names), "url": "/relative" });
        Ok(edit_link(names)?.body(" with a relative URL", edit))
    };
    EditLinkEmpty: |names| Ok(edit_link(names)?.body(" without fields", "{}"));
    MeWithLink: |_| get("/me");
    DeleteLink: |names| delete("/me/links", &names.link);
    CreatePost: |names| Ok(post("/me/posts").body("", json!({ "body": text(names) })));
    MeWithPost: |_| get("/me");
    DeletePost: |names| delete("/me/posts", &names.post);
    MeAfterDeletions: |_| get("/me");
    DeleteLinkAgain: |names| Ok(again(delete("/me/links", &names.link)?));
    DeletePostAgain: |names| Ok(again(delete("/me/posts", &names.post)?));

    // Never sent to the service: the first response with 429, to any request.
    RateLimited: |_| Err("needs a 429".to_owned());
}

impl Step {
    /// Returns the requests without `--allow-writes`, except the first.
    pub(super) fn reads() -> &'static [Self] {
        &Self::ALL[1..=Self::MeAfterwards as usize]
    }

    pub(super) fn writes() -> &'static [Self] {
        &Self::ALL[Self::MeBeforeWrites as usize..Self::RateLimited as usize]
    }

    /// Returns a description that is the same in each run, such as `GET /users/{own}/stats`.
    pub(super) fn label(self) -> String {
        let call = self.call(&Names::placeholders());
        call.map_or_else(|reason| reason, |call| call.to_string())
    }
}

/// The URL of the created link. It ends with `/` after parsing.
pub(super) const URL: &str = "https://example.com";

fn get(path: &str) -> Known<Call> {
    Ok(Call::get(path))
}

fn statistics(handle: &Known<String>, query: &str) -> Known<Call> {
    get(&format!("/users/{}/stats{query}", handle.clone()?))
}

fn edit_profile() -> Call {
    Call::new(Method::PATCH, "/me/profile")
}

/// Returns the present profile with one field twice, as JSON.
fn repeated(names: &Names) -> Known<String> {
    let profile = names.profile.clone()?;
    let first = profile.iter().next();
    let first = first.ok_or("all editable fields are null")?;
    let member = |(name, value): (&String, &Value)| format!("{}:{value}", json!(name));
    let all = [first].into_iter().chain(&profile);
    let members: Vec<_> = all.map(member).collect();
    Ok(format!("{{{}}}", members.join(",")))
}

fn post(path: &str) -> Call {
    Call::new(Method::POST, path)
}

fn text(names: &Names) -> String {
    format!("Learning {}", names.mark)
}

fn link(names: &Names) -> Value {
    json!({ "title": text(names), "url": URL })
}

fn edit_link(names: &Names) -> Known<Call> {
    let path = format!("/me/links/{}", names.link.clone()?);
    Ok(Call::new(Method::PATCH, path))
}

fn delete(all: &str, id: &Known<String>) -> Known<Call> {
    Ok(Call::new(Method::DELETE, format!("{all}/{}", id.clone()?)))
}

fn again(call: Call) -> Call {
    call.body(" again", "")
}
