//! Tests of all commands, as listed by the program's own help.
//!
//! A new command needs a row in [`ROWS`]; without one, `every_command_has_a_row` fails.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Mutex;

#[cfg(all(feature = "sandbox", feature = "webhook"))]
use expect_test::expect_file;
#[cfg(feature = "webhook")]
use mock_server::wiremock::Request;
use mock_server::wiremock::matchers::path;
use mock_server::wiremock::{Mock, ResponseTemplate};
use mock_server::{Dialect, MockServer};

use crate::program::{Fixture, Program, Run, configure, home, run};
#[cfg(feature = "webhook")]
use crate::webhook::{BODY, SECRET, SIGNATURE, listener, probe};

/// A command with everything it needs to succeed.
pub(crate) struct Row {
    pub(crate) command: &'static str,
    arguments: &'static [&'static str],
    nature: Nature,
    prepare: fn(Program, &Setting<'_>) -> Program,
    run: fn(Program) -> Run,
    /// `true` if it exits without a signal.
    ends: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Nature {
    /// Reads from the service.
    Reads,
    /// Writes to the service.
    Writes,
    /// Sends to a receiver.
    #[cfg(feature = "webhook")]
    Delivers,
    /// Sends nothing.
    Local,
}

/// The environment of a command.
pub(crate) struct Setting<'a> {
    pub(crate) home: &'a Path,
    pub(crate) base_url: &'a str,
    pub(crate) key: &'a str,
}

const ROWS: &[Row] = &[
    reads("show", &[]),
    writes("set", &["--bio", "b"]),
    prepared(with_editor, writes("edit", &[])),
    reads("export", &[]),
    prepared(with_file, reads("diff", &[])),
    prepared(with_file, writes("apply", &[])),
    reads("link list", &[]),
    writes("link add", &["t", "x:y"]),
    writes("link edit", &["link_1", "--title", "t"]),
    writes("link delete", &["link_1", "--yes"]),
    reads("post list", &[]),
    writes("post create", &["p"]),
    writes("post delete", &["post_3", "--yes"]),
    reads("stats", &["demo"]),
    reads("analytics", &[]),
    reads("badges", &[]),
    reads("site", &[]),
    writes("api", &["me/posts", "-f", "body=p"]),
    prepared(with_typed_key, reads("auth login", &["--with-token"])),
    prepared(with_account, local("auth logout", &["--yes"])),
    reads("auth status", &[]),
    prepared(with_account, local("auth list", &[])),
    prepared(with_account, local("auth switch", &["stored"])),
    local("auth token", &[]),
    local("config path", &[]),
    local("config list", &[]),
    local("config get", &["output"]),
    local("config set", &["output", "csv"]),
    local("config unset", &["output"]),
    local("completion", &["bash"]),
    local("man", &[]),
    #[cfg(feature = "webhook")]
    Row {
        run: run_with_a_delivery,
        ends: false,
        ..prepared(with_secret, local("webhook listen", &["--max", "1"]))
    },
    #[cfg(feature = "webhook")]
    prepared(
        with_secret,
        local("webhook verify", &["--body", "-", "--signature", SIGNATURE]),
    ),
    #[cfg(feature = "webhook")]
    prepared(with_secret, local("webhook sign", &["--body", "-"])),
    #[cfg(feature = "webhook")]
    prepared(with_receiver, delivers("webhook send", &["post.liked"])),
    #[cfg(feature = "webhook")]
    prepared(with_recording, delivers("webhook replay", &[])),
    #[cfg(feature = "webhook")]
    prepared(with_probed_receiver, delivers("webhook probe", &["--yes"])),
    #[cfg(feature = "sandbox")]
    local("sandbox reset", &["--yes"]),
];

