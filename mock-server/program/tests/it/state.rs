//! State files of the program `mock-server`.

use std::thread;

use mock_server::{Dialect, MockServer, World};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::request::{TestRequest, request};
use crate::serving::{fail, file, serve};

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

#[cfg(target_os = "linux")]
#[test]
fn a_signal_ends_the_wait_for_the_state_file() {
    use std::fs::File;
    use std::process::Stdio;

    use crate::{child, serving::program};

    let directory = TempDir::new().unwrap();
    let path = directory.path().join("state.json");
    let lock = File::create(directory.path().join("state.json.lock")).unwrap();
    lock.lock().unwrap();
    let state = ["--state", path.to_str().unwrap()];
    let run = [&["run"], &state[..], &["--", "true"]].concat();
    for arguments in [&state[..], &run] {
        let mut child = program(arguments).stderr(Stdio::piped()).spawn().unwrap();
        let waiter = format!(" {} ", child.id());
        let is_waiting = |locks: String| {
            let mut locks = locks.lines();
            locks.any(|line| line.contains("->") && line.contains(&waiter))
        };
        while !is_waiting(std::fs::read_to_string("/proc/locks").unwrap()) {
            assert!(child.try_wait().unwrap().is_none());
        }
        child::send(rustix::process::Signal::TERM, child.id());
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        // Process 1 of a container gets only signals that it handles, so an exit by the signal is no exit.
        assert_eq!(output.status.code(), Some(143), "{stderr}");
        let message = "mock-server: ended by signal 15 before the server was ready\n";
        assert_eq!(stderr, message);
    }
}

#[test]
fn command_line_takes_precedence_over_the_state_file() {
    let directory = TempDir::new().unwrap();
    let state = directory.path().join("state.json").display().to_string();
    let begin = |arguments: &[&str]| serve(&[&["--state", &state], arguments].concat());
    let minimal = json!(Dialect::minimal());
    assert_eq!(begin(&["--dialect", "minimal"]).read("/dialect"), minimal);
    assert_eq!(begin(&[]).read("/dialect"), minimal);
    let maximal = begin(&["--dialect", "maximal"]);
    assert_eq!(maximal.read("/dialect"), json!(Dialect::maximal()));
    let warning = "mock-server: --dialect replaces the dialect of the state file\n";
    let stderr = maximal.stderr();
    assert!(stderr.starts_with(warning), "{stderr}");
    let stderr = begin(&["--dialect", "maximal"]).stderr();
    assert!(!stderr.contains("--dialect"), "{stderr}");
}

#[test]
fn reports_a_created_directory() {
    let directory = TempDir::new().unwrap();
    let made = directory.path().join("profile");
    let state = made.join("state.json").display().to_string();
    let warning = format!("mock-server: created the directory {}\n", made.display());
    for is_reported in [true, false] {
        let stderr = serve(&["--state", &state]).stderr();
        assert_eq!(stderr.starts_with(&warning), is_reported, "{stderr}");
    }
}

#[test]
fn can_start_with_a_state_from_the_control_api() {
    let directory = TempDir::new().unwrap();
    let serving = serve(&["--seed", "7", "--dialect", "maximal"]);
    serving.post("Kept");
    let line = "GET /worlds/default/state";
    let shown = serving.control(line).send().body;
    let path = file(&directory, "state.json", &shown);

    let again = serve(&["--state", &path]);
    assert_eq!(again.key("all"), serving.key("all"));
    assert_eq!(again.control(line).send().body, shown);
    assert_eq!(again.post("Next")["id"], "post_7");
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
    let content = json!(invalid).to_string();
    let path = file(&directory, "state.json", &content);
    let message = format!(
        "mock-server: the state file {path} is damaged: accounts.demo.links[0].url: url is not an absolute \
         URL: relative URL without a base; expected a URL such as https://example.com; fix it, or delete it \
         to start over\n"
    );
    assert_eq!(fail(&["--state", &path]), (Some(1), message));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), content);
}

#[test]
fn reset_restores_the_state_file_as_of_the_start() {
    let directory = TempDir::new().unwrap();
    let mut world = World::new(7);
    world.add_post("demo", "From the fixture").unwrap();
    let path = file(&directory, "state.json", &json!(world).to_string());
    let serving = serve(&["--state", &path, "--dialect", "maximal"]);
    serving.post("Later");
    serving.order(204, "POST /worlds/default/reset", Value::Null);
    world.set_dialect(Dialect::maximal());
    assert_eq!(serving.read("/state"), json!(world));
}

#[cfg(target_os = "linux")]
#[test]
fn a_state_file_that_cannot_be_replaced_is_rejected() {
    let script = r#"
        "$0" run --state state.json -- true
        mkdir alone read_only
        cp state.json read_only
        touch alone/state.json
        mount --bind state.json alone/state.json
        mount --bind read_only read_only
        mount --options remount,bind,ro read_only
        echo old > alone/report.json
        mount --bind alone/report.json alone/report.json
        for file in alone/state.json read_only/state.json; do
            code=0; "$0" --state $file || code=$?
            test $code = 1
            cmp state.json $file
        done
        code=0; "$0" run --report alone/report.json -- touch started || code=$?
        test $code = 125
        test "$(cat alone/report.json; echo *)" = "old
alone hosts read_only state.json state.json.lock"
        test "$(echo alone/*)" = 'alone/report.json alone/state.json alone/state.json.lock'
    "#;
    if let Some(stderr) = crate::program::run_isolated("", script) {
        for file in [
            "state file alone/state.json",
            "state file read_only/state.json",
            "report alone/report.json",
        ] {
            let expected = format!("mock-server: cannot write the {file}: ");
            assert!(stderr.contains(&expected), "{stderr}");
        }
        assert_eq!(stderr.matches("instead of the file alone").count(), 3);
    }
}
