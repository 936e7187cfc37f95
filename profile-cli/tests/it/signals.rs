//! Signals: those that were ignored at the start, and the table of the others.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use mock_server::journal::RequestPattern;
use mock_server::{Fault, FaultRule, WireFault};

use crate::program::{Fixture, Program, Running, Signal, home};
use crate::pseudo_terminal::Terminal;

/// Starts the program from a shell that ignores these signals.
fn start_ignoring(signals: &str, home: &tempfile::TempDir, command: &str) -> Program {
    let script = format!("trap '' {signals}; exec profile {command}");
    Program::shell("sh", home.path(), &["-c", &script])
}

/// Starts the program with a service that has received its request, and has not responded.
#[track_caller]
fn start_request(signals: &str, home: &tempfile::TempDir, command: &str) -> (Running, TcpStream) {
    let service = TcpListener::bind("127.0.0.1:0").unwrap();
    let base_url = format!("http://{}", service.local_addr().unwrap());
    let running = start_ignoring(signals, home, command)
        .env("PROFILE_BASE_URL", base_url)
        .env("PROFILE_API_KEY", "sk_a_key_of_a_test")
        .start();
    let mut stream = crate::child::accept(&service);
    assert_ne!(stream.read(&mut [0; 4096]).unwrap(), 0);
    (running, stream)
}

