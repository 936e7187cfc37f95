//! `mock-server run`, as a child process.

use std::fs;
use std::io::Write as _;
use std::process::Stdio;

use mock_server::Endpoint;
use serde_json::{Value, json};
use tempfile::TempDir;

#[cfg(unix)]
use crate::child;
use crate::command::{Call, HEADER, command};
use crate::request::{TestRequest, line_and_body, request_exactly};
use crate::serving::{file, program};

/// Creates a request with the key of a command. `line` is a method and a path.
pub(crate) fn request(call: &Call, line: &str) -> TestRequest {
    let address = call.environment["PROFILE_BASE_URL"].strip_prefix("http://");
    let request = request_exactly(address.unwrap().parse().unwrap(), line);
    request.key(&call.environment["PROFILE_API_KEY"])
}

/// Returns a command that sends requests, and exits with this code. A request is a line of a method and a path, a
/// body, and headers, each after ` | `.
fn sends(requests: &str, code: i32) -> Vec<String> {
    let requests = requests.to_owned();
    command(move |call| {
        for line in requests.trim().lines() {
            let json =
                (!line.contains("Content-Type: ")).then_some("Content-Type: application/json");
            let mut parts = line.trim().split(" | ");
            let (line, body) = line_and_body(parts.next().unwrap());
            let mut request = request(call, line).body(body);
            for header in parts.chain(json) {
                let (name, value) = header.split_once(": ").unwrap();
                request = request.header(name, value);
            }
            request.send();
        }
        code
    })
}

/// Sends a request, and returns the body of a complete response with status 200.
pub(crate) fn get(request: TestRequest) -> Option<String> {
    let answer = request.begin().read_until_closed();
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let (_, length) = head.split_once("content-length: ")?;
    let is_complete = length.lines().next() == Some(&body.len().to_string());
    (head.starts_with("HTTP/1.1 200 ") && is_complete).then(|| body.to_owned())
}

/// Returns a command that prints a text, and exits with this code.
pub(crate) fn prints(text: &'static str, code: i32) -> Vec<String> {
    command(move |call| {
        call.stdout = format!("{text}{}", call.stdin);
        code
    })
}

/// The exit code, stdout and stderr.
pub(crate) type Output = (Option<i32>, String, String);

#[track_caller]
fn run(options: &[&str], command: &[String]) -> Output {
    output_of("run", options, command)
}

#[track_caller]
pub(crate) fn output_of(subcommand: &str, options: &[&str], command: &[String]) -> Output {
    let command: Vec<_> = command.iter().map(String::as_str).collect();
    output(&[&[subcommand], options, &["--"], &command].concat())
}

