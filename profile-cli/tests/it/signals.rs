//! Signals: those that were ignored at the start, and those that arrive while a change is being sent.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

use mock_server::journal::RequestPattern;
use mock_server::{Fault, FaultRule};

use crate::program::{Fixture, Program, Running, Signal, home};

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
    let (mut stream, _) = service.accept().unwrap();
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

#[cfg(all(target_os = "linux", feature = "webhook"))]
#[test]
fn listen_goes_on_after_ignored_signals() {
    use crate::webhook::{BODY, SECRET, SIGNATURE, listener::deliver};
    let home = home();
    let mut running = start_ignoring("INT TERM", &home, "webhook listen --max 1")
        .env("PROFILE_WEBHOOK_SECRET", SECRET)
        .start();
    let line = running.stderr_line();
    let url = line.strip_prefix("listening on ").unwrap();
    running.signal(Signal::INT);
    running.signal(Signal::TERM);
    let delivered = deliver(url, "post.liked", SIGNATURE, BODY.as_bytes());
    assert_eq!(delivered, 204);
    let run = running.end();
    assert_eq!(run.code(), 0, "{run}");
}

#[test]
fn each_signal_reports_the_change_that_it_interrupts() {
    let home = home();
    for (signal, code) in [(Signal::INT, -2), (Signal::TERM, -15), (Signal::HUP, -1)] {
        let (running, _stream) = start_request("USR1", &home, "post create Hello");
        running.signal(signal);
        let run = running.end();
        assert_eq!(run.code(), code, "{run}");
        let message = "error: interrupted while a change was being sent; ";
        assert!(run.stderr().starts_with(message), "{run}");
        let (running, _stream) = start_request("USR1", &home, "post create Hello --json");
        running.signal(signal);
        let error = running.end().error();
        assert_eq!(error["exit_code"], 128 - code, "{error}");
        assert_eq!(error["outcome"], "unknown", "{error}");
    }
    // A read ends at once.
    let (running, _stream) = start_request("USR1", &home, "show");
    running.signal(Signal::TERM);
    let run = running.end();
    assert_eq!((run.code(), run.stderr().as_str()), (-15, ""), "{run}");
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
            let path = fixture.home.path().join("new.toml");
            std::fs::write(&path, "[profile]\nbio = \"b\"\n").unwrap();
            let command = command.replace("new.toml", path.to_str().unwrap());
            let rule = FaultRule::new(fault.clone());
            let writes = ["PATCH", "DELETE"].map(|method| RequestPattern::any().method(method));
            for write in writes {
                fixture
                    .service
                    .add_fault(rule.clone().matching(write))
                    .unwrap();
            }
            let command: Vec<_> = command.split(' ').chain(["--json", "-vv"]).collect();
            let mut running = fixture.program(&command).start();
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
        assert!(run.stderr().contains(text), "{run}");
    }
}