fn respond(mut stream: TcpStream) {
    let response =
        "HTTP/1.1 200 OK\r\nContent-Length: 11\r\nConnection: close\r\n\r\n{\"data\":{}}";
    stream.write_all(response.as_bytes()).unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn signals_that_were_ignored_at_the_start_stay_ignored() {
    let home = home();
    let all = [Signal::INT, Signal::TERM, Signal::HUP];
    for command in ["show --json", "post create Hello --json"] {
        let (running, stream) = start_request("INT TERM HUP", &home, command);
        for signal in all {
            running.signal(signal);
        }
        respond(stream);
        let run = running.end();
        assert_eq!(run.code(), 0, "{run}");
    }
}

/// Before another attempt, the client library reports whether an earlier one may have been applied.
#[tokio::test]
async fn a_signal_during_a_wait_reports_what_is_known() {
    for (fault, outcome) in [
        (Fault::rate_limited("20"), "not_done"),
        (
            Fault::status(503).with_header("retry-after", "20"),
            "unknown",
        ),
        (
            Fault::status(408).with_header("retry-after", "20"),
            "unknown",
        ),
    ] {
        for command in ["set --bio b", "link delete link_1 --yes", "apply new.toml"] {
            let fixture = Fixture::new().await;
            fixture.file("new.toml", "[profile]\nbio = \"b\"\n");
            let rule = FaultRule::new(fault.clone());
            let writes = ["PATCH", "DELETE"].map(|method| RequestPattern::any().method(method));
            for write in writes {
                let rule = rule.clone().matching(write);
                fixture.service.add_fault(rule).unwrap();
            }
            let command: Vec<_> = command.split(' ').chain(["--json", "-vv"]).collect();
            let mut program = fixture.program(&command);
            program.command.current_dir(fixture.home.path());
            let mut running = program.start();
            let mut line = running.stderr_line();
            while !line.ends_with("before the next attempt") {
                assert_ne!(line, "", "{command:?} ended");
                line = running.stderr_line();
            }
            running.signal(Signal::TERM);
            let run = running.end();
            assert_eq!(run.error()["outcome"], outcome, "{command:?}: {run}");
        }
    }
}

#[tokio::test]
async fn an_editor_works_if_sigchld_is_ignored() {
    let fixture = Fixture::new().await;
    for (editor, code, text) in [
        ("true", 0, ""),
        ("false", 1, "failed: exit status: 1"),
        ("nosuch", 1, "could not be started: "),
    ] {
        let run = start_ignoring("CHLD", &fixture.home, "edit")
            .env("PROFILE_BASE_URL", fixture.service.uri())
            .env("PROFILE_API_KEY", fixture.service.key())
            .env("EDITOR", editor)
            .run();
        assert_eq!(run.code(), code, "{run}");
        run.says(text);
    }
}

/// The documentation of the module, whose table says what each signal does.
const TABLE: &str = include_str!("../../src/system/interruption.rs");

#[tokio::test(flavor = "multi_thread")]
async fn the_table_of_signals_is_true() {
    let rows = TABLE.lines().filter_map(|line| line.strip_prefix("//! | "));
    let rows: Vec<Vec<_>> = rows
        .map(|row| row.split('|').map(str::trim).collect())
        .collect();
    let [states, signals @ ..] = &rows[..] else {
        panic!("there is no table");
    };
    for row in signals {
        let signal = match row[0] {
            "SIGINT" => Signal::INT,
            "SIGTERM" => Signal::TERM,
            "SIGHUP" => Signal::HUP,
            "SIGQUIT" => Signal::QUIT,
            other => panic!("unknown signal {other}"),
        };
        for (state, effect) in states
            .iter()
            .zip(row)
            .skip(1)
            .filter(|(state, _)| !state.is_empty())
        {
            let fixture = Fixture::new().await;
            let (code, seen) = run_until(state, signal, &fixture).await;
            let context = format!("{state} {}: {effect}: {seen}", row[0]);
            let (ends_by_signal, text) = match *effect {
                "ends" => (true, ""),
                "reports" => (true, "interrupted"),
                "of the editor" => (false, "post_"),
                "finishes" => (true, "key_stored_in"),
                "stops" => (true, "ended: 1 verified"),
                "exits" => (false, "ended: 1 verified"),
                other => panic!("unknown effect {other}"),
            };
            let expected = if ends_by_signal { -signal.as_raw() } else { 0 };
            assert_eq!(code, Some(expected), "{context}");
            assert!(seen.contains(text), "{context}");
            assert_eq!(seen.contains("error:"), *effect == "reports", "{context}");
        }
    }
}

/// Starts the program on a terminal, and sends the signal in this state. Returns what [`Terminal::ends`] does.
async fn run_until(state: &str, signal: Signal, fixture: &Fixture) -> (Option<i32>, String) {
    let login = ["auth", "login", "--base-url", fixture.service.uri()];
    match state {
        "reading" | "writing" => {
            let (method, path, command) = match state {
                "reading" => ("GET", "/me", &["show"][..]),
                _ => ("POST", "/me/posts", &["post", "create", "Hello"][..]),
            };
            let hangs = FaultRule::new(Fault::Wire(WireFault::Stall { after: 0 }));
            fixture.service.add_fault(hangs).unwrap();
            let terminal = Terminal::start(fixture.program(command));
            let request = fixture.service.expect(method, path);
            request.arrives(1, Duration::from_secs(10)).await;
            terminal.signal(signal);
            terminal.ends()
        }
        "prompting" => {
            let mut visible = Terminal::start(fixture.without_settings(&["auth", "login"]));
            visible.sees("profiles.example: ");
            visible.signal(signal);
            let ended = visible.ends();
            assert_eq!(ended.0, Some(-signal.as_raw()), "{ended:?}");
            let mut hidden = Terminal::start(fixture.without_settings(&login));
            hidden.sees("(not shown): ");
            hidden.types_unseen("");
            hidden.signal(signal);
            hidden.ends()
        }
        "editing" => {
            let script = "trap '' INT QUIT; echo open; read line; echo one > \"$1\"";
            let editor = format!("sh -c {} sh", shlex::try_quote(script).unwrap());
            let create = fixture.program(&["post", "create"]).env("EDITOR", editor);
            let mut terminal = Terminal::start(create);
            terminal.sees("open");
            match signal {
                Signal::INT => terminal.types("\u{3}\n"),
                Signal::QUIT => terminal.types("\u{1c}\n"),
                _ => terminal.signal(signal),
            }
            terminal.ends()
        }
        "storing a key" => run_until_storing(&login, signal, fixture),
        #[cfg(feature = "webhook")]
        "listening" => run_until_listening(signal, fixture),
        other => panic!("unknown state {other}"),
    }
}

/// Maximum number of logins until a signal comes while a key is stored.
const MAX_LOGINS: u32 = 100;

fn run_until_storing(login: &[&str], signal: Signal, fixture: &Fixture) -> (Option<i32>, String) {
    let mut ended = (None, String::new());
    for _ in 0..MAX_LOGINS {
        let keys = fixture.home.path().join(".config/profile/keys");
        let mut terminal = Terminal::start(fixture.without_settings(login));
        terminal.sees("(not shown): ");
        terminal.types_unseen(&format!("{}\n", fixture.service.key()));
        // The folder is not empty while the key is written.
        let started = Instant::now();
        while !fs::read_dir(&keys).is_ok_and(|mut files| files.next().is_some()) {
            assert!(
                started.elapsed() < Duration::from_secs(20),
                "no key: {:?}",
                terminal.ends()
            );
        }
        terminal.signal(signal);
        let (code, seen) = terminal.ends();
        let files: Vec<_> = fs::read_dir(&keys).unwrap().flatten().collect();
        assert!(
            files.iter().all(|file| file.file_name() == "demo"),
            "{files:?}"
        );
        let config = keys.with_file_name("config.toml");
        assert!(
            fs::read_to_string(config)
                .unwrap()
                .contains("[accounts.demo]")
        );
        // The signal may have been too late, or have come between the storage and the report.
        let is_late = code == Some(0) || !seen.contains("key_stored_in");
        ended = (code, seen);
        if !is_late {
            break;
        }
        fs::remove_dir_all(keys.parent().unwrap()).unwrap();
    }
    ended
}

#[cfg(feature = "webhook")]
fn run_until_listening(signal: Signal, fixture: &Fixture) -> (Option<i32>, String) {
    use crate::webhook::{BODY, SECRET, SIGNATURE, listener::deliver};
    let receiver = TcpListener::bind("127.0.0.1:0").unwrap();
    let uri = format!("http://{}/", receiver.local_addr().unwrap());
    let begin = || {
        let listen = fixture.without_settings(&["webhook", "listen", "--forward-to", &uri]);
        let mut terminal = Terminal::start(listen.env("PROFILE_WEBHOOK_SECRET", SECRET))
            .without_escape_sequences();
        terminal.sees("forwarding to");
        let seen = terminal.seen().into_owned();
        let url = seen.split("listening on ").nth(1).unwrap();
        let url = url.split_whitespace().next().unwrap();
        assert_eq!(deliver(url, "post.liked", SIGNATURE, BODY.as_bytes()), 204);
        let mut forwarded = crate::child::accept(&receiver);
        let _ = forwarded.read(&mut [0; 4096]).unwrap();
        terminal.signal(signal);
        terminal.sees("press Ctrl-C to exit at once");
        (terminal, forwarded)
    };
    let (terminal, forwarded) = begin();
    terminal.signal(signal);
    if signal == Signal::HUP {
        respond(forwarded);
        return terminal.ends();
    }
    let (code, seen) = terminal.ends();
    assert!(!seen.contains("ended: "), "{seen}");
    let (terminal, forwarded) = begin();
    respond(forwarded);
    let ended = terminal.ends();
    assert_eq!(ended.0, code);
    ended
}

#[tokio::test(flavor = "multi_thread")]
async fn an_earlier_failure_of_a_batch_keeps_its_exit_code() {
    let fixture = Fixture::new().await;
    let deletions = [
        ("/me/links/link_1", Fault::status(422)),
        (
            "/me/links/link_2",
            Fault::Wire(WireFault::Stall { after: 0 }),
        ),
    ];
    for (path, fault) in deletions {
        let pattern = RequestPattern::any().method("DELETE").path(path);
        let rule = FaultRule::new(fault).matching(pattern);
        fixture.service.add_fault(rule).unwrap();
    }
    let delete = [
        "link", "delete", "link_1", "link_2", "link_3", "--yes", "--json",
    ];
    let running = fixture.program(&delete).start();
    let request = fixture.service.expect("DELETE", "/me/links/link_2");
    request.arrives(1, Duration::from_secs(10)).await;
    running.signal(Signal::TERM);
    let error = running.end().error();
    let failures = error["failures"].as_array().unwrap().iter();
    let codes: Vec<_> = failures
        .map(|one| (&one["id"], &one["exit_code"], &one["outcome"]))
        .collect();
    let expected = serde_json::json!([
        ["link_1", 6, "not_done"],
        ["link_3", 143, "not_done"],
        ["link_2", 143, "unknown"]
    ]);
    assert_eq!(serde_json::json!(codes), expected, "{error}");
    assert_eq!(error["outcome"], "unknown", "{error}");
    assert_eq!(error["exit_code"], 143, "{error}");
}

const LOST: &str = r#"{"match": {"method": "POST", "path": "/me/links"}, "phase": "after", "times": 1,
    "fault": {"status": {"status": 502}}}"#;
