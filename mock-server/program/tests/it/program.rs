//! The program `mock-server`, as a child process.

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
#[cfg(unix)]
use std::time::Duration;

use mock_server::Dialect;
#[cfg(unix)]
use rustix::process::Signal;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::child;
use crate::serving::{Serving, fail, file, serve};
#[cfg(unix)]
use crate::serving::{program, request_unread, start};

#[test]
fn prints_one_line_of_json_and_serves_until_a_signal() {
    #[cfg(unix)]
    let stops = [Signal::TERM, Signal::INT, Signal::HUP, Signal::QUIT]
        .map(|signal| move |serving: Serving| serving.stop(signal));
    #[cfg(not(unix))]
    let stops = [|serving: Serving| (Some(0), serving.stderr())];
    for stop in stops {
        let serving = serve(&[]);
        let url = serving.url().to_owned();
        let keys = serde_json::to_value(mock_server::World::default().keys()).unwrap();
        let ready = json!({"url": url, "keys": keys, "control": format!("{url}/_mock/v1")});
        assert_eq!(serving.ready, ready);
        assert_eq!(serving.request("GET /me").data(200)["handle"], "demo");
        let edit = serving
            .request("PATCH /me/profile")
            .key(serving.key("links"));
        let message = "the key lacks the scope profile:write";
        edit.assert_rejected(403, "scope_missing", message);

        let key = serving.key("all").to_owned();
        let hint = format!(
            "mock-server: serving on {url} until Ctrl-C. Try:\n  \
             curl -H \"Authorization: Bearer {key}\" {url}/api/v1/me\n\
             Open {url}/ in a browser to see requests\n"
        );
        assert_eq!(stop(serving), (Some(0), hint));
    }
}

#[test]
fn reports_a_port_in_use() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = listener.local_addr().unwrap().to_string();
    let reason = TcpListener::bind(&taken).unwrap_err();
    let message = format!("cannot listen on {taken}: {reason}; choose another address with --addr");
    failure(&["--addr", &taken], &message);
}

/// Checks the error of a start that fails.
#[track_caller]
fn failure(arguments: &[&str], message: &str) {
    let expected = format!("mock-server: {message}\n");
    assert_eq!(fail(arguments), (Some(1), expected));
}

