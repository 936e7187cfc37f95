//! Links and posts, which the command creates and deletes.

use mock_server::World;
use serde_json::Value;

use super::answer::Answer;
use super::names::{Known, Names, path_segment};

/// A kind of resource that the command creates.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kind {
    pub(super) name: &'static str,
    /// The path of all.
    pub(super) path: &'static str,
    /// The pointer to all in the data of `GET /me`.
    pub(super) list: &'static str,
    /// The field that contains the mark.
    pub(super) text: &'static str,
    /// Adds a resource that the service has shown to an account of the mock.
    pub(super) add: fn(&mut World, &str, &Value),
    /// Returns the name of the created one in requests.
    pub(super) id: fn(&mut Names) -> &mut Known<String>,
}

pub(super) const KINDS: [Kind; 2] = [
    Kind {
        name: "link",
        path: "/me/links",
        list: "/links",
        text: "title",
        add: |world, own, link| {
            world.add_link(own, text(link, "title"), text(link, "url"));
        },
        id: |names| &mut names.link,
    },
    Kind {
        name: "post",
        path: "/me/posts",
        list: "/posts",
        text: "body",
        add: |world, own, post| {
            world.add_post(own, text(post, "body"));
        },
        id: |names| &mut names.post,
    },
];

impl Kind {
    /// Returns the resources that a response to `GET /me` lists, if it lists them.
    pub(super) fn listed(self, me: &Answer) -> Option<&Vec<Value>> {
        me.at(self.list)?.as_array()
    }

    /// Returns the ids, as segments of paths, of the listed resources with the mark.
    pub(super) fn marked(self, me: &Answer, mark: &str) -> Vec<String> {
        let listed = self.listed(me).into_iter().flatten();
        let marked = listed.filter(|one| self.has_mark(one, mark));
        marked.filter_map(id).collect()
    }

    pub(super) fn has_mark(self, resource: &Value, mark: &str) -> bool {
        let text = resource.get(self.text).and_then(Value::as_str);
        text.is_some_and(|text| text.contains(mark))
    }

    /// Returns `true` if a response to `GET /me` lists a resource with this id.
    pub(super) fn lists(self, me: &Answer, wanted: &str) -> bool {
        let mut listed = self.listed(me).into_iter().flatten();
        listed.any(|one| id(one).as_deref() == Some(wanted))
    }
}

/// Returns the id of a resource as a segment of a path.
pub(super) fn id(resource: &Value) -> Option<String> {
    match resource.get("id")? {
        Value::String(id) => path_segment(id),
        Value::Number(id) => Some(id.to_string()),
        _ => None,
    }
}

fn text<'a>(resource: &'a Value, field: &str) -> &'a str {
    let text = resource.get(field).and_then(Value::as_str);
    text.unwrap_or_default()
}
