//! `profile` without a command: how to start.

use crate::outcome::report::Report;

const TEXT: &str = "\
profile reads and edits your profile, its links, posts and statistics.

  profile auth login           store your API key
  profile show                 show your profile
  profile set --bio 'Hello'    change it
  profile edit                 change it in your editor
  profile stats                show its views
";

const TRY: &str = "
Without an account:
  profile --sandbox show       try it on a sample profile
";

pub(super) fn run() -> Report {
    let sandbox = if cfg!(feature = "sandbox") { TRY } else { "" };
    Report::text(
        format!("{TEXT}{sandbox}\n`profile --help` lists all commands."),
        "help",
    )
}
