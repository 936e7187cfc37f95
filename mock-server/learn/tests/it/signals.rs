//! The end of the program by a signal.

use std::io::Read;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use mock_server::journal::RequestPattern;
use mock_server::{Fault, FaultRule, MockServer};
use rustix::process::Signal;

use crate::child;
use crate::dialects::program;
use crate::for_each;
use crate::request::request;

/// Starts a run that stops for a second after its first write, sends it signals, and returns its exit code and
/// stderr. The command gets the program and its arguments.
fn interrupt(command: &[&str], signals: &[Signal]) -> (Option<i32>, String) {
    let server = MockServer::start_blocking();
    let read = || request(&server, "GET /me").data(200);
    let before = read();
    // The first edit of the link takes so long that the signal comes first.
    let edits = RequestPattern::any().method("PATCH").path("/me/links/{id}");
    let rule = FaultRule::new(Fault::delay(Duration::from_millis(1_000)))
        .matching(edits)
        .times(1);
    server.add_fault(rule).unwrap();
    let program = program(server.uri());
    let mut child = child::command(command.first().map_or(program.get_program(), AsRef::as_ref))
        .args(command.iter().skip(1))
        .args((!command.is_empty()).then(|| program.get_program()))
        .args(program.get_args())
        .args(["--allow-writes", "--yes"])
        .env("PROFILE_API_KEY", server.key())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while read() == before {
        thread::yield_now();
    }
    for signal in signals {
        child::send(*signal, child.id());
    }
    let code = child.wait().unwrap().code();
    let mut stderr = String::new();
    let mut pipe = child.stderr.take().unwrap();
    pipe.read_to_string(&mut stderr).unwrap();
    assert_eq!(read(), before, "{signals:?}: {stderr}");
    (code, stderr)
}

#[test]
fn a_signal_deletes_what_was_created() {
    // A closed terminal sends SIGHUP twice.
    let cases: [(&[Signal], i32); 5] = [
        (&[Signal::INT], 130),
        (&[Signal::TERM], 143),
        (&[Signal::QUIT], 131),
        (&[Signal::HUP], 129),
        (&[Signal::HUP, Signal::HUP], 129),
    ];
    for_each(&cases, |(signals, expected)| {
        let (code, stderr) = interrupt(&[], signals);
        assert_eq!(code, Some(*expected), "{signals:?}: {stderr}");
        let ending = "mock-server-learn: interrupted; deleting what was created\nmock-server-learn: interrupted\n";
        assert!(stderr.ends_with(ending), "{signals:?}: {stderr}");
    });
}

/// Before the program catches signals.
#[cfg(target_os = "linux")]
#[test]
fn signals_end_process_1() {
    let directory = tempfile::TempDir::new().unwrap();
    let path = directory.path().join("pipe");
    let made = child::command("mkfifo").arg(&path).status();
    assert!(made.unwrap().success());
    for (signal, code) in [
        (Signal::HUP, 129),
        (Signal::INT, 130),
        (Signal::QUIT, 131),
        (Signal::TERM, 143),
    ] {
        let mut learn = program("http://127.0.0.1:9");
        learn.arg("--key-file").arg(&path);
        let ended = child::end_process_1(&learn, &path, signal);
        assert_eq!(or_skip!(ended), Some(code));
    }
}

/// A core file would have the key.
#[cfg(target_os = "linux")]
#[test]
fn leaves_no_core_file() {
    use std::os::unix::process::ExitStatusExt;
    let directory = tempfile::TempDir::new().unwrap();
    let path = directory.path().join("pipe");
    let made = child::command("mkfifo").arg(&path).status();
    assert!(made.unwrap().success());
    let learn = program("http://127.0.0.1:9");
    let mut child = child::command("sh")
        .args([
            "-c",
            "ulimit -c unlimited; exec \"$0\" \"$@\" --key-file pipe",
        ])
        .arg(learn.get_program())
        .args(learn.get_args())
        .current_dir(&directory)
        .spawn()
        .unwrap();
    let _writer = std::fs::File::options().write(true).open(&path).unwrap();
    child::send(Signal::QUIT, child.id());
    let ended = child.wait().unwrap();
    assert_eq!((ended.signal(), ended.core_dumped()), (Some(3), false));
}

#[test]
fn signals_that_were_ignored_at_the_start_stay_ignored() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let ignoring = ["sh", "-c", "trap '' HUP INT QUIT TERM; exec \"$0\" \"$@\""];
    let signals = [Signal::HUP, Signal::INT, Signal::QUIT, Signal::TERM];
    let (code, stderr) = interrupt(&ignoring, &signals);
    assert_eq!(code, Some(0), "{stderr}");
    assert_eq!(stderr.matches("interrupted").count(), 0, "{stderr}");
}
