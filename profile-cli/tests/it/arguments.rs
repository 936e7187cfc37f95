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

#[cfg(feature = "sandbox")]
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

#[test]
fn help_names_every_variable_of_the_environment() {
    let home = tempfile::tempdir().unwrap();
    let help = run(home.path(), &[], &["--help"]);
    for variable in [
        "PROFILE_API_KEY",
        "PROFILE_API_KEY_FILE",
        "PROFILE_BASE_URL",
        "PROFILE_ACCOUNT",
        "PROFILE_OUTPUT",
        "PROFILE_WEBHOOK_SECRET",
        "PROFILE_WEBHOOK_SECRET_FILE",
        "PROFILE_EDITOR",
        "PROFILE_CONFIG_DIR",
        "PROFILE_LOG",
        "PROFILE_NO_INPUT",
    ] {
        let mut words = help.stdout().split([' ', ',', '\n']);
        assert!(words.any(|word| word == variable), "{variable}");
    }
}