const fn reads(command: &'static str, arguments: &'static [&'static str]) -> Row {
    row(command, arguments, Nature::Reads)
}

const fn writes(command: &'static str, arguments: &'static [&'static str]) -> Row {
    row(command, arguments, Nature::Writes)
}

#[cfg(feature = "webhook")]
const fn delivers(command: &'static str, arguments: &'static [&'static str]) -> Row {
    row(command, arguments, Nature::Delivers)
}

const fn local(command: &'static str, arguments: &'static [&'static str]) -> Row {
    row(command, arguments, Nature::Local)
}

const fn row(command: &'static str, arguments: &'static [&'static str], nature: Nature) -> Row {
    Row {
        command,
        arguments,
        nature,
        prepare: |program, _| program,
        run: Program::run,
        ends: true,
    }
}

const fn prepared(prepare: fn(Program, &Setting<'_>) -> Program, row: Row) -> Row {
    Row { prepare, ..row }
}

/// Sets an editor that changes one field.
fn with_editor(program: Program, _: &Setting<'_>) -> Program {
    let editor = crate::edit::writes("[profile]\nlocation = \"L\"");
    program.env("PROFILE_EDITOR", editor)
}

/// Adds a file that changes a field.
fn with_file(program: Program, setting: &Setting<'_>) -> Program {
    let file = setting.home.join("profile.toml");
    fs::write(&file, "[profile]\nlocation = \"L\"\n").unwrap();
    program.argument(file)
}

/// Passes the key on stdin instead of the environment.
fn with_typed_key(program: Program, setting: &Setting<'_>) -> Program {
    program.without("PROFILE_API_KEY").stdin(setting.key)
}

/// Adds a stored account and removes the key from the environment.
fn with_account(program: Program, setting: &Setting<'_>) -> Program {
    let account = format!(
        "account = 'stored'\n[accounts.stored]\nbase_url = '{}'\n",
        setting.base_url
    );
    let directory = configure(setting.home, &account);
    fs::create_dir_all(directory.join("keys")).unwrap();
    #[cfg(unix)]
    crate::config_owner::set_mode(directory.join("keys"), 0o700);
    fs::write(directory.join("keys/stored"), setting.key).unwrap();
    program.without("PROFILE_API_KEY")
}

/// Passes a body on stdin and the webhook secret.
#[cfg(feature = "webhook")]
fn with_secret(program: Program, _: &Setting<'_>) -> Program {
    program.env("PROFILE_WEBHOOK_SECRET", SECRET).stdin(BODY)
}

#[cfg(feature = "webhook")]
fn with_receiver(program: Program, setting: &Setting<'_>) -> Program {
    let receiver = format!("{}{RECEIVER}", setting.base_url);
    with_secret(program, setting)
        .argument("--to")
        .argument(receiver)
}

#[cfg(feature = "webhook")]
fn with_recording(program: Program, setting: &Setting<'_>) -> Program {
    let recording = setting.home.join("delivery.http");
    fs::write(
        &recording,
        format!("POST / HTTP/1.1\r\nX-Service-Event: post.liked\r\n\r\n{BODY}"),
    )
    .unwrap();
    with_receiver(program, setting).argument(recording)
}

#[cfg(feature = "webhook")]
fn with_probed_receiver(program: Program, setting: &Setting<'_>) -> Program {
    with_secret(program, setting).argument(format!("{}{PROBED}", setting.base_url))
}

/// Sends a delivery as soon as the program listens, and waits until it exits.
#[cfg(feature = "webhook")]
fn run_with_a_delivery(program: Program) -> Run {
    let mut running = program.start();
    let mut told = String::new();
    loop {
        let line = running.stderr_line();
        if line.is_empty() {
            // The program has exited without listening.
            break;
        }
        told += &format!("{line}\n");
        if let Some(url) = line.strip_prefix("listening on ") {
            let status = listener::deliver(url, "post.liked", SIGNATURE, BODY.as_bytes());
            // It goes on after a delivery that was signed with another secret.
            if status != 204 {
                running.stop();
            }
            break;
        }
    }
    running.end().after("", &told)
}

/// Path at which the service of [`fixture`] accepts any request.
const RECEIVER: &str = "/hooks";

/// Path at which the service of [`fixture`] verifies deliveries.
#[cfg(feature = "webhook")]
const PROBED: &str = "/probed";

async fn fixture() -> Fixture {
    let fixture = Fixture::new().await;
    let taken = Mock::given(path(RECEIVER)).respond_with(ResponseTemplate::new(204));
    taken.mount(fixture.service.mocks().await).await;
    #[cfg(feature = "webhook")]
    {
        let verify = |request: &Request| ResponseTemplate::new(probe::verifying(request));
        let verified = Mock::given(path(PROBED)).respond_with(verify);
        verified.mount(fixture.service.mocks().await).await;
    }
    fixture
}

impl<'a> Setting<'a> {
    fn of(fixture: &'a Fixture) -> Self {
        Self {
            home: fixture.home.path(),
            base_url: fixture.service.uri(),
            key: fixture.service.key(),
        }
    }
}

impl Row {
    /// Returns the program with the command and these further arguments.
    pub(crate) fn program(&self, setting: &Setting<'_>, further: &[&str]) -> Program {
        let words = self
            .command
            .split(' ')
            .chain(self.arguments.iter().copied());
        let words: Vec<_> = words.chain(further.iter().copied()).collect();
        let program = Program::new(setting.home, &words)
            .env("PROFILE_BASE_URL", setting.base_url)
            .env("PROFILE_API_KEY", setting.key);
        (self.prepare)(program, setting)
    }

    /// Runs the program until it exits, stopping it if necessary.
    pub(crate) fn run(&self, program: Program) -> Run {
        (self.run)(program)
    }

    /// Runs the command in a new environment.
    async fn run_alone(&self, further: &[&str]) -> Run {
        let fixture = fixture().await;
        self.run(self.program(&Setting::of(&fixture), further))
    }

    pub(crate) fn calls_the_service(&self) -> bool {
        matches!(self.nature, Nature::Reads | Nature::Writes)
    }

    pub(crate) fn is_local(&self) -> bool {
        self.nature == Nature::Local
    }
}

/// Returns all commands of this build.
pub(crate) fn rows() -> impl Iterator<Item = &'static Row> {
    ROWS.iter()
}

/// Returns the commands without subcommands.
fn leaves(home: &Path, above: &[&str]) -> BTreeSet<String> {
    let help = help(home, above);
    // The help of the program has its commands in groups.
    let below = match help.split_once("\nCommands:\n") {
        Some((_, below)) => below.split("\n\n").next(),
        None if above.is_empty() => help.split("\nOptions:\n").next(),
        None => return BTreeSet::from([above.join(" ")]),
    };
    let lines = below.unwrap().lines();
    // Lines that are indented further continue the previous line.
    let names = lines.filter_map(|line| line.strip_prefix("  ").filter(|l| !l.starts_with(' ')));
    names
        .map(|line| line.split(' ').next().unwrap())
        .filter(|name| *name != "help")
        .flat_map(|name| leaves(home, &[above, &[name]].concat()))
        .collect()
}

/// Returns the help of a command, which is printed once for all tests.
fn help(home: &Path, command: &[&str]) -> String {
    static PRINTED: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());
    let words = command.join(" ");
    let known = PRINTED.lock().unwrap().get(&words).cloned();
    known.unwrap_or_else(|| {
        let printed = run(home, &[], &[command, &["--help"]].concat());
        let help = printed.stdout().to_owned();
        PRINTED.lock().unwrap().insert(words, help.clone());
        help
    })
}

#[test]
fn every_command_has_a_row() {
    let home = home();
    let rows = rows().map(|row| row.command.to_owned()).collect();
    assert_eq!(leaves(home.path(), &[]), rows);
}

/// The table lists commands in full, or a group followed by its subcommands.
#[test]
fn every_command_is_in_the_readme() {
    let lines = include_str!("../../README.md").lines();
    let cells: Vec<Vec<_>> = lines
        .filter_map(|line| line.strip_prefix("| `")?.split(" | ").next())
        .map(|cell| cell.split('`').step_by(2).collect())
        .collect();
    for row in rows() {
        let command = format!("{} ", row.command);
        let (noun, verb) = command.split_once(' ').unwrap();
        let is_named = cells.iter().any(|spans| {
            let in_full = |span: &&str| format!("{span} ").starts_with(&command);
            let below = spans[0].split(' ').next() == Some(noun) && spans.contains(&verb.trim());
            spans.iter().any(in_full) || below
        });
        assert!(
            is_named,
            "add {} to the table of commands in the README",
            row.command
        );
    }
}

/// Leaves out the commands with an ID, which depends on the dialect.
#[tokio::test]
async fn every_command_succeeds_under_every_dialect() {
    let has_id = |row: &&Row| row.arguments.iter().any(|word| word.contains('_'));
    for (name, alternative, dialect) in Dialect::alternatives() {
        let service = MockServer::builder().dialect(dialect).start();
        let fixture = Fixture::of(service.await.unwrap());
        for row in rows().filter(|row| row.calls_the_service() && !has_id(row)) {
            let run = row.run(row.program(&Setting::of(&fixture), &[]));
            // A list that the profile lacks is an error.
            let is_fine = run.code() == 0 || run.stderr().contains("does not contain your");
            assert!(is_fine, "{}, {name}: {alternative}: {run}", row.command);
        }
    }
}

#[tokio::test]
async fn auth_status_covers_every_command_that_sends_a_key() {
    let fixture = fixture().await;
    let status = fixture.run(&["auth", "status", "--json"]).json();
    let told = status["commands"]["allowed"].as_array().unwrap().iter();
    let told: BTreeSet<_> = told.map(|command| command.as_str().unwrap()).collect();
    let send_it = rows().filter(|row| row.calls_the_service());
    // The scope of `api` depends on its path, and the account commands accept any key.
    let send_it = send_it
        .map(|row| row.command)
        .filter(|command| *command != "api" && !command.starts_with("auth "));
    assert_eq!(told, send_it.collect());
}

#[test]
fn every_help_is_short_and_has_an_example() {
    let home = home();
    for command in leaves(home.path(), &[]) {
        let help = help(home.path(), &command.split(' ').collect::<Vec<_>>());
        let first = help.lines().next().unwrap();
        assert!(first.len() <= 80, "{command}: {first}");
        assert!(!first.ends_with('.'), "{command}: {first}");
        assert!(first.starts_with(char::is_uppercase), "{command}: {first}");
        assert!(help.contains("\nExample"), "{help}");
        assert!(help.contains(&format!("  profile {command}")), "{help}");
        // clap does not wrap the usage line.
        let lines = help.lines().filter(|line| !line.starts_with("Usage: "));
        let widest = lines.map(|line| line.chars().count()).max();
        assert!(widest <= Some(100), "{command}: {widest:?}");
        let arguments: Vec<_> = command.split(' ').chain(["--help"]).collect();
        let narrow = run(home.path(), &[("COLUMNS", "80")], &arguments);
        // Examples are not wrapped, so that they can be copied.
        let lines = narrow
            .stdout()
            .lines()
            .filter(|line| !line.starts_with("Usage: "));
        let mut prose = lines.filter(|line| !line.starts_with("  "));
        assert!(prose.all(|line| line.chars().count() <= 80), "{narrow}");
        // Examples and tables have lines that fit, since clap would wrap them without an indent.
        let examples = |help: &str| help.split_once("\nExample").unwrap().1.to_owned();
        assert_eq!(examples(narrow.stdout()), examples(&help), "{command}");
    }
}

#[test]
fn every_command_has_a_description_of_its_own() {
    let home = home();
    let mut descriptions = BTreeSet::new();
    for command in leaves(home.path(), &[]) {
        let words: Vec<_> = command.split(' ').collect();
        let help_of = |words: &[&str]| help(home.path(), words).replace("\n          ", " ");
        let own = help_of(&words);
        let description = own.lines().next().unwrap();
        assert!(descriptions.insert(description.to_owned()), "{description}");
        let (name, above) = words.split_last().unwrap();
        let listed = help_of(above);
        let mut lines = listed.lines().map(str::trim_start);
        let line = lines.find(|line| line.starts_with(&format!("{name} ")));
        let line = line
            .unwrap()
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        // The help of the program has the start of each description.
        let start = line.strip_prefix(&format!("{name} ")).unwrap();
        let is_start = above.is_empty() && description.starts_with(start);
        assert!(is_start || line.contains(description), "{command}: {line}");
    }
}

#[test]
fn topics_and_the_program_help_fit_80_columns() {
    let home = home();
    let topics = ["environment", "exit-codes", "formatting"];
    for arguments in topics
        .map(|topic| vec!["help", topic])
        .into_iter()
        .chain([vec!["--help"]])
    {
        let help = |columns| {
            run(home.path(), &[("COLUMNS", columns)], &arguments)
                .stdout()
                .to_owned()
        };
        let indented = |help: String| -> Vec<String> {
            let notes = help
                .split_once("\nExamples:")
                .map(|(_, notes)| notes.to_owned());
            let lines = notes.unwrap_or(help);
            let lines = lines.lines().filter(|line| line.starts_with("  "));
            lines.map(str::to_owned).collect()
        };
        assert_eq!(indented(help("80")), indented(help("100")));
        assert!(
            help("80").lines().all(|line| line.chars().count() <= 80),
            "{arguments:?}"
        );
    }
}

#[test]
fn the_help_of_command_groups_has_an_example() {
    let home = home();
    let leaves = leaves(home.path(), &[]);
    let nouns: BTreeSet<_> = leaves
        .iter()
        .filter_map(|leaf| leaf.split_once(' '))
        .collect();
    for (noun, _) in nouns {
        let help = help(home.path(), &[noun]);
        assert!(help.contains("\nExample"), "{help}");
        assert!(help.contains(&format!("  profile {noun} ")), "{help}");
    }
}

#[test]
fn only_the_topic_lists_global_options() {
    let home = home();
    let topic = run(home.path(), &[], &["help", "options"]);
    assert!(topic.stdout().contains("\nGlobal options:\n"), "{topic}");
    assert!(topic.stdout().contains("--base-url"), "{topic}");
    for command in leaves(home.path(), &[]) {
        let words: Vec<_> = command.split(' ').collect();
        let asked = [&["help"], &words[..]].concat();
        for help in [
            help(home.path(), &words),
            run(home.path(), &[], &asked).stdout().to_owned(),
        ] {
            assert!(!help.contains("Global options:"), "{help}");
            assert!(!help.contains("\n      --base-url"), "{help}");
            assert!(
                help.contains("global options: `profile help options`"),
                "{help}"
            );
        }
    }
    let of_noun = run(home.path(), &[], &["link"]);
    assert_eq!(of_noun.code(), 2);
    assert!(!of_noun.to_string().contains("--base-url"), "{of_noun}");
}

#[tokio::test]
async fn prints_one_json_document() {
    for row in rows() {
        row.run_alone(&["--json"]).await.json();
    }
}

#[tokio::test]
async fn json_failures_are_one_object_on_the_last_line() {
    for row in rows().filter(|row| row.calls_the_service()) {
        let fixture = Fixture::new().await;
        for base_url in [fixture.service.uri(), "http://127.0.0.1:1"] {
            let setting = Setting {
                base_url,
                key: "wrong",
                ..Setting::of(&fixture)
            };
            let failed = row.run(row.program(&setting, &["--json", "-vv", "--retries", "0"]));
            // `auth status` also prints what it has found.
            let prints = row.command == "auth status";
            assert_ne!(failed.stdout_bytes().is_empty(), prints, "{failed}");
            assert_eq!(failed.error()["exit_code"], failed.code(), "{failed}");
        }
    }
}

#[tokio::test]
async fn pipes_receive_no_escape_sequences() {
    for row in rows() {
        for format in ["table", "tsv", "csv", "json"] {
            let ended = row.run_alone(&["--output", format, "-vv"]).await;
            let printed = ended.to_string();
            let command = row.command;
            let is_rejected = match command {
                // Differences have no columns.
                "diff" => ["tsv", "csv"].contains(&format),
                "export" => format != "json",
                _ => false,
            };
            assert_eq!(ended.succeeded(), !is_rejected, "{command}: {printed}");
            assert!(!printed.contains('\u{1b}'), "{command}: {printed}");
        }
    }
}

/// Further commands with other columns than those of [`ROWS`].
#[cfg(all(feature = "sandbox", feature = "webhook"))]
const FURTHER: &[Row] = &[
    reads("stats", &["demo", "--by", "week"]),
    writes("link delete", &["link_1", "link_2", "--yes"]),
    writes("link add", &["a,\t\"b\"\\", "x:y"]),
];

#[tokio::test]
#[cfg(all(feature = "sandbox", feature = "webhook"))]
async fn tsv_and_csv_have_fixed_columns() {
    // These print text for other programs in each format, differences, or the same as `show`.
    let without_columns = ["api", "completion", "diff", "export", "man", "set", "edit"];
    let mut printed = String::new();
    let rows = rows().chain(FURTHER);
    for row in rows.filter(|row| !without_columns.contains(&row.command)) {
        let mut in_pipe = String::new();
        for format in [&[][..], &["-o", "tsv"], &["-o", "csv"]] {
            let fixture = fixture().await;
            let run = row.run(row.program(&Setting::of(&fixture), format));
            let stdout = run.stdout().replace(fixture.service.uri(), "BASE_URL");
            let stdout = crate::program::named(&stdout, fixture.home.path(), "HOME");
            // The default editors.
            let stdout = stdout.replace("notepad", "vi");
            let stdout = match row.command {
                "webhook listen" | "webhook send" | "webhook replay" => without_numbers(&stdout),
                _ => stdout,
            };
            if format.is_empty() {
                in_pipe.clone_from(&stdout);
            } else if stdout == in_pipe {
                continue;
            }
            let words = [&[row.command], row.arguments, format].concat().join(" ");
            printed += &format!("$ profile {words}\n{stdout}\n");
        }
    }
    expect_file!["columns.txt"].assert_eq(&printed);
}

/// Replaces numbers, which depend on the time, with `N`.
#[cfg(all(feature = "sandbox", feature = "webhook"))]
fn without_numbers(text: &str) -> String {
    let mut replaced = String::new();
    for c in text.chars() {
        match c.is_ascii_digit() {
            true if replaced.ends_with('N') => {}
            true => replaced.push('N'),
            false => replaced.push(c),
        }
    }
    replaced
}

#[tokio::test]
async fn no_color_takes_precedence_over_clicolor_force() {
    for row in rows().filter(|row| row.command != "export") {
        let fixture = fixture().await;
        let program = row.program(&Setting::of(&fixture), &["--output", "table"]);
        let program = program.env("NO_COLOR", "1").env("CLICOLOR_FORCE", "1");
        let printed = row.run(program).to_string();
        assert!(printed.starts_with("exit 0\n"), "{printed}");
        assert!(!printed.contains('\u{1b}'), "{printed}");
    }
}

#[tokio::test]
async fn exits_quietly_if_stdout_is_closed() {
    // Without a keyring, builds with the feature warn that the key is stored in a file.
    let has_keyring = cfg!(feature = "keyring");
    // `auth status` warns that the clock of the service is fixed.
    let warns = |row: &Row| match row.command {
        "auth login" => has_keyring,
        command => command == "auth status",
    };
    for row in rows().filter(|row| row.ends && !warns(row)) {
        for further in [&[][..], &["--json"], &["--help"]] {
            let fixture = fixture().await;
            let program = row.program(&Setting::of(&fixture), further);
            let ended = program.run_with_closed_stdout().to_string();
            let quiet = "exit 0\n--- stdout\n--- stderr\n";
            assert_eq!(ended, quiet, "{} {further:?}", row.command);
        }
    }
}

#[tokio::test]
async fn dry_runs_send_no_writes() {
    for row in rows() {
        let fixture = fixture().await;
        let setting = Setting::of(&fixture);
        let words: Vec<_> = row.command.split(' ').collect();
        let offers = help(setting.home, &words).contains("--dry-run");
        let writes = row.nature == Nature::Writes;
        assert_eq!(offers, writes, "{}", row.command);
        let ended = row.run(row.program(&setting, &["--dry-run", "--json"]));
        if !writes {
            assert_eq!(ended.code(), 2, "{ended}");
            continue;
        }
        let shown = ended.json();
        assert_eq!(shown["dry_run"], true, "{shown}");
        assert_ne!(shown["requests"][0]["method"], "GET", "{shown}");
        for request in fixture.service.journal().requests() {
            assert_eq!(request.method, "GET", "{request:?}");
        }
        let untouched = Fixture::new().await.service.world().unwrap();
        assert_eq!(fixture.service.world().unwrap(), untouched);
    }
}
