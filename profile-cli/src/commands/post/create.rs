//! `profile post create`: creates a post.

use clap::Args;
use profile_sdk::Post;

use crate::connection::Connection;
use crate::failure::Failure;
use crate::report::{Report, Shown, push_field};

/// Create a post
#[derive(Debug, Args)]
#[command(after_help = "\
Needs the scope social:write. If no answer comes, the post is not sent again: `profile post list`
tells whether it is there.

Example:
  profile post create 'Hello, world'")]
pub(crate) struct PostCreateArguments {
    /// The text
    body: String,
}

pub(crate) async fn run(
    arguments: PostCreateArguments,
    connection: &Connection,
) -> Result<Report, Failure> {
    let response = connection
        .client
        .create_post(&arguments.body)
        .send()
        .await
        .map_err(|error| Failure::of_write("list of posts", "profile post list", error))?;
    let sentence = "The service accepted the post without showing it; `profile post list` does.";
    Ok(Report::written(&response, fields, "created", sentence))
}

/// A post as names and values.
fn fields(post: &Post) -> Shown {
    let mut fields = Vec::new();
    push_field(&mut fields, "id", post.id.as_ref());
    push_field(&mut fields, "body", post.body.as_ref());
    Shown::Fields(fields)
}
