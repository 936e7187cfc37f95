//! What holds for every command, proven on the tree of commands as the program itself tells it.
//!
//! A new command needs a row in [`ROWS`]; without one, `every_command_has_a_row` fails.

use std::collections::BTreeSet;
use std::path::Path;

use crate::program::{Place, Program, Run, run};

/// A command with arguments that it succeeds with.
pub(crate) struct Row {
    pub(crate) command: &'static str,
    arguments: &'static [&'static str],
    nature: Nature,
}

#[derive(Clone, Copy, PartialEq)]
#[allow(dead_code, reason = "not every build has a command of each nature")]
enum Nature {
    /// Asks the service.
    Reads,
    /// Changes something at the service.
    Writes,
    /// Works on this machine alone.
    Local,
    /// Goes on until it is stopped, after a line that says that it is ready.
    Serves,
}

const ROWS: &[Row] = &[
    reads("show", &[]),
    writes("set", &["--bio", "b"]),
    reads("link list", &[]),
    writes("link add", &["--title", "t", "--url", "x:y"]),
    writes("link edit", &["link_1", "--title", "t"]),
    writes("link delete", &["link_1", "--yes"]),
    reads("post list", &[]),
    writes("post create", &["p"]),
    writes("post delete", &["post_3", "--yes"]),
    reads("stats", &["demo"]),
    reads("analytics", &[]),
    reads("badge list", &[]),
    reads("site", &[]),
    writes("api", &["me/posts", "-f", "body=p"]),
    #[cfg(feature = "sandbox")]
    local("sandbox reset", &[]),
    #[cfg(feature = "sandbox")]
    local("sandbox path", &[]),
    #[cfg(feature = "sandbox")]
    serves("sandbox serve", &[]),
];

