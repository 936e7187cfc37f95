//! The program `mock-server`, as a child process.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use mock_server::{Dialect, MockServer, World};
use rustix::process::Signal;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::child;
use crate::request::{TestRequest, request};
use crate::serving::{Serving, fail, program, serve, start};

#[test]
fn prints_one_line_of_json_and_serves_until_a_signal() {
    for signal in [Signal::TERM, Signal::INT, Signal::HUP, Signal::QUIT] {
        let serving = serve(&[]);
        let url = serving.url().to_owned();
        let keys = serde_json::to_value(World::default().keys()).unwrap();
        assert_eq!(
            serving.ready,
            json!({"url": url, "keys": keys, "control": format!("{url}/_mock/v1")})
        );
        assert_eq!(serving.request("GET /me").data(200)["handle"], "demo");
        serving
            .request("PATCH /me/profile")
            .key(serving.key("links"))
            .assert_rejected(
                403,
                "scope_missing",
                "the key lacks the scope profile:write",
            );

        let key = serving.key("all").to_owned();
        assert_eq!(
            serving.stop(signal),
            (
                Some(0),
                format!(
                    "mock-server: serving on {url} until Ctrl-C. Try:\n  \
                     curl -H 'Authorization: Bearer {key}' {url}/api/v1/me\n\
                     Open {url}/ in a browser to see requests\n"
                )
            )
        );
    }
}

#[test]
fn another_seed_creates_other_keys() {
    let serving = serve(&["--seed", "7"]);
    assert_eq!(serving.key("all"), World::new(7).keys().all);
}

#[tokio::test]
async fn two_processes_can_share_a_state_file() {
    const POSTS: usize = 10;
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("state.json");
    let serving = serve(&["--state", path.to_str().unwrap()]);
    let server = MockServer::builder().state_file(&path);
    let server = server.start().await.unwrap();
    let create = |request: &dyn Fn() -> TestRequest| {
        for _ in 0..POSTS {
            request().json(json!({"body": "x"})).data(201);
        }
    };
    thread::scope(|scope| {
        scope.spawn(|| create(&|| serving.request("POST /me/posts")));
        scope.spawn(|| create(&|| request(&server, "POST /me/posts")));
    });
    let me = serving.request("GET /me").data(200);
    assert_eq!(me["posts"].as_array().unwrap().len(), 1 + 2 * POSTS);
    assert_eq!(request(&server, "GET /me").data(200), me);
}

#[test]
fn reports_a_port_in_use() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = listener.local_addr().unwrap().to_string();
    assert_eq!(
        fail(&["--addr", &taken]),
        (
            Some(1),
            format!(
                "mock-server: cannot listen on {taken}: Address already in use (os error 98); \
                 choose another address with --addr\n"
            )
        )
    );
}

