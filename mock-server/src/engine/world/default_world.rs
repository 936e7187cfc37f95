//! The content of a new world.

use std::collections::BTreeMap;

use crate::engine::resources::{Account, Badge, Link, Post, Profile};

/// The handle of the owner of the keys of a new world.
pub(super) const OWNER: &str = "demo";

/// The number in the latest id of a new world.
pub(super) const LAST_ID: u64 = 5;

/// The date of all links and posts of a new world. It is fixed so that the same seed always gives
/// the same responses.
const CREATED_AT: &str = "2025-01-15T09:00:00Z";

pub(super) fn badges() -> Vec<Badge> {
    vec![
        badge("early", "Early bird", "Joined in the first year", "#f59e0b"),
        badge("writer", "Writer", "Wrote a first post", "#2563eb"),
    ]
}

pub(super) fn accounts() -> BTreeMap<String, Account> {
    BTreeMap::from([(OWNER.to_owned(), demo()), ("grace".to_owned(), grace())])
}

fn demo() -> Account {
    Account {
        profile: Profile::demo(),
        links: vec![
            link("link_1", "Homepage", "https://example.com/demo"),
            link("link_2", "Code", "https://example.com/demo/code"),
        ],
        posts: vec![post("post_3", "Hello from the mock server!")],
        badges: vec!["early".to_owned()],
        ..Account::new(OWNER)
    }
}

fn grace() -> Account {
    Account {
        profile: Profile::grace(),
        links: vec![link("link_4", "Homepage", "https://example.com/grace")],
        posts: vec![post("post_5", "Nice weather on the loopback today.")],
        badges: vec!["writer".to_owned()],
        ..Account::new("grace")
    }
}

fn link(id: &str, title: &str, url: &str) -> Link {
    Link {
        id: id.to_owned(),
        title: title.to_owned(),
        url: url.to_owned(),
        created_at: CREATED_AT.to_owned(),
    }
}

fn post(id: &str, body: &str) -> Post {
    Post {
        id: id.to_owned(),
        body: body.to_owned(),
        created_at: CREATED_AT.to_owned(),
    }
}

fn badge(id: &str, name: &str, description: &str, color: &str) -> Badge {
    Badge {
        id: id.to_owned(),
        name: name.to_owned(),
        description: description.to_owned(),
        color: color.to_owned(),
        kind: "auto".to_owned(),
    }
}
