//! A running `profile webhook listen`, and deliveries written by hand.

use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;

use super::{BODY, SECRET, SIGNATURE};
use crate::program::{Program, Run, Running};

pub(super) struct Listener {
    pub(super) running: Running,
    pub(super) url: String,
}

impl Listener {
    #[track_caller]
    pub(super) fn start(home: &Path, arguments: &[&str]) -> Self {
        Self::start_with_secret(home, SECRET, arguments)
    }

    /// Starts the program and waits until it accepts deliveries.
    #[track_caller]
    pub(super) fn start_with_secret(home: &Path, secret: &str, arguments: &[&str]) -> Self {
        let arguments = [&["webhook", "listen"], arguments].concat();
        Self::start_program(Program::new(home, &arguments).env("PROFILE_WEBHOOK_SECRET", secret))
    }

    /// Starts a program that listens.
    #[track_caller]
    pub(super) fn start_program(program: Program) -> Self {
        let mut running = program.start();
        let line = running.stderr_line();
        let url = line.strip_prefix("listening on ");
        let url = url.unwrap_or_else(|| panic!("{line}")).to_owned();
        Self { running, url }
    }

    /// Reads the next line of stdout as JSON.
    #[track_caller]
    pub(super) fn event(&mut self) -> serde_json::Value {
        serde_json::from_str(&self.running.stdout_line()).unwrap()
    }

    /// Waits until the program exits.
    #[track_caller]
    pub(super) fn end(self) -> Run {
        self.running.end()
    }

    /// Stops the program, and waits until it exits.
    #[track_caller]
    pub(super) fn stop(mut self) -> Run {
        self.running.stop();
        self.end()
    }

    /// Sends a request with these headers, and returns the response as text.
    #[track_caller]
    pub(super) fn request(&self, method: &str, headers: &[(&str, &str)], body: &[u8]) -> String {
        request(&self.url, method, headers, body)
    }

    /// Sends a delivery of this kind, and returns the status of the response.
    #[track_caller]
    pub(super) fn deliver(&self, kind: &str, signature: &str, body: &[u8]) -> u16 {
        deliver(&self.url, kind, signature, body)
    }

    /// Sends the example, and checks the status of the response.
    #[track_caller]
    pub(super) fn delivers(&self, status: u16) {
        let delivered = self.deliver("post.liked", SIGNATURE, BODY.as_bytes());
        assert_eq!(delivered, status);
    }

    /// Starts a delivery with the first bytes of a body.
    #[track_caller]
    pub(super) fn start_body(&self, length: usize, first: &[u8]) -> TcpStream {
        let mut stream = self.connect().unwrap();
        let head = format!(
            "POST / HTTP/1.1\r\nHost: x\r\nX-Service-Signature: {SIGNATURE}\r\n\
             Content-Length: {length}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(first).unwrap();
        stream
    }

    pub(super) fn connect(&self) -> io::Result<TcpStream> {
        connect(&self.url)
    }
}

/// Sends a delivery of this kind to a listener, and returns the status of the response.
#[track_caller]
pub(crate) fn deliver(url: &str, kind: &str, signature: &str, body: &[u8]) -> u16 {
    let signature = ("X-Service-Signature", signature);
    status(&request(
        url,
        "POST",
        &[("X-Service-Event", kind), signature],
        body,
    ))
}

#[track_caller]
fn request(url: &str, method: &str, headers: &[(&str, &str)], body: &[u8]) -> String {
    let mut head = format!("{method} /hooks HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
    head += &format!("Content-Length: {}\r\n", body.len());
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    let mut stream = connect(url).unwrap();
    stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
    stream.write_all(body).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn connect(url: &str) -> io::Result<TcpStream> {
    TcpStream::connect(url.strip_prefix("http://").unwrap())
}

/// Returns the status of a response.
#[track_caller]
pub(super) fn status(answer: &str) -> u16 {
    let status = answer.split(' ').nth(1);
    let status = status.and_then(|status| status.parse().ok());
    status.unwrap_or_else(|| panic!("{answer:?}"))
}