const fn reads(command: &'static str, arguments: &'static [&'static str]) -> Row {
    row(command, arguments, Nature::Reads)
}

const fn writes(command: &'static str, arguments: &'static [&'static str]) -> Row {
    row(command, arguments, Nature::Writes)
}

#[allow(dead_code, reason = "not every build has such a command")]
const fn local(command: &'static str, arguments: &'static [&'static str]) -> Row {
    row(command, arguments, Nature::Local)
}

#[allow(dead_code, reason = "not every build has such a command")]
const fn serves(command: &'static str, arguments: &'static [&'static str]) -> Row {
    row(command, arguments, Nature::Serves)
}

const fn row(command: &'static str, arguments: &'static [&'static str], nature: Nature) -> Row {
    Row {
        command,
        arguments,
        nature,
    }
}

impl Row {
    /// The command, its arguments, and these.
    pub(crate) fn with<'a>(&'a self, further: &[&'a str]) -> Vec<&'a str> {
        let words = self.command.split(' ');
        words
            .chain(self.arguments.iter().copied())
            .chain(further.iter().copied())
            .collect()
    }

    /// Runs it to its end, or until it is ready and then to its end.
    #[track_caller]
    pub(crate) fn run(&self, program: Program) -> Run {
        match self.nature {
            Nature::Serves => program.run_until_ready(),
            _ => program.run(),
        }
    }

    fn calls_the_service(&self) -> bool {
        matches!(self.nature, Nature::Reads | Nature::Writes)
    }
}

/// All commands of this build.
pub(crate) fn rows() -> impl Iterator<Item = &'static Row> {
    ROWS.iter()
}

/// The commands that have none below them, each as it is typed.
fn leaves(home: &Path, above: &[&str]) -> BTreeSet<String> {
    let help = help(home, above);
    let Some((_, below)) = help.split_once("\nCommands:\n") else {
        return BTreeSet::from([above.join(" ")]);
    };
    let lines = below.lines().take_while(|line| !line.is_empty());
    // What is indented further goes on with the line before.
    let names = lines.filter_map(|line| line.strip_prefix("  ").filter(|l| !l.starts_with(' ')));
    names
        .map(|line| line.split(' ').next().unwrap())
        .filter(|name| *name != "help")
        .flat_map(|name| leaves(home, &[above, &[name]].concat()))
        .collect()
}

fn help(home: &Path, command: &[&str]) -> String {
    run(home, &[], &[command, &["--help"]].concat())
        .stdout()
        .to_owned()
}

#[test]
fn every_command_has_a_row() {
    let home = tempfile::tempdir().unwrap();
    let rows = rows().map(|row| row.command.to_owned()).collect();
    assert_eq!(leaves(home.path(), &[]), rows);
}

#[test]
fn every_help_is_short_at_first_and_has_an_example() {
    let home = tempfile::tempdir().unwrap();
    for command in leaves(home.path(), &[]) {
        let help = help(home.path(), &command.split(' ').collect::<Vec<_>>());
        let first = help.lines().next().unwrap();
        assert!(first.len() <= 80, "{command}: {first}");
        assert!(!first.ends_with('.'), "{command}: {first}");
        assert!(first.starts_with(char::is_uppercase), "{command}: {first}");
        assert!(help.contains("\nExample"), "{help}");
        assert!(help.contains(&format!("  profile {command}")), "{help}");
        // The parser does not break the line that shows the usage.
        let lines = help.lines().filter(|line| !line.starts_with("Usage: "));
        let widest = lines.map(|line| line.chars().count()).max();
        assert!(widest <= Some(100), "{command}: {widest:?}");
    }
}

#[tokio::test]
async fn json_is_one_document() {
    let place = Place::new().await;
    for row in rows() {
        row.run(place.program(&row.with(&["--json"]))).json();
    }
}

#[tokio::test]
async fn a_failure_in_json_prints_nothing_but_one_object_on_the_last_line() {
    let place = Place::new().await;
    for row in rows().filter(|row| row.calls_the_service()) {
        let arguments = row.with(&["--json", "-vv", "--retries", "0"]);
        for base_url in [place.service.uri(), "http://127.0.0.1:1"] {
            let program = place.program(&arguments).env("PROFILE_API_KEY", "wrong");
            let failed = program.env("PROFILE_BASE_URL", base_url).run();
            assert_eq!(failed.stdout_bytes(), b"", "{failed}");
            assert_eq!(failed.error()["exit_code"], failed.code(), "{failed}");
        }
    }
}

#[tokio::test]
async fn a_pipe_gets_no_escape_sequence() {
    let place = Place::new().await;
    for row in rows() {
        for format in ["table", "tsv", "csv", "json", "ndjson"] {
            // What was deleted in one format is still there in the next.
            let place = match row.nature {
                Nature::Writes => &Place::new().await,
                _ => &place,
            };
            let arguments = row.with(&["--output", format, "-vv"]);
            let printed = row.run(place.program(&arguments)).to_string();
            assert!(printed.starts_with("exit 0\n"), "{arguments:?}: {printed}");
            assert!(!printed.contains('\u{1b}'), "{arguments:?}: {printed}");
        }
    }
}

#[tokio::test]
async fn no_color_wins_over_what_forces_colours() {
    let place = Place::new().await;
    for row in rows() {
        let arguments = row.with(&["--output", "table"]);
        let program = place.program(&arguments).env("NO_COLOR", "1");
        let printed = row.run(program.env("CLICOLOR_FORCE", "1")).to_string();
        assert!(!printed.contains('\u{1b}'), "{arguments:?}: {printed}");
    }
}

#[tokio::test]
async fn a_closed_pipe_ends_it_quietly() {
    let place = Place::new().await;
    for row in rows().filter(|row| row.nature != Nature::Serves) {
        for further in [&[][..], &["--json"], &["--help"]] {
            let place = match row.nature {
                Nature::Writes => &Place::new().await,
                _ => &place,
            };
            let arguments = row.with(further);
            let ended = place.program(&arguments).run_with_closed_stdout();
            let quiet = "exit 0\n--- stdout\n--- stderr\n";
            assert_eq!(ended.to_string(), quiet, "{arguments:?}");
        }
    }
}

#[tokio::test]
async fn a_dry_run_is_there_for_writes_alone_and_sends_none() {
    let place = Place::new().await;
    let before = place.service.world().unwrap();
    for row in rows() {
        let words: Vec<_> = row.command.split(' ').collect();
        let offers = help(place.home.path(), &words).contains("--dry-run");
        let writes = row.nature == Nature::Writes;
        assert_eq!(offers, writes, "{}", row.command);
        if !writes {
            let refused = place.run(&row.with(&["--dry-run"])).to_string();
            assert!(refused.starts_with("exit 2\n"), "{refused}");
            continue;
        }
        let shown = place.run(&row.with(&["--dry-run", "--json"])).json();
        assert_eq!(shown["dry_run"], true, "{shown}");
        assert_ne!(shown["requests"][0]["method"], "GET", "{shown}");
    }
    for request in place.service.journal().requests() {
        assert_eq!(request.method, "GET", "{request:?}");
    }
    assert_eq!(place.service.world().unwrap(), before);
}

#[tokio::test]
async fn curl_is_shown_and_nothing_sent() {
    let place = Place::new().await;
    for row in rows() {
        let shown = place.run(&row.with(&["--curl"]));
        if row.calls_the_service() {
            assert!(shown.stdout().starts_with("curl "), "{shown}");
        } else {
            assert_eq!(shown.code(), 2, "{shown}");
        }
    }
    assert_eq!(place.service.journal().requests().len(), 0);
}
