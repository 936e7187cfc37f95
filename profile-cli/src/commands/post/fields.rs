//! The fields of a post. Only people see the time of creation, which the specification does not
//! define: the columns for programs do not depend on the service.

use profile_sdk::Post;
use serde_json::Value;

use crate::outcome::report::{View, cell};

/// Returns the fields of a post.
pub(super) fn fields(post: &Post) -> View {
    let [id, body] = cells(post);
    let pipes = View::item(["id", "body"], [id.clone(), body.clone()]);
    let columns = ["id", "body", "created_at"];
    View::split(View::item(columns, [id, body, created_at(post)]), pipes)
}

/// Returns a row for each post.
pub(super) fn table(posts: &[Post]) -> View {
    let table = |columns, rows: Vec<Vec<String>>| View::Table {
        columns,
        rows,
        empty: "You have no posts.",
    };
    let rows = posts.iter().map(|post| cells(post).to_vec()).collect();
    let with_time = posts.iter().map(|post| {
        let [id, body] = cells(post);
        vec![id, body, created_at(post)]
    });
    View::split(
        table(vec!["id", "body", "created_at"], with_time.collect()),
        table(vec!["id", "body"], rows),
    )
}

fn cells(post: &Post) -> [String; 2] {
    [cell(post.id.as_ref()), cell(post.body.as_ref())]
}

fn created_at(post: &Post) -> String {
    let time = post.extra.get("created_at").and_then(Value::as_str);
    time.unwrap_or_default().to_owned()
}
