//! Web pages in a real browser: headless Chromium, which the variable `CHROMIUM` or `PATH` names.

use std::env;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::child;
use crate::run::output;
use crate::serving::serve;

const NAMES: [&str; 4] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
];

/// Returns the path of Chromium. Without it, the caller has to skip its test.
pub(crate) fn chromium() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let in_path = env::split_paths(&path)
        .flat_map(|directory| NAMES.map(|name| directory.join(name)))
        .find(|program| program.is_file());
    let found = env::var_os("CHROMIUM").map(PathBuf::from).or(in_path);
    found.or_else(|| child::skip("needs chromium; install it, or name it in CHROMIUM"))
}

/// A browser. It and its child processes are killed on drop, and its log is printed if the test failed.
pub(crate) struct Browser {
    pub(crate) process: Child,
    directory: TempDir,
}

impl Browser {
    /// Opens a page. All host names below `.example` resolve to 127.0.0.1.
    fn open(chromium: PathBuf, url: &str) -> Self {
        let mut command = child::command(chromium);
        command.stdin(Stdio::null()).stdout(Stdio::null());
        Self::start(command, url)
    }

    /// Starts a command that executes the browser.
    pub(crate) fn start(mut command: Command, url: &str) -> Self {
        // The path of a socket in the directory is limited to 107 bytes.
        let directory = TempDir::new_in("/tmp").unwrap();
        let log = File::create(directory.path().join("log")).unwrap();
        let process = command
            .env("TMPDIR", directory.path())
            .stderr(log)
            .args([
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--no-first-run",
            ])
            .args(["--disable-dev-shm-usage", "--disable-background-networking"])
            .arg("--host-resolver-rules=MAP *.example 127.0.0.1")
            .arg(format!("--user-data-dir={}", directory.path().display()))
            .arg(url)
            .process_group(0)
            .spawn()
            .unwrap();
        Self { process, directory }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if thread::panicking() {
            let log = fs::read_to_string(self.directory.path().join("log"));
            let _ = writeln!(
                std::io::stderr(),
                "log of the browser:\n{}",
                log.unwrap_or_default()
            );
        }
        child::kill_group(&mut self.process);
    }
}

/// Serves a page at any path, and returns the address and the bodies of `POST` requests.
fn serve_page(page: String) -> (SocketAddr, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (sender, posted) = channel();
    thread::spawn(move || {
        // Browsers open spare connections, so each one has its own thread.
        for stream in listener.incoming().map_while(Result::ok) {
            let (page, sender) = (page.clone(), sender.clone());
            thread::spawn(move || {
                if let Some(body) = answer(&stream, &page) {
                    // The test may have ended.
                    let _ = sender.send(body);
                }
            });
        }
    });
    (address, posted)
}

