//! The program `mock-server`, as a child process.

use std::io::{BufRead, BufReader, Read};
use std::net::{SocketAddr, TcpListener};
use std::process::{Child, Command, Output, Stdio};
use std::thread;

use mock_server::{MockServer, World};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::ask::{Ask, ask, ask_at};

fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mock-server"));
    command.args(arguments);
    command
}

/// A program that serves, and that is killed when the test ends in any way.
struct Serving {
    child: Child,
    ready: Value,
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[track_caller]
fn serve(arguments: &[&str]) -> Serving {
    let child = program(arguments)
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
    fn url(&self) -> &str {
        self.ready["url"].as_str().unwrap()
    }

    fn key(&self, name: &str) -> &str {
        self.ready["keys"][name].as_str().unwrap()
    }

    fn address(&self) -> SocketAddr {
        self.url().strip_prefix("http://").unwrap().parse().unwrap()
    }

    fn ask(&self, line: &str) -> Ask {
        ask_at(self.address(), self.key("all"), line)
    }

    /// Sends a signal, and returns the exit code and what stands on stderr.
    #[track_caller]
    fn stop(mut self, signal: &str) -> (Option<i32>, String) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args(["-s", signal, &id]).status();
        assert!(sent.unwrap().success());
        let code = self.child.wait().unwrap().code();
        let mut stderr = String::new();
        let pipe = self.child.stderr.as_mut().unwrap();
        pipe.read_to_string(&mut stderr).unwrap();
        (code, stderr)
    }
}

#[track_caller]
fn fail(arguments: &[&str]) -> (Option<i32>, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = program(arguments).output().unwrap();
    assert_eq!(stdout, b"");
    (status.code(), String::from_utf8(stderr).unwrap())
}

#[test]
fn prints_one_line_of_json_and_serves_until_it_is_told_to_end() {
    for signal in ["TERM", "INT"] {
        let serving = serve(&[]);
        let url = serving.url().to_owned();
        let keys = serde_json::to_value(World::default().keys()).unwrap();
        assert_eq!(
            serving.ready,
            json!({"url": url, "keys": keys, "control": format!("{url}/_mock/v1")})
        );
        assert_eq!(serving.ask("GET /me").data(200)["handle"], "demo");
        serving
            .ask("PATCH /me/profile")
            .key(serving.key("links"))
            .refused(
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
                     curl -H 'Authorization: Bearer {key}' {url}/api/v1/me\n"
                )
            )
        );
    }
}

#[test]
fn another_seed_gives_other_keys() {
    let serving = serve(&["--seed", "7"]);
    assert_eq!(serving.key("all"), World::new(7).keys().all);
}

#[tokio::test]
async fn two_processes_on_one_state_file_lose_nothing() {
    const POSTS: usize = 10;
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("state.json");
    let serving = serve(&["--state", path.to_str().unwrap()]);
    let server = MockServer::builder().state_file(&path);
    let server = server.start().await.unwrap();
    let create = |ask: &dyn Fn() -> Ask| {
        for _ in 0..POSTS {
            ask().json(json!({"body": "x"})).data(201);
        }
    };
    thread::scope(|scope| {
        scope.spawn(|| create(&|| serving.ask("POST /me/posts")));
        scope.spawn(|| create(&|| ask(&server, "POST /me/posts")));
    });
    let me = serving.ask("GET /me").data(200);
    assert_eq!(me["posts"].as_array().unwrap().len(), 1 + 2 * POSTS);
    assert_eq!(ask(&server, "GET /me").data(200), me);
}

#[test]
fn a_port_that_is_taken_is_told() {
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
fn a_bad_address_is_told() {
    assert_eq!(
        fail(&["--addr", "nonsense"]),
        (
            Some(1),
            "mock-server: cannot listen on nonsense: invalid socket address; \
             choose another address with --addr\n"
                .to_owned()
        )
    );
}

#[test]
fn a_damaged_state_file_is_told_and_left_alone() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("state.json");
    std::fs::write(&path, "damaged").unwrap();
    assert_eq!(
        fail(&["--state", path.to_str().unwrap()]),
        (
            Some(1),
            format!(
                "mock-server: the state file {} is damaged at line 1, column 1; \
                 mend it, or delete it to start anew\n",
                path.display()
            )
        )
    );
    assert_eq!(std::fs::read(&path).unwrap(), b"damaged");
}

#[test]
fn a_wrong_argument_is_a_usage_error() {
    let (code, stderr) = fail(&["--seed", "many"]);
    assert_eq!(code, Some(2));
    assert!(
        stderr.starts_with("error: invalid value 'many' for '--seed <N>'"),
        "{stderr}"
    );
}
