//! `profile` alone: how to start.

use crate::outcome::report::Report;

const TEXT: &str = "\
profile reads and edits your profile, its links, posts and statistics.

  profile auth login           store your key, once
  profile show                 see your profile
  profile set --bio 'Hello'    change it
  profile edit                 change it in your editor
  profile stats                see how often it was viewed
";

const TRY: &str = "
Without an account:
  profile --sandbox show       try it on a made-up profile
";

pub(super) fn run() -> Report {
    let sandbox = if cfg!(feature = "sandbox") { TRY } else { "" };
    Report::text(
        format!("{TEXT}{sandbox}\n`profile --help` lists all commands."),
        "help",
    )
}
