//! The program as a child process.

use std::io::{BufRead, BufReader, Read, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};

#[cfg(unix)]
use rustix::process::Signal;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::child;
use crate::request::{Answer, TestRequest, request_at, request_exactly};
use crate::schema::CONTROL;

/// Returns a command for the program with the given arguments.
pub(crate) fn program(arguments: &[&str]) -> Command {
    let mut command = child::command(env!("CARGO_BIN_EXE_mock-server"));
    command.args(arguments);
    command
}

/// A running program, which is killed on drop.
pub(crate) struct Serving {
    child: Child,
    pub(crate) ready: Value,
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[track_caller]
pub(crate) fn serve(arguments: &[&str]) -> Serving {
    start(program(arguments))
}

/// Starts a command that executes the program, and waits until it is ready.
#[track_caller]
pub(crate) fn start(mut command: Command) -> Serving {
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let ready = Value::Null;
    let mut serving = Serving { child, ready };
    let mut line = String::new();
    let stdout = serving.child.stdout.as_mut().unwrap();
    BufReader::new(stdout).read_line(&mut line).unwrap();
    serving.ready = serde_json::from_str(&line).unwrap();
    serving
}

impl Serving {
    pub(crate) fn url(&self) -> &str {
        self.ready["url"].as_str().unwrap()
    }

    pub(crate) fn key(&self, name: &str) -> &str {
        self.ready["keys"][name].as_str().unwrap()
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.url().strip_prefix("http://").unwrap().parse().unwrap()
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn request(&self, line: &str) -> TestRequest {
        request_at(self.address(), self.key("all"), line)
    }

    #[track_caller]
    pub(crate) fn send(&self, line: &str, body: Value) -> Answer {
        self.request(line).json(body).send()
    }

    /// Creates a post.
    #[track_caller]
    pub(crate) fn post(&self, text: &str) -> Value {
        let request = self.request("POST /me/posts");
        request.json(json!({ "body": text })).data(201)
    }

    /// Creates a request to the control API. `line` is a method and a path below `/_mock/v1`.
    pub(crate) fn control(&self, line: &str) -> TestRequest {
        request_exactly(self.address(), &line.replacen(' ', " /_mock/v1", 1))
            .header("Content-Type", "application/json")
    }

    /// Sends a request to the control API. The request and the response have to match the document.
    #[track_caller]
    pub(crate) fn answer(&self, line: &str, body: &Value) -> Answer {
        let request = self.control(line);
        let answer = match body {
            Value::Null => request.send(),
            body => request.body(body.to_string()).send(),
        };
        // The document does not list the values of the settings of a dialect.
        let invalid: &[u16] = if line.ends_with("/dialect") {
            &[]
        } else {
            &[400]
        };
        CONTROL.check(&line.replacen(' ', " /_mock/v1", 1), body, &answer, invalid);
        answer
    }

    /// Does the same, checks the status, and returns the JSON of the response, or null if it has no body.
    #[track_caller]
    pub(crate) fn order(&self, status: u16, line: &str, body: Value) -> Value {
        let answer = self.answer(line, &body);
        assert_eq!(answer.status, status, "{}", answer.body);
        match answer.body.as_str() {
            "" => Value::Null,
            text => serde_json::from_str(text).unwrap(),
        }
    }

    /// Returns what the control API shows of the world `default`. `path` is below the path of the world.
    #[track_caller]
    pub(crate) fn read(&self, path: &str) -> Value {
        self.order(200, &format!("GET /worlds/default{path}"), Value::Null)
    }

    /// Ends the program, with an exit code of 0 where there are signals, and returns stderr.
    #[track_caller]
    pub(crate) fn stderr(mut self) -> String {
        #[cfg(unix)]
        self.signal(Signal::TERM);
        #[cfg(not(unix))]
        self.child.kill().unwrap();
        let (code, stderr) = self.end();
        assert!(cfg!(not(unix)) || code == Some(0), "{code:?}: {stderr}");
        stderr
    }

    /// Sends a signal, and returns the exit code and stderr.
    #[cfg(unix)]
    #[track_caller]
    pub(crate) fn stop(mut self, signal: Signal) -> (Option<i32>, String) {
        self.signal(signal);
        self.end()
    }

    #[cfg(unix)]
    #[track_caller]
    pub(crate) fn signal(&self, signal: Signal) {
        child::send(signal, self.id());
    }

    #[track_caller]
    pub(crate) fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Waits for the exit, and returns the exit code and stderr.
    #[track_caller]
    pub(crate) fn end(&mut self) -> (Option<i32>, String) {
        let code = self.child.wait().unwrap().code();
        let mut stderr = String::new();
        let pipe = self.child.stderr.as_mut().unwrap();
        pipe.read_to_string(&mut stderr).unwrap();
        (code, stderr)
    }
}

/// Runs a program that must fail, and returns its exit code and stderr.
#[track_caller]
pub(crate) fn fail(arguments: &[&str]) -> (Option<i32>, String) {
    let output = program(arguments).output().unwrap();
    assert_eq!(output.stdout, b"");
    (
        output.status.code(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

/// Writes a file and returns its path.
pub(crate) fn file(directory: &TempDir, name: &str, text: &str) -> String {
    let path = directory.path().join(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Opens two connections: one sends a part of a head, one a head and a part of the body.
#[track_caller]
pub(crate) fn send_incomplete_requests(serving: &Serving) -> [TcpStream; 2] {
    let post = "POST /me/posts HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{";
    ["GET /api", post].map(|start| {
        let mut stream = TcpStream::connect(serving.address()).unwrap();
        stream.write_all(start.as_bytes()).unwrap();
        stream
    })
}

pub(crate) fn request_unread(address: SocketAddr) -> TcpStream {
    let mut unread = TcpStream::connect(address).unwrap();
    write!(unread, "GET /api/v1/badges HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    unread.peek(&mut [0; 1]).unwrap();
    unread
}