#[test]
fn an_invalid_argument_is_a_usage_error() {
    let expected = "invalid digit found in string";
    usage_error("--seed <N>", &["--seed", "many"], "many", expected);
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
    let limit = fs::read_to_string("/proc/sys/net/core/somaxconn").unwrap();
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
pub(crate) fn run_isolated(hosts: &str, script: &str) -> Option<String> {
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
    let mut tried = child::command("unshare");
    let tried = tried.args(unshare).args(["ip", "link"]).output();
    if !tried.is_ok_and(|tried| tried.status.success()) {
        return child::skip("needs namespaces; install util-linux and iproute2");
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
fn a_free_port_is_free_at_all_addresses_of_a_name() {
    let script = r#"
        ports=/proc/sys/net/ipv4/ip_local_port_range
        for port in 9000 9001 9002 9003; do serve --addr 127.0.0.2:$port; done
        for start in 1 2 3 4; do
            echo 9000 9007 > $ports
            serve --addr two:0
            # curl needs ports too.
            echo 32768 60999 > $ports
            port=${line#*127.0.0.1:}
            port=${port%%\"*}
            for address in 127.0.0.1 127.0.0.2; do
                curl --silent --show-error --fail --output answer "http://$address:$port/api/v1/stats"
            done
            test $port -gt 9003
            kill $!; wait $!
        done
    "#;
    run_isolated("127.0.0.1 two\n127.0.0.2 two\n127.0.0.1 two\n", script);
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

#[test]
fn health_reports_if_a_server_accepts_connections() {
    let serving = serve(&[]);
    let addr = serving.url().strip_prefix("http://").unwrap().to_owned();
    assert_eq!(fail(&["health", &addr]), (Some(0), String::new()));
    drop(serving);
    let message = format!("no server accepts connections at {addr}: connection refused");
    failure(&["health", &addr], &message);
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
    // What messages show of each text is in the table.
    let texts = include_str!("../../../tests/shared/urls.tsv").lines();
    let texts = texts.filter_map(|row| Some(row.split_once('\t')?.0));
    let texts = texts.filter(|text| text.contains("PASS") || text.contains("TOKEN"));
    for text in texts.chain(["https://u:PASS W@host/", "https://u:PASS//x@y@host/"]) {
        for option in [
            "--webhook-url",
            "--dialect",
            "--allow-host",
            "--cors",
            "--addr",
            "--seed",
            "--unknown",
        ] {
            let joined = format!("{option}={text}");
            let secret_file = ["--webhook-secret-file", "/nowhere"];
            for arguments in [&[option, text][..], &[&joined], &[text]] {
                let (_, stderr) = fail(&[arguments, &secret_file].concat());
                let is_hidden = !stderr.contains("PASS") && !stderr.contains("TOKEN");
                assert!(is_hidden, "{arguments:?}: {stderr}");
            }
        }
    }
    for arguments in [
        &["run", "--", "https://u:PW@host/"][..],
        &["matrix", "--only", "https://u:PW@host/", "--", "true"],
        &["health", "u:PW@host:1"],
    ] {
        let (_, stderr) = fail(arguments);
        let is_hidden = stderr.contains("***@host") && !stderr.contains("PW");
        assert!(is_hidden, "{arguments:?}: {stderr}");
    }
}

#[test]
fn usage_errors_are_visible() {
    child::usage_errors_are_visible(&["--seed", "--addr", "run"], |arguments| fail(arguments).1);
}

#[test]
fn prints_a_working_url_for_wildcard_addresses() {
    let serving = serve(&["--addr", "0.0.0.0:0"]);
    assert!(serving.url().starts_with("http://127.0.0.1:"));
    serving.request("GET /me").data(200);
    let port = serving.address().port();
    let stderr = serving.stderr();
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
        let message = format!("invalid dialect file {path}: {message}");
        failure(&["--dialect", &path], &message);
    }
}

#[test]
fn sends_webhooks_to_the_given_url() {
    let directory = TempDir::new().unwrap();
    let secret = file(&directory, "secret", "whsec_test\n");
    let url = "http://127.0.0.1:9/hooks";
    let serving = serve(&["--webhook-url", url, "--webhook-secret-file", &secret]);
    let response = serving.read("/webhook");
    assert_eq!(response["receiver"], url);
    assert_eq!(response["active"], true);
    // The built-in receiver keeps the secret of the file, without the line break.
    let receiver = json!({"script": "200"});
    serving.order(200, "PUT /worlds/default/webhook", receiver);
    let event = json!({"kind": "follow.created", "body": "\u{ff}"});
    let delivery = serving.order(200, "POST /worlds/default/webhook/emit", event);
    // Computed with `openssl dgst -sha256 -hmac whsec_test`.
    let expected = "sha256=bf89caa5c551b9c9d03b939f456e136cc4f6042d86ab14b33a18fedddcb5e96f";
    assert_eq!(delivery["signature"], expected);
    serving.order(204, "POST /worlds/default/reset", Value::Null);
    assert_eq!(serving.read("/webhook"), response);
}

#[test]
fn reports_invalid_webhook_options() {
    let directory = TempDir::new().unwrap();
    let empty = file(&directory, "empty", "\n");
    let reason = fs::read("/nowhere/secret").unwrap_err();
    for (file, message) in [
        (
            &*empty,
            format!(
                "cannot read the webhook secret file {empty}: it is empty; expected at least 1 byte"
            ),
        ),
        (
            "/nowhere/secret",
            format!("cannot read the webhook secret file /nowhere/secret: {reason}"),
        ),
    ] {
        let url = "--webhook-url=http://127.0.0.1:9/hooks";
        failure(&[url, "--webhook-secret-file", file], &message);
    }
    for alone in [
        "--webhook-url=http://127.0.0.1:9/hooks",
        "--webhook-secret-file=secret",
    ] {
        let (code, stderr) = fail(&[alone]);
        assert_eq!(code, Some(2));
        let message = "error: the following required arguments were not provided";
        assert!(stderr.starts_with(message), "{stderr}");
    }
    let (code, stderr) = fail(&["--webhook-url", "hooks", "--webhook-secret-file", "secret"]);
    assert_eq!(code, Some(2), "{stderr}");
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
    let error = serde_json::from_str::<Value>("{").unwrap_err();
    let error = format!("not valid JSON: {error}");
    for (text, message) in [
        ("{", error.as_str()),
        (
            r#"[{"fault": "empty_body"}, {"fault": {"status": {"status": 99}}}]"#,
            "rule 2: the status is 99; expected 200 to 999 for this fault",
        ),
    ] {
        let path = file(&directory, "faults.json", text);
        let message = format!("invalid fault file {path}: {message}");
        failure(&["--fault", &path], &message);
    }
    let reason = fs::read("/nowhere/faults.json").unwrap_err();
    let message = format!("cannot read the fault file /nowhere/faults.json: {reason}");
    failure(&["--fault", "/nowhere/faults.json"], &message);
}

#[cfg(unix)]
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
    let set_timeout = |milliseconds| {
        let timeout = Duration::from_millis(milliseconds);
        last.set_read_timeout(Some(timeout)).unwrap();
    };
    set_timeout(100);
    assert!(
        (&last).read(&mut [0; 1]).is_err(),
        "the limit was not reached"
    );
    drop(many);
    set_timeout(10_000);
    let mut status = [0; 12];
    last.read_exact(&mut status).unwrap();
    assert_eq!(&status, b"HTTP/1.1 200");
}

#[test]
fn rejects_large_bodies_and_does_not_record_them() {
    const LIMIT: usize = 1024 * 1024;
    let serving = serve(&[]);
    let too_large = |length: usize| {
        let message = format!("the body has {length} bytes; at most {LIMIT} are allowed");
        let post = serving
            .request("POST /me/posts")
            .header("Content-Type", "application/json");
        let post = post.body(vec![b'x'; length]);
        post.assert_rejected(413, "body_too_large", &message)
    };
    too_large(LIMIT + 1);
    #[cfg(unix)]
    let before = child::peak_memory(serving.id());
    too_large(64 * LIMIT);
    #[cfg(unix)]
    {
        let grown = child::peak_memory(serving.id()).saturating_sub(before);
        assert!(grown < 16 * 1024, "{grown} KiB more");
    }
}

#[test]
fn reports_an_ignored_seed() {
    let directory = TempDir::new().unwrap();
    let state = directory.path().join("state.json");
    let state = state.to_str().unwrap();
    let stderr = |seed| serve(&["--state", state, "--seed", seed]).stderr();
    assert!(!stderr("7").contains("--seed"));
    assert!(!stderr("7").contains("--seed"));
    assert!(stderr("8").contains("--seed 8 is ignored: the state file has its own seed"));
}

#[test]
fn responds_to_large_bodies_before_they_end() {
    let serving = serve(&[]);
    for framing in [
        "Content-Length: 9000000",
        "Content-Length: 9000000\r\nExpect: 100-continue",
        "Transfer-Encoding: chunked",
    ] {
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

#[cfg(target_os = "linux")]
#[test]
fn huge_bodies_take_little_memory() {
    let serving = serve(&[]);
    let huge = json!({"fault": {"huge_body": {"bytes": 134_217_728}}});
    serving.order(201, "POST /worlds/default/faults", huge);
    let address = serving.address();
    let unread = [(); 6].map(|()| request_unread(address));
    let kilobytes = child::peak_memory(serving.id());
    assert!(kilobytes < 128 * 1024, "{kilobytes}");
    drop(unread);
}