/// Answers one request with the page, and returns the body of a `POST` request.
fn answer(mut stream: &TcpStream, page: &str) -> Option<String> {
    let mut reader = BufReader::new(stream);
    let mut line = || {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
        Some(line.trim_end().to_owned())
    };
    let request_line = line()?;
    let mut length = 0;
    while let Some(header) = line().filter(|header| !header.is_empty()) {
        if let Some(value) = header.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let head = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/html\r\n";
    write!(stream, "{head}Content-Length: {}\r\n\r\n{page}", page.len()).ok()?;
    let is_post = request_line.starts_with("POST");
    is_post.then(|| String::from_utf8_lossy(&body).into_owned())
}

/// A page that attacks `MOCK` in the ways that browsers offer to pages of other origins, and posts the
/// results to its own server.
const ATTACK: &str = r#"<!doctype html>
<iframe name="target"></iframe>
<form method="post" enctype="text/plain" target="target"><input name='{"handle":"evil","scopes":[],"a' value='"}'></form>
<script>
const control = "http://MOCK/_mock/v1";
const json = {"Content-Type": "application/json"};
const text = {"Content-Type": "text/plain"};
const webhook = JSON.stringify({url: "http://127.0.0.1:9/", secret: "x"});
const attacks = {
    read: () => fetch(control + "/worlds/default/keys"),
    rebound: () => fetch(control.replace("127.0.0.1", "rebound.example") + "/worlds/default/keys"),
    simple: () => fetch(control + "/worlds", {method: "POST", headers: text, body: "{}"}),
    json: () => fetch(control + "/worlds", {method: "POST", headers: json, body: "{}"}),
    put: () => fetch(control + "/worlds/default/webhook", {method: "PUT", headers: json, body: webhook}),
    opaque: () => fetch(control + "/worlds", {method: "POST", mode: "no-cors", headers: text, body: "{}"}),
    reset: () => fetch(control + "/worlds/default/reset", {method: "POST", mode: "no-cors"}),
};
async function run() {
    const results = {};
    // The browser can reach the service, or else this test would prove nothing.
    await fetch("http://MOCK/api/v1/badges?reached", {mode: "no-cors"});
    for (const [name, attack] of Object.entries(attacks)) {
        results[name] = await attack().then(response => response.text(), () => "failed");
    }
    results.beacon = navigator.sendBeacon(control + "/worlds", "{}");
    for (const path of ["/worlds/default/reset", "/worlds/default/keys", "/worlds"]) {
        const loaded = new Promise(loaded => { document.querySelector("iframe").onload = loaded; });
        document.forms[0].action = control + path;
        document.forms[0].submit();
        // A response without content would not load anything.
        await Promise.race([loaded, new Promise(late => setTimeout(late, 5000))]);
    }
    await fetch("/done", {method: "POST", body: JSON.stringify(results)});
}
run();
</script>"#;

#[test]
fn pages_of_other_origins_cannot_use_the_control_api() {
    let chromium = or_skip!(chromium());
    let serving = serve(&[]);
    let state = serving.read("/state");
    let page = ATTACK.replace("MOCK", &serving.address().to_string());
    let (address, posted) = serve_page(page);
    let url = format!("http://evil.example:{}/", address.port());
    let _browser = Browser::open(chromium, &url);
    let results = posted.recv_timeout(Duration::from_secs(120)).unwrap();
    let results: Value = serde_json::from_str(&results).unwrap();
    for attack in ["read", "rebound", "simple", "json", "put"] {
        assert_eq!(results[attack], "failed", "{results}");
    }
    // The response to such a request is hidden from the page.
    assert_eq!(results["opaque"], "", "{results}");

    let get = |path: &str| serving.order(200, &format!("GET {path}"), Value::Null);
    // Also proves that the attempted resets had no effect.
    let requests = get("/worlds/default/requests");
    assert_eq!(requests[0]["query"], "reached", "{requests}");
    assert_eq!(get("/worlds").as_array().unwrap().len(), 1);
    assert_eq!(get("/worlds/default/webhook")["url"], Value::Null);
    assert_eq!(get("/worlds/default/state"), state);
}

/// A page that reads and edits the profile, and posts the results to its own server.
const CLIENT: &str = r#"<!doctype html>
<script>
const asked = new URLSearchParams(location.search);
const mock = "http://" + asked.get("mock");
const headers = {"Authorization": "Bearer " + asked.get("key"), "Content-Type": "application/json"};
const body = JSON.stringify({bio: "From a page"});
const attempts = {
    read: () => fetch(mock + "/api/v1/me", {headers}).then(read => read.headers.get("ratelimit-limit")),
    edit: () => fetch(mock + "/api/v1/me/profile", {method: "PATCH", headers, body}).then(edited => edited.status),
    control: () => fetch(mock + "/_mock/v1/worlds/default/keys").then(keys => keys.status),
};
async function run() {
    const results = {};
    for (const [name, attempt] of Object.entries(attempts)) {
        results[name] = await attempt().catch(() => "failed");
    }
    await fetch("/done", {method: "POST", body: JSON.stringify(results)});
}
run();
</script>"#;

#[test]
fn pages_of_other_origins_can_use_the_service_only_with_cors() {
    let chromium = or_skip!(chromium());
    let (address, posted) = serve_page(CLIENT.to_owned());
    let origin = |host: &str| format!("http://{host}.example:{}", address.port());
    for (options, host, may_use) in [
        (vec!["--cors", &origin("app")], "app", true),
        (vec!["--cors", &origin("app")], "other", false),
        (vec!["--cors", "*"], "other", true),
        (vec![], "app", false),
    ] {
        let serving = serve(&options);
        let (mock, key) = (serving.address(), serving.key("all"));
        let url = format!("{}/?mock={mock}&key={key}", origin(host));
        let _browser = Browser::open(chromium.clone(), &url);
        let results = posted.recv_timeout(Duration::from_secs(60)).unwrap();
        let results: Value = serde_json::from_str(&results).unwrap();
        let expected = match may_use {
            true => json!({"read": "1000000", "edit": 200, "control": "failed"}),
            false => json!({"read": "failed", "edit": "failed", "control": "failed"}),
        };
        assert_eq!(results, expected, "{host} with {options:?}");
        let bio = &serving.request("GET /me").data(200)["bio"];
        assert_eq!(bio == "From a page", may_use);
        let violations = serving.read("/violations");
        assert_eq!(violations, json!([]));
    }
}

/// Serves pages from an archive to a browser, and prints their bodies.
const REPLAY: &str = r#"
    const [executablePath, archive, ...urls] = process.argv.slice(1);
    (async () => {
        const { chromium } = require("playwright-core");
        const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
        const page = await browser.newPage();
        await page.routeFromHAR(archive, { notFound: "abort" });
        for (const url of urls) console.log(await (await page.goto(url)).text());
        await browser.close();
    })().catch((error) => { console.error(error); process.exit(1); });
"#;

/// Returns node, if it finds Playwright, for example with the variable `NODE_PATH`.
fn playwright() -> Option<Command> {
    let mut node = child::command("node");
    let found = node
        .args(["-e", r#"require("playwright-core")"#])
        .stderr(Stdio::null())
        .status();
    if !found.is_ok_and(|status| status.success()) {
        return child::skip("needs Playwright; install node and playwright-core (NODE_PATH)");
    }
    let mut node = child::command("node");
    node.args(["-e", REPLAY]);
    Some(node)
}

#[test]
fn a_browser_replays_the_archive_of_two_worlds() {
    let (chromium, mut node) = (or_skip!(chromium()), or_skip!(playwright()));
    let directory = TempDir::new_in("/tmp").unwrap();
    let archive = directory.path().join("run.har");
    let script = r#"
        curl --silent --output /dev/null --request POST "$MOCK_SERVER_CONTROL/worlds"
        for world in "" /worlds/w1; do
            url=$PROFILE_BASE_URL$world/api/v1/stats
            echo $url
            curl --silent $url
            echo
        done
        curl --silent --request DELETE "$MOCK_SERVER_CONTROL/worlds/w1"
    "#;
    let archive_path = archive.to_str().unwrap();
    let options = ["run", "--har", archive_path, "--", "sh", "-c", script];
    let (code, stdout, stderr) = output(&options);
    assert_eq!(code, Some(0), "{stderr}");
    let lines: Vec<_> = stdout.lines().collect();
    let [default, from_default, other, from_other] = lines[..] else {
        panic!("{stdout}")
    };
    assert_ne!(from_default, from_other);
    let replayed = node
        .arg(chromium)
        .arg(&archive)
        .args([other, default])
        .output()
        .unwrap();
    let stderr = String::from_utf8(replayed.stderr).unwrap();
    let bodies = String::from_utf8(replayed.stdout).unwrap();
    assert_eq!(
        bodies,
        format!("{from_other}\n{from_default}\n"),
        "{stderr}"
    );
}