const RESET: &str = r#"{"match": {"method": "POST", "path": "/me/links"}, "phase": "after", "times": 1,
    "fault": {"wire": "reset"}}"#;
const LIMITED: &str = r#"{"match": {"method": "GET", "path": "/me"}, "skip": 2, "times": 1,
    "fault": {"rate_limited": {"retry_after": "20"}}}"#;
const FIRST: &str = r#"{"match": {"method": "GET"}, "fault": {"wire": {"stall": {"after": 0}}}}"#;
const SECOND: &str =
    r#"{"match": {"method": "GET"}, "skip": 1, "fault": {"wire": {"stall": {"after": 0}}}}"#;
const THIRD: &str =
    r#"{"match": {"method": "GET"}, "skip": 2, "fault": {"wire": {"stall": {"after": 0}}}}"#;
const SILENT: &str =
    r#"{"match": {"method": "PATCH"}, "fault": {"status": {"status": 204, "body": ""}}}"#;

/// A command, the faults, the number of requests before the signal, the outcome, and `true` if it is unknown whether
/// `apply` created the link.
type Interruption = (
    &'static str,
    [&'static str; 2],
    u64,
    Signal,
    &'static str,
    bool,
);

const INTERRUPTIONS: [Interruption; 6] = [
    ("apply", [LOST, LIMITED], 4, Signal::INT, "unknown", true),
    ("apply", [RESET, LIMITED], 4, Signal::TERM, "unknown", true),
    ("apply", [FIRST, LOST], 1, Signal::INT, "not_done", false),
    ("apply", [SECOND, LOST], 2, Signal::TERM, "not_done", false),
    ("edit", [SILENT, THIRD], 4, Signal::TERM, "unknown", false),
    ("edit", [SILENT, THIRD], 4, Signal::INT, "unknown", false),
];

#[tokio::test(flavor = "multi_thread")]
async fn the_outcome_of_a_write_is_what_is_known() {
    for (command, faults, requests, signal, outcome, is_link) in INTERRUPTIONS {
        let fixture = Fixture::new().await;
        fixture.file(
            "new.toml",
            "[[links]]\ntitle = \"new\"\nurl = \"https://new.example\"\n",
        );
        for rule in faults {
            fixture.add_faults(rule);
        }
        let file = (command == "apply").then_some("new.toml");
        let words: Vec<_> = [command, "--json"].into_iter().chain(file).collect();
        let mut program = fixture.program(&words);
        program.command.current_dir(fixture.home.path());
        let running = program
            .env("EDITOR", "sed -i 's/^location = .*/location = \"L\"/'")
            .start();
        let any = fixture.service.expect_matching(RequestPattern::any());
        any.arrives(requests, Duration::from_secs(10)).await;
        running.signal(signal);
        let run = running.end();
        let context = format!("{command} {faults:?}: {run}");
        assert_eq!(run.code(), i64::from(-signal.as_raw()), "{context}");
        assert_eq!(run.error()["outcome"], outcome, "{context}");
        if is_link {
            let step = &run.json_lines()[0]["unknown"]["step"];
            assert_eq!(step, "create_link", "{context}");
        }
    }
}

/// Returns the program as the first process of a namespace.
#[cfg(target_os = "linux")]
fn as_first_process(program: Program) -> Program {
    let mut unshare = std::process::Command::new("unshare");
    let words = [program.command.get_program()]
        .into_iter()
        .chain(program.command.get_args());
    unshare
        .args(["--pid", "--fork", "--kill-child"])
        .args(words);
    program.replaced_by(unshare)
}

/// The system ignores signals with a default action that are sent to the first process, as of a container.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn signals_end_the_first_process() {
    use rustix::process::{Pid, kill_process};
    let permitted = std::process::Command::new("unshare")
        .args(["--pid", "--fork", "--kill-child", "true"])
        .stderr(std::process::Stdio::null())
        .status();
    if !permitted.is_ok_and(|status| status.success()) {
        return crate::child::skip("needs unshare with a namespace of processes")
            .unwrap_or_default();
    }
    for (command, signal, requests) in [
        ("apply - -vv", Signal::INT, 0),
        ("apply - -vv", Signal::TERM, 0),
        ("apply - -vv", Signal::HUP, 0),
        ("show", Signal::INT, 1),
        ("show", Signal::TERM, 1),
        ("post create Hello", Signal::QUIT, 1),
    ] {
        let fixture = Fixture::new().await;
        let hangs = FaultRule::new(Fault::Wire(WireFault::Stall { after: 0 }));
        fixture.service.add_fault(hangs).unwrap();
        let words: Vec<_> = command.split(' ').collect();
        // A pipe that stays open.
        let (reader, _writer) = std::io::pipe().unwrap();
        let running = as_first_process(fixture.program(&words)).start_with_stdin(reader);
        if requests != 0 {
            let any = fixture.service.expect_matching(RequestPattern::any());
            any.arrives(requests, Duration::from_secs(10)).await;
        }
        kill_process(Pid::from_raw(running.child_id()).unwrap(), signal).unwrap();
        let run = running.end();
        assert_eq!(
            run.code(),
            i64::from(128 + signal.as_raw()),
            "{command}: {run}"
        );
    }
}

/// A core file would have the key.
#[cfg(target_os = "linux")]
#[test]
fn leaves_no_core_file() {
    let home = home();
    let script = "cd \"$HOME\" && ulimit -c unlimited; exec profile apply -";
    let (reader, _writer) = std::io::pipe().unwrap();
    let shell = Program::shell("sh", home.path(), &["-c", script]);
    let running = shell.start_with_stdin(reader);
    running.signal_when_handled(Signal::QUIT);
    let run = running.end();
    assert_eq!(run.code(), i64::from(-Signal::QUIT.as_raw()), "{run}");
    assert!(!run.core_dumped(), "{run}");
}
