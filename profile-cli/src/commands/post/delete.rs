//! `profile post delete`: removes posts.

use clap::Args;
use profile_sdk::{Operation, Post, PostId, Profile};

use crate::commands::deletion::{Deletion, Item};
use crate::outcome::failure::Failure;
use crate::outcome::report::Report;
use crate::session::Session;
use crate::session::dry_run::DryRun;

#[derive(Debug, Args)]
#[command(after_help = "\
Requires the scope social:write. All IDs are tried, and the exit code is that of the worst failure.
The text of a deleted post is printed, so that you can create it again. After the confirmation, the
profile is read again; if one of the posts has changed meanwhile, nothing is deleted.

Examples:
  profile post delete post_1
  profile post delete post_1 post_2 --yes")]
pub(crate) struct DeleteArguments {
    /// IDs of the posts; `profile post list` shows them
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,

    #[command(flatten)]
    dry_run: DryRun,
}

pub(crate) fn run(arguments: DeleteArguments, session: &Session<'_>) -> Result<Report, Failure> {
    let client = session.client()?;
    let deletion = Deletion {
        noun: "post",
        operation: Operation::DELETE_POST,
        dry_run: arguments.dry_run.dry_run,
        listed,
    };
    deletion.run(&arguments.ids, session, |id| {
        Ok(client.delete_post(&PostId::new(id)?))
    })
}

fn listed(profile: &Profile) -> Option<Vec<Item>> {
    let posts = profile.posts.as_ref()?.iter();
    let item = |post: &Post| Some(Item::new(post.id.as_ref()?, [("body", &post.body)]));
    Some(posts.filter_map(item).collect())
}
