//! Standard streams that do not block, as programs with event loops share them with their children.

use std::fs::File;
use std::io::{Read as _, Write as _, pipe};
use std::os::fd::{AsFd, OwnedFd};
use std::process::Stdio;

use mock_server::wiremock::ResponseTemplate;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::ioctl_fionread;

use crate::program::{Fixture, Program};
use crate::pseudo_terminal::Terminal;

fn do_not_block(stream: impl AsFd) {
    let flags = fcntl_getfl(&stream).unwrap();
    fcntl_setfl(&stream, flags | OFlags::NONBLOCK).unwrap();
}

/// Returns a service whose responses are larger than any buffer.
async fn fixture() -> Fixture {
    let body = format!("{{\"data\":\"{}\"}}", "x".repeat(300_000));
    Fixture::responding(ResponseTemplate::new(200).set_body_string(body)).await
}

/// Runs the program until a stream is full, and then reads it to its end.
#[track_caller]
fn run(mut program: Program, set: fn(&mut Program, Stdio)) -> String {
    let (reader, writer) = pipe().unwrap();
    do_not_block(&writer);
    let other = writer.try_clone().unwrap();
    program.command.stdin(Stdio::null()).stdout(Stdio::null());
    program.command.stderr(Stdio::null());
    set(&mut program, Stdio::from(writer));
    let mut child = program.command.spawn().unwrap();
    // The writer in this process would prevent the end of the stream.
    drop(program);
    let is_full = || {
        let mut waits = [PollFd::new(&other, PollFlags::OUT)];
        poll(&mut waits, Some(&Timespec::default())).unwrap() == 0
    };
    while !is_full() && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    drop(other);
    let mut text = String::new();
    File::from(OwnedFd::from(reader))
        .read_to_string(&mut text)
        .unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    text
}

#[tokio::test(flavor = "multi_thread")]
async fn results_and_logs_wait_for_a_slow_reader() {
    let fixture = fixture().await;
    let api = |arguments: &[&str]| fixture.program(&[&["api", "me"], arguments].concat());
    let stdout = |program: &mut Program, stream: Stdio| {
        program.command.stdout(stream);
    };
    for format in [&[][..], &["--json"], &["--jq", ".data"]] {
        let text = run(api(format), stdout);
        assert!(text.len() > 300_000, "{format:?}: {}", text.len());
    }
    let log = run(api(&["-vvv"]), |program, stream| {
        program.command.stderr(stream);
    });
    assert!(log.len() > 300_000, "{}", log.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn input_waits_for_a_slow_writer() {
    let fixture = Fixture::new().await;
    let (reader, mut writer) = pipe().unwrap();
    do_not_block(&reader);
    let rest = reader.try_clone().unwrap();
    let mut program = fixture.program(&["post", "create", "-"]);
    program
        .command
        .stdin(Stdio::from(reader))
        .stdout(Stdio::null());
    let mut child = program.command.spawn().unwrap();
    drop(program);
    writer.write_all(b"Hello, ").unwrap();
    while ioctl_fionread(&rest).unwrap() > 0 {
        std::thread::yield_now();
    }
    assert_eq!(child.try_wait().unwrap(), None);
    writer.write_all(b"world").unwrap();
    drop(writer);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let posts = fixture.run(&["post", "list"]);
    assert!(posts.stdout().contains("Hello, world"), "{posts}");
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_wait_for_an_answer() {
    let fixture = Fixture::new().await;
    let delete = fixture.program(&["link", "delete", "link_1"]);
    let mut terminal = Terminal::start_after(delete, |terminal| do_not_block(terminal));
    terminal.sees("? [y/N] ");
    terminal.types("perhaps\n");
    terminal.sees("perhaps\r\nDelete");
    terminal.types("y\n");
    terminal.sees("Deleted link");
    assert_eq!(terminal.ends().0, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_terminal_shows_a_long_result() {
    let fixture = fixture().await;
    let api = fixture.program(&["api", "me"]);
    let seen = Terminal::start_after(api, |terminal| do_not_block(terminal)).ends_with(0);
    assert!(seen.len() > 300_000, "{}", seen.len());
}