#[test]
fn an_invalid_address_is_a_usage_error() {
    let expected = "expected a host and a port, such as 127.0.0.1:8080";
    for addr in [
        "nonsense",
        "127.0.0.1",
        ":8080",
        "localhost:http",
        "127.0.0.1:65536",
    ] {
        usage_error("--addr <HOST:PORT>", &["--addr", addr], addr, expected);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn accepts_many_connections_at_once() {
    let limit = std::fs::read_to_string("/proc/sys/net/core/somaxconn").unwrap();
    let count = limit.trim().parse::<usize>().unwrap().min(300);
    let serving = serve(&[]);
    // The queue is set when the first request is served.
    serving.request("GET /me").data(200);
    serving.signal(Signal::STOP);
    let connect = |_| TcpStream::connect_timeout(&serving.address(), Duration::from_secs(10));
    let connected: Result<Vec<_>, _> = (0..count).map(connect).collect();
    serving.signal(Signal::CONT);
    assert_eq!(connected.unwrap().len(), count);
}

#[test]
fn the_last_address_wins() {
    let serving = serve(&["--addr", "192.0.2.1:1", "--addr", "[::1]:0"]);
    assert!(serving.url().starts_with("http://[::1]:"));
}

/// Runs a shell script in namespaces of its own, with these lines as `/etc/hosts`, and returns stderr. `$0` is
/// the program, and `serve` starts it and waits until it is ready.
#[cfg(target_os = "linux")]
#[track_caller]
fn run_isolated(hosts: &str, script: &str) -> Option<String> {
    // The end of the shell, the first process of its namespace, ends the others.
    const START: &str = r#"
        set -e
        cd "$1"
        mount --bind hosts /etc/hosts
        ip link set lo up
        serve() {
            mkfifo ready
            "$0" "$@" > ready &
            read line < ready
            rm ready
        }
    "#;
    let unshare = ["--map-root-user", "--mount", "--net", "--pid", "--fork"];
    let tried = child::command("unshare")
        .args(unshare)
        .args(["ip", "link"])
        .output();
    if !tried.is_ok_and(|tried| tried.status.success()) {
        let skipped = "\n*** SKIPPED: a test in namespaces; install util-linux and iproute2 ***\n";
        let _ = writeln!(std::io::stderr(), "{skipped}");
        return None;
    }
    let directory = TempDir::new().unwrap();
    file(&directory, "hosts", hosts);
    let output = child::command("unshare")
        .args(unshare)
        .args(["sh", "-c", &format!("{START}{script}")])
        .arg(program(&[]).get_program())
        .arg(directory.path())
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{stderr}");
    Some(stderr)
}

#[cfg(target_os = "linux")]
#[test]
fn serves_on_all_addresses_of_a_name() {
    let hosts = "127.0.0.1 two\n127.0.0.2 two\n127.0.0.1 two\n192.0.2.1 three\n127.0.0.3 three\n";
    let script = r#"
        get() { curl --silent --show-error --fail --output answer "http://$1/api/v1/stats"; }
        serve --addr two:9000
        get 127.0.0.1:9000
        get 127.0.0.2:9000
        kill $!; wait $!
        serve --addr three:9000
        get 127.0.0.3:9000
        kill $!; wait $!
        serve --addr 127.0.0.2:9000
        code=0; "$0" --addr two:9000 || code=$?
        test $code = 1
    "#;
    if let Some(stderr) = run_isolated(hosts, script) {
        let expected = "cannot listen on 127.0.0.2:9000: Address already in use";
        assert!(stderr.contains(expected), "{stderr}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn health_does_not_connect_to_itself() {
    let script = r#"
        echo 9000 9000 > /proc/sys/net/ipv4/ip_local_port_range
        code=0; "$0" health 127.0.0.1:9000 || code=$?
        test $code = 1
        serve --addr '[::1]:8080'
        "$0" health
    "#;
    run_isolated("", script);
}

#[cfg(target_os = "linux")]
#[test]
fn a_signal_ends_the_wait_for_the_state_file() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("state.json");
    let lock = File::create(directory.path().join("state.json.lock")).unwrap();
    lock.lock().unwrap();
    let state = ["--state", path.to_str().unwrap()];
    for arguments in [
        state.to_vec(),
        [&["run"], &state[..], &["--", "true"]].concat(),
    ] {
        let mut child = program(&arguments).stderr(Stdio::piped()).spawn().unwrap();
        let waiter = format!(" {} ", child.id());
        let is_waiting = |locks: String| {
            let mut locks = locks.lines();
            locks.any(|line| line.contains("->") && line.contains(&waiter))
        };
        while !is_waiting(std::fs::read_to_string("/proc/locks").unwrap()) {
            assert!(child.try_wait().unwrap().is_none());
        }
        child::send(Signal::TERM, child.id());
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        // Process 1 of a container gets only signals that it handles, so an exit by the signal is no exit.
        assert_eq!(output.status.code(), Some(143), "{stderr}");
        let message = "mock-server: ended by signal 15 before the server was ready\n";
        assert_eq!(stderr, message);
    }
}

#[test]
fn health_reports_if_a_server_accepts_connections() {
    let serving = serve(&[]);
    let addr = serving.url().strip_prefix("http://").unwrap().to_owned();
    assert_eq!(fail(&["health", &addr]), (Some(0), String::new()));
    serving.stop(Signal::TERM);
    let message =
        format!("mock-server: no server accepts connections at {addr}: connection refused\n");
    assert_eq!(fail(&["health", &addr]), (Some(1), message));
    assert_eq!(fail(&["health", "nonsense"]).0, Some(1));
}

/// Checks the error for an invalid value of an option.
#[track_caller]
fn usage_error(option: &str, arguments: &[&str], value: &str, message: &str) {
    let expected = format!(
        "error: invalid value '{value}' for '{option}': {message}\n\n\
         For more information, try '--help'.\n"
    );
    assert_eq!(fail(arguments), (Some(2), expected));
}

#[test]
fn usage_errors_hide_the_password_of_a_url() {
    for option in ["--webhook-url", "--cors", "--seed", "--unknown"] {
        for url in [
            "https://u:PW@host/",
            "https://u:P W@host/",
            "https://u:PW//x@y@host/",
            "u:PW@host",
            "//u:PW@host",
            "http://u:PW@[host",
        ] {
            let joined = format!("{option}={url}");
            for arguments in [&[option, url][..], &[joined.as_str()], &[url]] {
                let (code, stderr) = fail(arguments);
                assert_eq!(code, Some(2), "{arguments:?}: {stderr}");
                let is_shown = ["PW", "P W"].iter().any(|part| stderr.contains(part));
                assert!(!is_shown, "{arguments:?}: {stderr}");
            }
        }
    }
}

#[test]
fn prints_a_working_url_for_wildcard_addresses() {
    let serving = serve(&["--addr", "0.0.0.0:0"]);
    assert!(serving.url().starts_with("http://127.0.0.1:"));
    serving.request("GET /me").data(200);
    let port = serving.address().port();
    let (_, stderr) = serving.stop(Signal::TERM);
    let warning = format!(
        "mock-server: 0.0.0.0:{port} and its control API can be reached from other machines; omit \
         --addr to listen on 127.0.0.1 only\n"
    );
    assert!(stderr.starts_with(&warning), "{stderr}");
}

#[test]
fn uses_the_given_dialect() {
    let directory = TempDir::new().unwrap();
    let settings = file(&directory, "dialect.json", r#"{"ids": "integer"}"#);
    for (choice, dialect) in [
        ("minimal", Dialect::minimal()),
        ("random:7", Dialect::random(7)),
        (
            &settings,
            serde_json::from_value(json!({"ids": "integer"})).unwrap(),
        ),
    ] {
        let serving = serve(&["--dialect", choice]);
        let line = "GET /worlds/default/dialect";
        let response = serving.order(200, line, Value::Null);
        assert_eq!(response, json!(dialect));
        serving.order(204, "POST /worlds/default/reset", Value::Null);
        assert_eq!(serving.order(200, line, Value::Null), response);
    }
    usage_error(
        "--dialect <NAME|FILE>",
        &["--dialect", "tiny"],
        "tiny",
        "unknown dialect `tiny`; expected default, minimal, maximal, or random: and a seed, such \
         as random:7, or an existing file",
    );
    for (text, message) in [
        ("[]", "expected a JSON object"),
        ("\"minimal\"", "expected a JSON object"),
        (
            r#"{"ids": "roman"}"#,
            "ids: unknown variant `roman`, expected one of `string`, `integer`, `uuid`",
        ),
    ] {
        let path = file(&directory, "wrong.json", text);
        let expected = format!("mock-server: invalid dialect file {path}: {message}\n");
        assert_eq!(fail(&["--dialect", &path]), (Some(1), expected));
    }
}

#[test]
fn ignores_byte_order_marks_in_files() {
    let directory = TempDir::new().unwrap();
    let dialect = file(&directory, "dialect.json", "\u{feff}{\"ids\": \"integer\"}");
    let fault = file(
        &directory,
        "fault.json",
        "\u{feff}{\"fault\": {\"status\": {\"status\": 503}}}",
    );
    let serving = serve(&["--dialect", &dialect, "--fault", &fault]);
    let response = serving.read("/dialect");
    assert_eq!(response["ids"], "integer");
    assert_eq!(serving.request("GET /me").send().status, 503);
}

#[test]
fn sends_webhooks_to_the_given_url() {
    check_webhooks("whsec_test\n");
    check_webhooks("\u{feff}whsec_test\r\n");
}

#[track_caller]
fn check_webhooks(secret: &str) {
    let directory = TempDir::new().unwrap();
    let secret = file(&directory, "secret", secret);
    let url = "http://127.0.0.1:9/hooks";
    let serving = serve(&["--webhook-url", url, "--webhook-secret-file", &secret]);
    let line = "GET /worlds/default/webhook";
    let response = serving.order(200, line, Value::Null);
    assert_eq!(
        (&response["receiver"], &response["active"]),
        (&json!(url), &json!(true))
    );
    // The built-in receiver keeps the secret of the file, without the line break.
    let receiver = json!({"script": "200"});
    serving.order(200, "PUT /worlds/default/webhook", receiver);
    let event = json!({"kind": "follow.created", "body": "\u{ff}"});
    let delivery = serving.order(200, "POST /worlds/default/webhook/emit", event);
    // Computed with `openssl dgst -sha256 -hmac whsec_test`.
    assert_eq!(
        delivery["signature"],
        "sha256=bf89caa5c551b9c9d03b939f456e136cc4f6042d86ab14b33a18fedddcb5e96f"
    );
    serving.order(204, "POST /worlds/default/reset", Value::Null);
    assert_eq!(serving.order(200, line, Value::Null), response);
}

#[test]
fn reports_invalid_webhook_options() {
    let directory = TempDir::new().unwrap();
    let webhook = |file: &str| {
        let url = "http://127.0.0.1:9/hooks";
        fail(&["--webhook-url", url, "--webhook-secret-file", file])
    };
    let empty = file(&directory, "empty", "\n");
    let expected = format!(
        "mock-server: invalid webhook secret file {empty}: the webhook secret is empty; \
         expected at least 1 byte\n"
    );
    assert_eq!(webhook(&empty), (Some(1), expected));
    let utf_16 = directory.path().join("utf_16").display().to_string();
    std::fs::write(&utf_16, b"\xff\xfes\0").unwrap();
    let expected = format!(
        "mock-server: cannot read the webhook secret file {utf_16}: it is UTF-16; expected UTF-8\n"
    );
    assert_eq!(webhook(&utf_16), (Some(1), expected));
    let missing = directory.path().join("missing").display().to_string();
    let expected = format!(
        "mock-server: cannot read the webhook secret file {missing}: No such file or directory \
         (os error 2)\n"
    );
    assert_eq!(webhook(&missing), (Some(1), expected));
    for alone in [
        ["--webhook-url", "http://127.0.0.1:9/hooks"],
        ["--webhook-secret-file", "secret"],
    ] {
        let (code, stderr) = fail(&alone);
        assert_eq!(code, Some(2));
        assert!(
            stderr.starts_with("error: the following required arguments were not provided"),
            "{stderr}"
        );
    }
    let invalid = [
        "hooks",
        "ftp://ada:hush@host",
        "http://ada:hush@host:99999",
        "ada:hush@host",
    ];
    for url in invalid {
        let (code, stderr) = fail(&["--webhook-url", url, "--webhook-secret-file", "secret"]);
        assert_eq!(code, Some(2), "{stderr}");
        assert!(!stderr.contains("hush"), "{stderr}");
    }
}

#[test]
fn command_line_takes_precedence_over_the_state_file() {
    let directory = TempDir::new().unwrap();
    let state = directory.path().join("state.json").display().to_string();
    let begin = |arguments: &[&str]| serve(&[&["--state", &state], arguments].concat());
    let dialect = |serving: &Serving| serving.read("/dialect");
    assert_eq!(
        dialect(&begin(&["--dialect", "minimal"])),
        json!(Dialect::minimal())
    );
    assert_eq!(dialect(&begin(&[])), json!(Dialect::minimal()));
    let maximal = begin(&["--dialect", "maximal"]);
    assert_eq!(dialect(&maximal), json!(Dialect::maximal()));
    let warning = "mock-server: --dialect replaces the dialect of the state file\n";
    let (_, stderr) = maximal.stop(Signal::TERM);
    assert!(stderr.starts_with(warning), "{stderr}");
    let (_, stderr) = begin(&["--dialect", "maximal"]).stop(Signal::TERM);
    assert!(!stderr.contains("--dialect"), "{stderr}");
}

#[test]
fn reports_a_created_directory() {
    let directory = TempDir::new().unwrap();
    let made = directory.path().join("profile");
    let state = made.join("state.json").display().to_string();
    let warning = format!("mock-server: created the directory {}\n", made.display());
    for is_reported in [true, false] {
        let (_, stderr) = serve(&["--state", &state]).stop(Signal::TERM);
        assert_eq!(stderr.starts_with(&warning), is_reported, "{stderr}");
    }
}

#[test]
fn can_start_with_a_state_from_the_control_api() {
    let directory = TempDir::new().unwrap();
    let serving = serve(&["--seed", "7", "--dialect", "maximal"]);
    serving
        .request("POST /me/posts")
        .json(json!({"body": "Kept"}))
        .data(201);
    let line = "GET /worlds/default/state";
    let shown = serving.control(line).send().body;
    let path = file(&directory, "state.json", &shown);

    let again = serve(&["--state", &path]);
    assert_eq!(again.key("all"), serving.key("all"));
    assert_eq!(again.control(line).send().body, shown);
    let post = again
        .request("POST /me/posts")
        .json(json!({"body": "Next"}))
        .data(201);
    assert_eq!(post["id"], "post_7");
    let third = serve(&["--state", &path]);
    let me = third.request("GET /me").data(200);
    assert_eq!(me["posts"][1]["body"], "Kept");
    assert_eq!(me["posts"][2]["body"], "Next");
}

#[test]
fn reports_a_damaged_state_file_and_keeps_it() {
    let directory = TempDir::new().unwrap();
    let mut invalid = World::default();
    invalid.account_mut("demo").unwrap().links[0].url = "/demo".to_owned();
    for (content, problem) in [
        (
            "damaged".to_owned(),
            "not valid JSON: expected value at line 1 column 1",
        ),
        (
            json!(invalid).to_string(),
            "accounts.demo.links[0].url: url is not an absolute URL: relative URL without a base; \
             expected a URL such as https://example.com",
        ),
    ] {
        let path = file(&directory, "state.json", &content);
        let message = format!(
            "mock-server: the state file {path} is damaged: {problem}; fix it, or delete it to \
             start over\n"
        );
        assert_eq!(fail(&["--state", &path]), (Some(1), message));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), content);
    }
}

#[test]
fn reset_restores_the_state_file_as_of_the_start() {
    let directory = TempDir::new().unwrap();
    let mut world = World::new(7);
    world.add_post("demo", "From the fixture").unwrap();
    let path = file(
        &directory,
        "state.json",
        &serde_json::to_string(&world).unwrap(),
    );
    let serving = serve(&["--state", &path, "--dialect", "maximal"]);
    serving
        .request("POST /me/posts")
        .json(json!({"body": "Later"}))
        .data(201);
    serving.order(204, "POST /worlds/default/reset", Value::Null);
    world.set_dialect(Dialect::maximal());
    let state = serving.read("/state");
    assert_eq!(state, json!(world));
}

#[test]
fn an_invalid_argument_is_a_usage_error() {
    let (code, stderr) = fail(&["--seed", "many"]);
    assert_eq!(code, Some(2));
    assert!(
        stderr.starts_with("error: invalid value 'many' for '--seed <N>'"),
        "{stderr}"
    );
}

/// Writes a file and returns its path.
fn file(directory: &TempDir, name: &str, text: &str) -> String {
    let path = directory.path().join(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn applies_the_rules_of_a_fault_file() {
    let directory = TempDir::new().unwrap();
    let rules = r#"[
        {"match": {"path": "/api/v1/badges"}, "times": 1, "fault": {"status": {"status": 503}}},
        {"match": {"path": "/api/v1/stats"}, "fault": {"wire": "reset"}}
    ]"#;
    let serving = serve(&["--fault", &file(&directory, "faults.json", rules)]);
    let world = serving.order(201, "POST /worlds", json!({}));
    for key in [serving.key("all"), world["keys"]["all"].as_str().unwrap()] {
        assert_eq!(serving.request("GET /badges").key(key).send().status, 503);
        assert_eq!(serving.request("GET /badges").key(key).send().status, 200);
    }
    let mut stream = TcpStream::connect(serving.address()).unwrap();
    write!(stream, "GET /api/v1/stats HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    let error = stream.read(&mut [0; 1]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionReset);
}

#[test]
fn reports_an_invalid_fault_file() {
    let directory = TempDir::new().unwrap();
    for (text, message) in [
        (
            "{",
            "not valid JSON: EOF while parsing an object at line 1 column 1",
        ),
        (
            r#"[{"fault": "empty_body"}, {"fault": {"status": {"status": 99}}}]"#,
            "rule 2: the status is 99; expected 200 to 999 for this fault",
        ),
    ] {
        let path = file(&directory, "faults.json", text);
        let expected = format!("mock-server: invalid fault file {path}: {message}\n");
        assert_eq!(fail(&["--fault", &path]), (Some(1), expected));
    }
    assert_eq!(
        fail(&["--fault", "/nowhere/faults.json"]),
        (
            Some(1),
            "mock-server: cannot read the fault file /nowhere/faults.json: \
             No such file or directory (os error 2)\n"
                .to_owned()
        )
    );
}

#[test]
fn logs_requests_without_keys() {
    let directory = TempDir::new().unwrap();
    let rule = r#"{"match": {"path": "/api/v1/stats"}, "fault": {"wire": "close"}}"#;
    let serving = serve(&["--log", "--fault", &file(&directory, "faults.json", rule)]);
    serving
        .request("GET /me?a=b")
        .key(serving.key("links"))
        .send();
    serving.request("GET /badges").without_key().send();
    serving.request("GET /me").key("canary").send();
    let other = serving.order(201, "POST /worlds", json!({}));
    let key = other["keys"]["social"].as_str().unwrap();
    serving.request("GET /me").key(key).send();
    let misplaced = format!("GET /users/{0}/stats?key={0}", serving.key("all"));
    serving.request(&misplaced).without_key().send();
    let mut stream = TcpStream::connect(serving.address()).unwrap();
    write!(stream, "GET /api/v1/stats HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    assert_eq!(stream.read(&mut [0; 1]).unwrap(), 0);
    // Bytes that control a terminal.
    let mut stream = TcpStream::connect(serving.address()).unwrap();
    write!(
        stream,
        "GET /\u{9b}2J HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    )
    .unwrap();
    stream.read_to_end(&mut Vec::new()).unwrap();
    let unavailable = json!({"fault": {"status": {"status": 503}}});
    serving.order(201, "POST /worlds/default/faults", unavailable);
    serving.request("GET /badges").without_key().send();
    let (code, stderr) = serving.stop(Signal::TERM);
    let log: Vec<_> = stderr.lines().skip(3).collect();
    assert_eq!(
        log,
        [
            "GET /api/v1/me?a=b (links) 200",
            "GET /api/v1/badges (without key) 200",
            "GET /api/v1/me (with a key) 401",
            "GET /api/v1/me (social) 200",
            "GET /api/v1/users/mock_all_…/stats?key=mock_all_… (without key) 401",
            "GET /api/v1/stats (without key) no response (close)",
            "GET /\\u009b2J (without key) 404",
            "GET /api/v1/badges (without key) 503 (status)",
        ]
    );
    assert_eq!(code, Some(0));
}

#[test]
fn finishes_requests_before_it_exits() {
    let mut serving = serve(&[]);
    let rule = json!({"fault": {"delay": {"milliseconds": 300}}, "times": 1});
    serving.order(201, "POST /worlds/default/faults", rule);
    let mut idle = TcpStream::connect(serving.address()).unwrap();
    let mut busy = TcpStream::connect(serving.address()).unwrap();
    write!(busy, "GET /api/v1/badges HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    while serving.read("/faults")[0]["applied"] == 0 {
        thread::yield_now();
    }
    serving.signal(Signal::TERM);
    let mut answer = String::new();
    busy.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert_eq!(idle.read(&mut [0; 1]).unwrap(), 0);
    assert_eq!(serving.end().0, Some(0));
}

#[test]
fn shutdown_ends_a_stalled_response() {
    let serving = serve(&[]);
    let rule = json!({"fault": {"wire": {"stall": {"after": 0}}}});
    serving.order(201, "POST /worlds/default/faults", rule);
    let mut stream = TcpStream::connect(serving.address()).unwrap();
    write!(stream, "GET /api/v1/badges HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    assert_eq!(stream.read(&mut [0; 8]).unwrap(), 8);
    assert_eq!(serving.stop(Signal::TERM).0, Some(0));
}

#[test]
fn survives_exhaustion_of_file_descriptors() {
    let mut shell = child::command("sh");
    let path = program(&[]).get_program().to_owned();
    shell.args(["-c", "ulimit -n 32; exec \"$0\""]).arg(path);
    let serving = start(shell);
    let connect = |_| TcpStream::connect(serving.address()).unwrap();
    let many: Vec<_> = (0..64).map(connect).collect();
    // The last connection gets a response as soon as others are closed.
    let mut last = connect(0);
    write!(last, "GET /api/v1/badges HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    last.set_read_timeout(Some(Duration::from_millis(100)))
        .unwrap();
    assert!(last.read(&mut [0; 1]).is_err(), "the limit was not reached");
    drop(many);
    last.set_read_timeout(Some(Duration::from_secs(10)))
        .unwrap();
    let mut status = [0; 12];
    last.read_exact(&mut status).unwrap();
    assert_eq!(&status, b"HTTP/1.1 200");
}

#[test]
fn does_not_normalize_paths() {
    let serving = serve(&[]);
    serving.request("GET /users/%2e%2e/stats").assert_rejected(
        404,
        "unknown_handle",
        "no profile has the handle ..",
    );
    serving.request("GET /users/../stats").assert_rejected(
        404,
        "unknown_handle",
        "no profile has the handle ..",
    );
}

#[test]
fn rejects_large_bodies_and_does_not_record_them() {
    const LIMIT: usize = 1024 * 1024;
    let serving = serve(&[]);
    let too_large = |length: usize| {
        let message = format!("the body has {length} bytes; at most {LIMIT} are allowed");
        serving
            .request("POST /me/posts")
            .header("Content-Type", "application/json")
            .body(vec![b'x'; length])
            .assert_rejected(413, "body_too_large", &message)
    };
    too_large(LIMIT + 1);
    let violations = serving.read("/violations");
    assert_eq!(violations, json!([]));
    let before = memory(&serving);
    too_large(64 * LIMIT);
    let grown = memory(&serving).saturating_sub(before);
    assert!(grown < 16 * 1024, "{grown} KiB more");
}

/// Returns the peak memory usage of the program, in KiB.
fn memory(serving: &Serving) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", serving.id())).unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM"))
        .unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn rejects_large_bodies_before_100_continue() {
    let serving = serve(&[]);
    let mut stream = TcpStream::connect(serving.address()).unwrap();
    write!(
        stream,
        "POST /api/v1/me/posts HTTP/1.1\r\nHost: x\r\nContent-Length: 9000000\r\n\
         Expect: 100-continue\r\n\r\n"
    )
    .unwrap();
    let mut status = [0; 12];
    stream.read_exact(&mut status).unwrap();
    assert_eq!(&status, b"HTTP/1.1 413");
}

#[test]
fn slow_clients_do_not_block_others() {
    let serving = serve(&[]);
    let slow = send_incomplete_requests(&serving);
    serving.request("GET /me").data(200);
    drop(slow);
}

/// Opens two connections: one sends a part of a head, one a head and a part of the body.
#[track_caller]
fn send_incomplete_requests(serving: &Serving) -> [TcpStream; 2] {
    [
        "GET /api",
        "POST /api/v1/me/posts HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{",
    ]
    .map(|start| {
        let mut stream = TcpStream::connect(serving.address()).unwrap();
        stream.write_all(start.as_bytes()).unwrap();
        stream
    })
}

#[test]
fn reports_an_ignored_seed() {
    let directory = TempDir::new().unwrap();
    let state = directory.path().join("state.json");
    let state = state.to_str().unwrap();
    let stderr = |seed| {
        serve(&["--state", state, "--seed", seed])
            .stop(Signal::TERM)
            .1
    };
    assert!(!stderr("7").contains("--seed"));
    assert!(!stderr("7").contains("--seed"));
    assert!(stderr("8").contains("--seed 8 is ignored: the state file has its own seed"));
}

#[test]
fn responds_to_large_bodies_before_they_end() {
    let serving = serve(&[]);
    for framing in ["Content-Length: 9000000", "Transfer-Encoding: chunked"] {
        let mut stream = TcpStream::connect(serving.address()).unwrap();
        let head = format!("POST /api/v1/me/posts HTTP/1.1\r\nHost: x\r\n{framing}\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        if framing.starts_with("Transfer") {
            stream.write_all(b"100001\r\n").unwrap();
            stream.write_all(&vec![b' '; 0x10_0001]).unwrap();
        }
        let mut status = [0; 12];
        stream.read_exact(&mut status).unwrap();
        assert_eq!(&status, b"HTTP/1.1 413", "{framing}");
    }
}

#[test]
fn a_blocked_log_does_not_delay_responses() {
    let serving = serve(&["--log"]);
    // A pipe holds 64 KiB, and each request logs 40 bytes.
    let stream = TcpStream::connect(serving.address()).unwrap();
    let requests = "GET /api/v1/badges HTTP/1.1\r\nHost: x\r\n\r\n".repeat(2_999)
        + "GET /api/v1/badges HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    thread::scope(|scope| {
        scope.spawn(|| (&stream).write_all(requests.as_bytes()).unwrap());
        (&stream).read_to_end(&mut Vec::new()).unwrap();
    });
    let (code, _) = serving.stop(Signal::TERM);
    assert_eq!(code, Some(0));
}

#[test]
fn waiting_requests_do_not_delay_the_exit() {
    let serving = serve(&[]);
    let delay = json!({"fault": {"delay": {"milliseconds": 60_000}}});
    serving.order(201, "POST /worlds/default/faults", delay);
    let delayed = serving.request("GET /me").begin();
    let halves = send_incomplete_requests(&serving);
    let line = "GET /worlds/default/faults";
    while serving.order(200, line, Value::Null)[0]["applied"] != 1 {}
    assert_eq!(serving.stop(Signal::TERM).0, Some(0));
    // A request that delays the shutdown is dropped without a response.
    assert_eq!(delayed.finish().status, 200);
    for mut half in halves {
        assert_eq!(half.read(&mut [0; 1]).unwrap_or(0), 0);
    }
}

#[test]
fn a_second_signal_ends_the_program_immediately() {
    let (mut earlier, mut serving) = (serve(&[]), serve(&[]));
    let unread = [&earlier, &serving].map(request_without_reading);
    earlier.signal(Signal::TERM);
    serving.signal(Signal::TERM);
    // The program has handled the first signal when it accepts no more connections.
    while TcpStream::connect(serving.address()).is_ok() {}
    serving.signal(Signal::INT);
    assert_eq!(serving.end().0, Some(0));
    // After the first signal, the program still waits for its client.
    assert!(earlier.is_running());
    drop(unread);
    assert_eq!(earlier.end().0, Some(0));
}

#[test]
fn the_lock_of_a_state_file_does_not_delay_a_second_signal() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("state.json");
    let arguments = ["--state", path.to_str().unwrap()];
    let mut serving = serve(&arguments);
    let lock = File::open(directory.path().join("state.json.lock")).unwrap();
    lock.lock().unwrap();
    let _blocked = serving.request("GET /me").begin();
    for _ in 0..2 {
        serving.signal(Signal::TERM);
        // The program has handled the first signal when it accepts no more connections.
        while TcpStream::connect(serving.address()).is_ok() {}
    }
    assert_eq!(serving.end().0, Some(0));
}

#[cfg(target_os = "linux")]
#[test]
fn huge_bodies_take_little_memory() {
    let serving = serve(&[]);
    let huge = json!({"fault": {"huge_body": {"bytes": 134_217_728}}});
    serving.order(201, "POST /worlds/default/faults", huge);
    let address = serving.address();
    let unread = [(); 6].map(|()| request_unread(address));
    let status = std::fs::read_to_string(format!("/proc/{}/status", serving.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes: u64 = peak
        .unwrap()
        .trim()
        .trim_end_matches(" kB")
        .parse()
        .unwrap();
    assert!(kilobytes < 128 * 1024, "{kilobytes}");
    drop(unread);
}

fn request_unread(address: SocketAddr) -> TcpStream {
    let mut unread = TcpStream::connect(address).unwrap();
    write!(unread, "GET /api/v1/badges HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    unread.peek(&mut [0; 1]).unwrap();
    unread
}

/// Requests a response that is larger than all buffers.
#[track_caller]
fn request_without_reading(serving: &Serving) -> TcpStream {
    let large = json!({"fault": {"huge_body": {"bytes": 15_000_000}}});
    serving.order(201, "POST /worlds/default/faults", large);
    request_unread(serving.address())
}
