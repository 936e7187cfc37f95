//! What is typed, and the help on it.

use expect_test::expect;

use crate::program::run;

#[test]
fn a_mistyped_command_gets_a_suggestion() {
    let home = tempfile::tempdir().unwrap();
    run(home.path(), &[], &["shwo"]).check(&expect![[r#"
        exit 2
        --- stdout
        --- stderr
        error: unrecognized subcommand 'shwo'

          tip: a similar subcommand exists: 'show'

        Usage: profile [OPTIONS] [COMMAND]

        For more information, try '--help'.
    "#]]);
    run(home.path(), &[], &["shwo", "--json"]).check(&expect![[r#"
        exit 2
        --- stdout
        --- stderr
        {"error":{"code":"usage","exit_code":2,"hint":"tip: a similar subcommand exists: 'show'\n\nUsage: profile [OPTIONS] [COMMAND]\n\nFor more information, try '--help'.","message":"unrecognized subcommand 'shwo'","retryable":false,"status":null}}
    "#]]);
}

#[test]
fn every_help_has_an_example() {
    let home = tempfile::tempdir().unwrap();
    for command in [
        "",
        "show",
        "set",
        "edit",
        "link list",
        "link add",
        "link edit",
        "link delete",
        "post list",
        "post create",
        "post delete",
        "stats",
        "analytics",
        "badge list",
        "site",
        "sandbox reset",
    ] {
        if cfg!(not(feature = "sandbox")) && command.starts_with("sandbox") {
            continue;
        }
        let arguments: Vec<_> = command.split_whitespace().chain(["--help"]).collect();
        let help = run(home.path(), &[], &arguments);
        assert!(help.stdout().contains("Example"), "{help}");
    }
}

#[test]
fn nothing_typed_shows_where_to_start() {
    let home = tempfile::tempdir().unwrap();
    run(home.path(), &[], &[]).check(&expect![[r#"
        exit 0
        --- stdout
        profile reads and edits your profile, its links, posts and statistics.

          profile auth login           store your key, once
          profile show                 see your profile
          profile set --bio 'Hello'    change it
          profile edit                 change it in your editor
          profile stats                see how often it was viewed

        Without an account:
          profile --sandbox show       try it on a made-up profile

        `profile --help` lists all commands.
        --- stderr
    "#]]);
}