#[track_caller]
pub(crate) fn output(arguments: &[&str]) -> Output {
    let output = program(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap().replace(HEADER, "");
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

/// Runs a command with an option that names an output file, and returns the exit code, stderr and the content of
/// the file.
#[track_caller]
fn run_writing(option: &str, options: &[&str], command: &[String]) -> Output {
    let directory = TempDir::new().unwrap();
    let earlier = "earlier output, which is longer".repeat(1000);
    let path = file(&directory, "output", &earlier);
    let (code, _, stderr) = run(&[&[option, &path], options].concat(), command);
    (code, stderr, fs::read_to_string(&path).unwrap())
}

#[test]
fn the_command_gets_stdio_and_the_environment() {
    let prints = command(|call| {
        let [key, keys] =
            ["PROFILE_API_KEY", "MOCK_SERVER_KEYS"].map(|name| &call.environment[name]);
        let control = call.environment["MOCK_SERVER_CONTROL"].splitn(4, '/');
        let health = request(call, &format!("GET /{}/health", control.last().unwrap()));
        let health = get(health).unwrap();
        call.stdout = format!("{}{key}\n{keys}\n{health}", call.stdin);
        0
    });
    let mut child = program(&["run", "--seed", "7", "--"])
        .args(prints)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"typed\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let stdout = String::from_utf8(output.stdout).unwrap();
    let stdout = stdout.replace(HEADER, "");
    let lines: Vec<_> = stdout.lines().collect();
    let keys = mock_server::World::new(7).keys();
    assert_eq!(lines[..2], ["typed", keys.all.as_str()]);
    let given: Value = serde_json::from_str(lines[2]).unwrap();
    assert_eq!(given, serde_json::to_value(&keys).unwrap());
    let health: Value = serde_json::from_str(lines[3]).unwrap();
    assert_eq!(health["status"], "ok");
}

#[test]
fn the_exit_code_is_that_of_the_command() {
    for code in [0, 7] {
        assert_eq!(run(&[], &prints("", code)).0, Some(code));
    }
    let fails = prints("", 7);
    let fails = ["run"].into_iter().chain(fails.iter().map(|word| &**word));
    let (code, _, stderr) = output(&["run", "--", "no-such-program"]);
    assert_eq!(code, Some(127));
    // The reason is the words of the system.
    assert!(stderr.starts_with("mock-server: cannot run no-such-program: "));
    assert!(stderr.ends_with(
        "; expected a program in PATH, or the path of one, in quotes if it has spaces\n"
    ));
    for (arguments, code) in [
        (&*fails.collect::<Vec<_>>(), 7),
        #[cfg(unix)]
        (&["run", "--", "sh", "-c", "kill -9 $$"], 137),
        #[cfg(unix)]
        (&["run", "--", "/dev/null"], 126),
        (&["run", "--allow", "nonsense", "--", "true"], 125),
        (&["run", "--fault", "missing.json", "--", "true"], 125),
        (&["run", "--allow-host=a:80", "--", "true"], 125),
        (&["--log", "run", "--", "true"], 125),
        (&["run", "--help"], 0),
    ] {
        assert_eq!(output(arguments).0, Some(code), "{arguments:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_missing_command_is_127_although_a_directory_of_path_cannot_be_read() {
    use std::os::unix::fs::DirBuilderExt as _;
    use std::os::unix::process::CommandExt as _;
    use std::path::Path;

    let directory = TempDir::new().unwrap();
    let unreadable = directory.path().join("unreadable");
    fs::DirBuilder::new().mode(0o0).create(&unreadable).unwrap();
    // Root can read all directories.
    let is_root = rustix::process::geteuid().is_root();
    let executable = env!("CARGO_BIN_EXE_mock-server");
    if is_root {
        or_skip!(child::require_other_user(executable, directory.path()));
    }
    let path =
        std::env::join_paths([&unreadable, Path::new("/usr/bin"), Path::new("/bin")]).unwrap();
    for (command, code) in [("no-such-program", 127), ("/dev/null", 126), ("true", 0)] {
        for subcommand in ["run", "matrix"] {
            let mut program = program(&[subcommand, "--", command]);
            if is_root {
                program.uid(65534);
            }
            let output = program.env("PATH", &path).output().unwrap();
            let stderr = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(code), "{command}: {stderr}");
            let message = "cannot run no-such-program: not found in PATH; expected";
            assert_eq!(stderr.contains(message), code == 127, "{stderr}");
        }
    }
}

#[cfg(unix)]
#[test]
fn the_mock_is_reached_without_the_proxy_of_the_environment() {
    or_skip!(child::require_installed("curl"));
    let script = r#"
        curl --silent --fail --output /dev/null "$PROFILE_BASE_URL/api/v1/stats" || exit 9
        echo "($NO_PROXY) ($no_proxy) $http_proxy"
    "#;
    let matrix = &["matrix", "--only=ids", "--show-output"];
    let mutants = &["mutants", "--only=no_data_envelope", "--show-output"];
    for (arguments, upper, lower, expected) in [
        (&["run"][..], None, None, "(127.0.0.1) (127.0.0.1)"),
        (&["run"], Some("a"), None, "(a,127.0.0.1) (a,127.0.0.1)"),
        (&["run"], None, Some("b"), "(b,127.0.0.1) (b,127.0.0.1)"),
        (
            &["run"],
            Some("a"),
            Some("b"),
            "(a,127.0.0.1) (b,127.0.0.1)",
        ),
        (&["run"], Some("a"), Some(""), "(a,127.0.0.1) (127.0.0.1)"),
        (&["run"], Some("*"), None, "(*) (*)"),
        (
            &["run", "--addr=[::1]:0"],
            Some("a"),
            None,
            "(a,::1,[::1]) (a,::1,[::1])",
        ),
        (matrix, Some("a"), None, "(a,127.0.0.1) (a,127.0.0.1)"),
        (mutants, Some("a"), None, "(a,127.0.0.1) (a,127.0.0.1)"),
    ] {
        let mut program = program(&[arguments, &["--", "sh", "-c", script]].concat());
        for name in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"] {
            program.env(name, "http://127.0.0.1:9");
        }
        for (name, value) in [("NO_PROXY", upper), ("no_proxy", lower)] {
            let value = value.map(|value| (name, value));
            program.env_remove(name).envs(value);
        }
        let output = program.output().unwrap();
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        let expected = format!("{expected} http://127.0.0.1:9\n");
        assert!(text.contains(&expected), "{arguments:?}: {text}");
    }
}

#[test]
fn the_command_does_not_inherit_webhook_secrets() {
    let print = command(|call| {
        let names = call.environment.keys();
        let names = names.filter(|name| name.starts_with("PROFILE_"));
        call.stdout = names.map(|name| format!("{name}\n")).collect();
        0
    });
    for options in [&["run"][..], &["matrix", "--only", "ids", "--show-output"]] {
        let output = program(options)
            .arg("--")
            .args(&print)
            .env("PROFILE_WEBHOOK_SECRET", "canary")
            .env("PROFILE_WEBHOOK_SECRET_FILE", "/canary")
            .env("PROFILE_WEBHOOK_SECRET_OLD", "canary")
            .env("PROFILE_OTHER", "kept")
            .output()
            .unwrap();
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        let names = "PROFILE_API_KEY\nPROFILE_BASE_URL\nPROFILE_OTHER\n";
        assert!(text.contains(names), "{options:?}: {text}");
        assert!(!text.contains("PROFILE_WEBHOOK"), "{options:?}: {text}");
    }
}

/// Returns the program with signals that are ignored at its start; `None` if the system has no tool for that.
#[cfg(target_os = "linux")]
pub(crate) fn ignoring(signals: &str, arguments: &[&str]) -> Option<std::process::Command> {
    let option = format!("--ignore-signal={signals}");
    let mut tried = child::command("env");
    if !tried.args([&option, "true"]).status().unwrap().success() {
        return child::skip("ignores signals; install coreutils 8.31");
    }
    let mut command = child::command("env");
    command.arg(option).arg(program(&[]).get_program());
    command.args(arguments);
    Some(command)
}

#[cfg(target_os = "linux")]
#[test]
fn reports_the_exit_code_although_the_parent_ignores_sigchld() {
    for (arguments, code) in [
        (&["run", "--", "sh", "-c", "exit 3"][..], 3),
        (&["matrix", "--only", "ids", "--", "true"], 0),
    ] {
        let mut program = or_skip!(ignoring("CHLD", arguments));
        let output = program.output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{stderr}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn ignored_signals_stay_ignored() {
    let script = "kill -HUP $PPID; kill -INT $PPID; kill -QUIT $PPID; kill -HUP $$; kill -INT $$; \
                  kill -QUIT $$; grep SigIgn /proc/$$/status; exit 3";
    let mut program = or_skip!(ignoring(
        "HUP,INT,QUIT,TERM",
        &["run", "--", "sh", "-c", script]
    ));
    let output = program.output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    let stdout = String::from_utf8(output.stdout).unwrap();
    let mask = stdout.trim().rsplit('\t').next().unwrap();
    let mask = u64::from_str_radix(mask, 16).unwrap();
    assert_eq!(mask & 0x4007, 0x4007, "{stdout}");

    let script = "kill -HUP $PPID; kill -TERM $PPID";
    let arguments = ["matrix", "--only", "ids", "--", "sh", "-c", script];
    let mut program = ignoring("HUP,INT,QUIT,TERM", &arguments).unwrap();
    assert_eq!(program.output().unwrap().status.code(), Some(0));
}

#[test]
fn reports_violations_and_coverage_across_resets_and_worlds() {
    let requests = r#"
        PATCH /api/v1/me/profile {"bio": 5}
        GET /api/v1/stats
        POST /_mock/v1/worlds/default/reset
        PATCH /api/v1/me/profile {"accent_color": "red"}
        POST /_mock/v1/worlds
        PATCH /worlds/w1/api/v1/me/profile {"text_color": "red"}
        DELETE /_mock/v1/worlds/w1
    "#;
    let (code, stdout, stderr) = run(&[], &sends(requests, 0));
    assert_eq!((code, stdout.as_str()), (Some(1), ""));
    let (violations, coverage) = stderr.split_once("mock-server: 1 of ").unwrap();
    expect_test::expect![[r#"
        mock-server: the command violated the specification:
          wrong_type (1 time, section General): "The body of a request is an object, and its fields are strings."
            PATCH /api/v1/me/profile: bio is a number; expected a string
          not_a_color (2 times, section Resources): "Colors have the format `#rrggbb`."
            PATCH /api/v1/me/profile: accent_color is not a color of the form #rrggbb, such as #ff8800
            PATCH /api/v1/me/profile: text_color is not a color of the form #rrggbb, such as #ff8800
        mock-server: if this is intended, add --allow wrong_type,not_a_color
    "#]]
    .assert_eq(violations);
    assert!(coverage.contains(" endpoints covered\n  not covered: GET /api/v1/me\n"));
    assert!(!coverage.contains("/api/v1/stats"));

    let allow = ["--allow", "wrong_type,not_a_color"];
    let (code, _, stderr) = run(&allow, &sends(requests, 0));
    assert_eq!(code, Some(0));
    assert!(stderr.starts_with("mock-server: 1 of "), "{stderr}");
    assert_eq!(
        run(&["--allow", "wrong_type"], &sends(requests, 0)).0,
        Some(1)
    );
    assert_eq!(run(&[], &sends(requests, 7)).0, Some(7));
}

#[cfg(unix)]
#[test]
fn requests_of_a_command_that_does_not_wait_for_responses_count() {
    let directory = TempDir::new().unwrap();
    let state = directory.path().join("state.json");
    let stateful = ["--state", state.to_str().unwrap()];
    // bash opens connections by itself.
    let script = r#"address=${PROFILE_BASE_URL#http://}
        body='{"nickname":"x"}'
        for i in 1 2 3 4 5; do
            exec 3<>"/dev/tcp/${address%:*}/${address#*:}"
            printf 'PATCH /api/v1/me/profile HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n' >&3
            printf 'Authorization: Bearer %s\r\nContent-Length: %s\r\n\r\n%s' \
                "$PROFILE_API_KEY" "${#body}" "$body" >&3
        done"#;
    for options in [&[][..], &stateful] {
        for _ in 0..10 {
            let arguments = [&["run"], options, &["--", "bash", "-c", script]].concat();
            let (code, _, stderr) = output(&arguments);
            assert_eq!(code, Some(1), "{stderr}");
            assert!(stderr.contains("unknown_field (5 times"), "{stderr}");
        }
    }
}

#[test]
fn writes_the_requests_of_all_worlds_as_an_http_archive() {
    let requests = "POST /_mock/v1/worlds
        GET /api/v1/stats
        GET /worlds/w1/api/v1/badges?x=%C2%9B
        GET /api/v1/badges | X-Hostile: \u{9b}\u{202e}";
    let allow = ["--allow=unexpected_parameter"];
    let (code, stderr, written) = run_writing("--har", &allow, &sends(requests, 0));
    assert_eq!(code, Some(0), "{stderr}");
    assert!(!written.contains(['\u{9b}', '\u{202e}']), "{written}");
    let archive: Value = serde_json::from_str(&written).unwrap();
    let entries = archive["log"]["entries"].as_array().unwrap();
    let worlds: Vec<_> = entries.iter().map(|entry| &entry["_world"]).collect();
    assert_eq!(worlds, ["default", "w1", "default"], "in the order of time");
    assert_eq!(archive["log"]["comment"], Value::Null);
    // Without the Z, the order of the texts is that of the times, whose fractions differ in length.
    let times = entries
        .iter()
        .map(|entry| entry["startedDateTime"].as_str().unwrap());
    assert!(
        times.is_sorted_by_key(|time| time.strip_suffix('Z')),
        "{entries:?}"
    );
}

#[test]
fn deletions_and_resets_forget_neither_violations_nor_requests() {
    let delete = "DELETE /_mock/v1/worlds/WORLD";
    let reset = "POST /_mock/v1/worlds/WORLD/reset";
    for (name, end, entries) in [("w1", delete, 3), ("w1", reset, 2), ("default", reset, 2)] {
        let sends = command(move |call| {
            let request = |line: &str| request(call, &line.replace("WORLD", name));
            let edit = "PATCH /worlds/WORLD/api/v1/me/profile";
            request("POST /_mock/v1/worlds").send();
            request("GET /worlds/WORLD/api/v1/stats").send();
            let faults = "POST /_mock/v1/worlds/WORLD/faults";
            let delay = json!({"fault": {"delay": {"milliseconds": 600_000}}});
            request(faults).json(delay).send();
            let delayed = request(edit).json(json!({"nickname": 1})).begin();
            let requests = || request("GET /_mock/v1/worlds/WORLD/requests").send().body;
            while !requests().contains("delayed") {}
            request(end).send();
            drop(delayed);
            if end == delete {
                request(edit).json(json!({"nickname": 2})).send();
                let third = request("PATCH /api/v1/me/profile").json(json!({"nickname": 3}));
                let key = format!("{}.w1", call.environment["PROFILE_API_KEY"]);
                third.key(&key).send();
            } else {
                request(faults).json(json!([])).send();
            }
            0
        });
        let (code, stderr, archive) = run_writing("--har", &[], &sends);
        assert_eq!(code, Some(1), "{stderr}");
        assert!(stderr.contains("unknown_field (1 time, "), "{stderr}");
        let gone = "mock-server: advice: unknown_world (2 times): Use the URL and the keys of a world only until \
                    the world is deleted.\n  PATCH /worlds/w1/api/v1/me/profile (all): unknown world w1\n";
        assert_eq!(stderr.contains(gone), end == delete, "{stderr}");
        let archive: Value = serde_json::from_str(&archive).unwrap();
        let found = archive["log"]["entries"].as_array().unwrap();
        assert_eq!(found.len(), entries, "{archive:#}");
        assert_eq!(found[0]["_world"], name);
        assert_eq!(found[1]["_outcome"], "abandoned");
    }
    // Only lost requests.
    let (code, _, stderr) = run(&[], &sends("GET /worlds/w7/api/v1/other", 0));
    assert_eq!(code, Some(0), "{stderr}");
    let first = "  GET /worlds/w7/api/v1/other (all): unknown world w7\n";
    let is_named = stderr.contains(first) && !stderr.contains("no request reached");
    assert!(is_named, "{stderr}");
}

#[test]
fn the_archive_keeps_the_newest_requests_of_deleted_worlds() {
    let requests = |world| {
        let reads = (1..=3).map(|n| format!("GET /worlds/w{world}/api/v1/stats?number={n}\n"));
        let reads: String = reads.collect();
        format!("POST /_mock/v1/worlds\n{reads}DELETE /_mock/v1/worlds/w{world}\n")
    };
    let requests: String = (1..=6).map(requests).collect();
    let options = ["--journal-bytes=6000", "--allow=unexpected_parameter"];
    let (code, stderr, archive) = run_writing("--har", &options, &sends(&requests, 0));
    assert_eq!(code, Some(0), "{stderr}");
    let archive: Value = serde_json::from_str(&archive).unwrap();
    let entries = archive["log"]["entries"].as_array().unwrap();
    let names = entries.iter().map(|entry| {
        let number = &entry["request"]["queryString"][0]["value"];
        format!("{} {}", entry["_world"], number).replace('"', "")
    });
    let names: Vec<_> = names.collect();
    let all = (4..=6).flat_map(|world| (1..=3).map(move |n| format!("w{world} {n}")));
    let all: Vec<_> = all.collect();
    assert!((2..9).contains(&names.len()), "{names:?}");
    let count = 18 - names.len();
    let dropped = format!("the journal dropped {count} older requests; raise its limits");
    assert_eq!(archive["log"]["comment"], format!("incomplete: {dropped}"));
    let line = format!("mock-server: the HTTP Archive is incomplete: {dropped}\n");
    assert!(stderr.contains(&line), "{stderr}");
    assert_eq!(names, all[all.len() - names.len()..]);
}

#[test]
fn requests_of_web_pages_do_not_fail_a_run() {
    let requests = r#"
        GET /favicon.ico
        POST /api/v1/me/posts nickname | Origin: https://other.example | Content-Type: application/x-www-form-urlencoded
        GET /other | Sec-Fetch-Site: cross-site
        GET /other | Sec-Fetch-Site: same-site
        GET /other | Sec-Fetch-Site: same-origin | Host: evil.example:80
        GET /other | Origin: http://evil.example:80 | Host: evil.example:80
    "#;
    let (code, _, stderr) = run(&[], &sends(requests, 0));
    assert_eq!(code, Some(0), "{stderr}");
    let line =
        "mock-server: 6 violations of pages of other origins; add --cors ORIGIN to count them\n";
    assert!(stderr.contains(line), "{stderr}");
    // A client in a container, and a page of the mock itself.
    let client = "GET /other | Host: mock:9000";
    let page = format!("{client} | Sec-Fetch-Site: same-origin");
    for (options, request, code) in [
        (&[][..], client, 1),
        (&[], &page, 0),
        (&["--allow-host=mock"], &page, 1),
        (&["--cors=*"], &page, 1),
    ] {
        let found = run(options, &sends(request, 0)).0;
        assert_eq!(found, Some(code), "{options:?} {request}");
    }
}

#[cfg(unix)]
#[test]
fn a_process_that_a_command_leaves_behind_does_not_delay_the_end() {
    let script = "curl --silent --max-time 60 $PROFILE_BASE_URL/api/v1/badges >/dev/null 2>&1 &
        until curl --silent $MOCK_SERVER_CONTROL/worlds/default/requests | grep -q delayed
        do sleep 0.01; done";
    let directory = TempDir::new().unwrap();
    let rule = r#"{"fault": {"delay": {"milliseconds": 600000}}}"#;
    let rule = file(&directory, "faults.json", rule);
    let command = ["sh", "-c", script].map(str::to_owned);
    let (code, _, stderr) = run(&["--fault", &rule], &command);
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stderr.starts_with("mock-server: 1 of "), "{stderr}");
}

#[test]
fn a_command_without_requests_gets_a_hint() {
    let (code, _, stderr) = run(&[], &prints("", 0));
    assert_eq!(code, Some(0));
    let count = Endpoint::ALL.len();
    let expected = format!(
        "mock-server: 0 of {count} endpoints covered\n\
         mock-server: no request reached an endpoint; the URL is in PROFILE_BASE_URL\n"
    );
    assert_eq!(stderr, expected);
}

#[test]
fn a_file_that_cannot_be_written_ends_the_run_before_the_command() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("missing/file");
    for (option, name) in [("--report", "report"), ("--har", "HTTP Archive")] {
        let options = [option, path.to_str().unwrap()];
        let (code, stdout, stderr) = run(&options, &prints("started", 0));
        assert_eq!((code, stdout.as_str()), (Some(125), ""), "{stderr}");
        let message = format!("mock-server: cannot write the {name} ");
        assert!(stderr.starts_with(&message), "{stderr}");
    }
}

#[test]
fn the_report_is_written_as_json() {
    let directory = TempDir::new().unwrap();
    let path = file(&directory, "report.json", "earlier");
    let missing = ["run", "--report", &path, "no-such-program"];
    assert_eq!(output(&missing).0, Some(127));
    assert_eq!(fs::read_to_string(&path).unwrap(), "earlier");
    let requests = r#"
        PATCH /api/v1/me/profile {"nickname": "x"}
        PATCH /api/v1/me/profile {"\u009b\u202e\u0007": 1}
    "#;
    let command = sends(requests, 3);
    let (code, stderr, written) = run_writing("--report", &["--allow=too_many_lines"], &command);
    assert_eq!(code, Some(3));
    assert!(
        stderr.contains(r"unknown field \u009b\u202e\u0007;"),
        "{stderr}"
    );
    let odd = ['\u{9b}', '\u{202e}', '\u{7}'];
    assert!(!written.contains(odd), "{written}");
    let report: Value = serde_json::from_str(&written).unwrap();
    let field = &report["violations"][0]["violations"][1]["field"];
    assert_eq!(*field, String::from_iter(odd));
    assert_eq!(report["exit_code"], 3);
    assert_eq!(report["allowed"], json!(["too_many_lines"]));
    assert_eq!(report["violations"][0]["rule"], "unknown_field");
    assert_eq!(report["violations"][0]["count"], 2);
    let uncovered = report["coverage"]["uncovered"]["endpoints"].as_array();
    assert_eq!(uncovered.unwrap().len(), Endpoint::ALL.len());
}

#[cfg(unix)]
#[test]
fn forwards_sigterm_and_leaves_ctrl_c_to_the_command() {
    use std::io::{BufRead as _, BufReader};

    use rustix::process::Signal;

    for (last, name) in [(Signal::TERM, "TERM"), (Signal::HUP, "HUP")] {
        let script = format!(
            "trap 'exit 42' {name}; trap '' INT QUIT; echo ready; for i in $(seq 2000); do sleep 0.01; done"
        );
        let mut child = program(&["run", "--", "sh", "-c", &script])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let stdout = child.stdout.as_mut().unwrap();
        BufReader::new(stdout).read_line(&mut line).unwrap();
        for signal in [Signal::INT, Signal::INT, Signal::QUIT, last] {
            child::send(signal, child.id());
        }
        assert_eq!(child.wait().unwrap().code(), Some(42));
    }
}
