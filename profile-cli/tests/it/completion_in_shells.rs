//! Completion in real shells on a terminal: types, presses Tab, and reads the screen.

use std::fs;

use mock_server::wiremock::matchers::path;
use mock_server::wiremock::{Mock, ResponseTemplate};
use serde_json::json;

use crate::child;
use crate::program::{Fixture, Program};
use crate::pseudo_terminal::Terminal;

/// Clears the line.
const CTRL_U: &str = "\u{15}";

/// Adds two accounts of the owner, `demo` and `demo@127.0.0.1`, and a file and a directory.
async fn prepare(fixture: &Fixture) {
    let home = fixture.home.path();
    let other = Fixture::new().await;
    for service in [&other.service, &fixture.service] {
        fixture
            .log_in_to(service.uri(), service.key(), &[])
            .stdout();
    }
    fs::write(home.join("my notes.toml"), "invalid").unwrap();
    fs::write(home.join("zz$(touch attacked).toml"), "invalid").unwrap();
    fs::create_dir(home.join("deliveries")).unwrap();
}

/// Starts a shell and runs the commands, unless the shell is not installed.
fn start(fixture: &Fixture, shell: &str, arguments: &[&str], setup: &str) -> Option<Terminal> {
    child::require_installed(shell)?;
    let shell = Program::shell(shell, fixture.home.path(), arguments);
    let mut terminal = Terminal::start(shell).without_escape_sequences();
    terminal.types(&format!("cd; {setup}; echo set''up\n"));
    terminal.sees("setup\r\n");
    Some(terminal)
}

/// Completes the words with Tab, runs the command, and checks what it prints.
#[track_caller]
fn completes(terminal: &mut Terminal, typed: &str, printed: &str) {
    terminal.forget();
    terminal.types(&format!("{typed}\t"));
    terminal.types("\n");
    terminal.sees(printed);
}

#[track_caller]
fn check(fixture: &Fixture, terminal: &mut Terminal, shell: &str) {
    // Bash divides words at `=` and `:`, and completes file names where the program has no candidates.
    let is_bash = shell == "bash";
    for (typed, candidates, unexpected) in [
        ("link delete link_", "link_1 link_2", "notes"),
        ("config unset ", "base_url proxy", "notes"),
        ("show --output ", "table json", "notes"),
        ("auth switch ", "demo demo@", "notes"),
        #[cfg(feature = "webhook")]
        ("webhook send post.", "post.liked post.replied", "notes"),
        ("link delete \"link_", "link_1 link_2", "notes"),
        ("show --account de", "demo@", "notes"),
        ("show --account=de", "demo@", "notes"),
        ("link add m", "", "notes"),
    ] {
        if is_bash && (typed.contains('=') || candidates.is_empty()) {
            continue;
        }
        terminal.forget();
        // In bash, the first Tab may insert a common prefix, and the third one lists.
        terminal.types(&format!("profile {typed}\t\t\t"));
        candidates
            .split_whitespace()
            .for_each(|text| terminal.sees(text));
        terminal.types(&format!("{CTRL_U}echo re''ady\n"));
        terminal.sees("ready\r\n");
        assert!(!terminal.seen().contains(unexpected), "{}", terminal.seen());
    }
    completes(terminal, "profile post delete --dry-run po", "post_3");
    completes(terminal, "profile config set no_input t", "true");
    let get = "profile config get output --output j";
    completes(terminal, get, "\"output\": \"json\"");
    // The shell completes and quotes file names, and the program candidates that need no quotes.
    for (typed, file) in [("m", "my notes.toml"), ("z", "zz$(touch attacked).toml")] {
        let error = format!("{file}:1:8: key with no value");
        completes(terminal, &format!("profile diff {typed}"), &error);
    }
    assert!(!fixture.home.path().join("attacked").exists());
    for request in fixture.service.journal().requests() {
        assert_eq!(request.method, "GET", "{request:?}");
    }
}

/// Starts a service with IDs that a shell would run.
async fn hostile() -> Fixture {
    let fixture = Fixture::new().await;
    let ids = [
        "link_1$(touch attacked)",
        "link_2`touch attacked`",
        "~root",
        "x';touch attacked;'",
        "ns:one",
    ];
    let links: Vec<_> = ids.iter().map(|id| json!({"id": id})).collect();
    let profile = json!({"data": {"handle": "demo", "links": links}});
    let answer = ResponseTemplate::new(200).set_body_json(profile);
    let me = Mock::given(path("/api/v1/me")).respond_with(answer);
    me.mount(fixture.service.mocks().await).await;
    prepare(&fixture).await;
    fixture
}

/// Completes the IDs within quotes and without, and runs the commands.
async fn check_attack(fixture: &Fixture, terminal: &mut Terminal, shell: &str) {
    for typed in ["link_1", "\"link_1", "\"link_2", "'x", "~r"] {
        let quote = typed.get(..1).filter(|first| ["\"", "'"].contains(first));
        let quote = quote.unwrap_or_default();
        terminal.forget();
        terminal.types(&format!("profile link delete --dry-run {typed}\t{quote}\n"));
        terminal.types("echo re''ady\n");
        terminal.sees("ready\r\n");
        assert!(!fixture.home.path().join("attacked").exists(), "{typed}");
    }
    for typed in ["", "o"].into_iter().filter(|_| shell != "bash") {
        let typed = format!("profile link delete --dry-run ns:{typed}");
        completes(terminal, &typed, "link ns:one\r\n");
    }
    // The completion has read the IDs.
    let mocks = fixture.service.mocks().await;
    let mut requests = mocks.received_requests().await.unwrap().into_iter();
    assert!(requests.any(|request| request.url.path().ends_with("/me")));
}

#[tokio::test(flavor = "multi_thread")]
async fn bash_completes() {
    let fixture = Fixture::new().await;
    prepare(&fixture).await;
    let arguments = ["--norc", "--noprofile", "-i"];
    let setup = "source <(profile completion bash)";
    if let Some(mut terminal) = start(&fixture, "bash", &arguments, setup) {
        check(&fixture, &mut terminal, "bash");
        let fixture = hostile().await;
        let terminal = start(&fixture, "bash", &arguments, setup);
        check_attack(&fixture, &mut terminal.unwrap(), "bash").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn zsh_completes() {
    let fixture = Fixture::new().await;
    prepare(&fixture).await;
    let setup = "mkdir .zfunc; profile completion zsh > .zfunc/_profile; \
                 fpath+=~/.zfunc; autoload -U compinit; compinit -u -D";
    if let Some(mut terminal) = start(&fixture, "zsh", &["-f", "-i"], setup) {
        check(&fixture, &mut terminal, "zsh");
        let fixture = hostile().await;
        let terminal = start(&fixture, "zsh", &["-f", "-i"], setup);
        check_attack(&fixture, &mut terminal.unwrap(), "zsh").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn fish_completes() {
    let fixture = Fixture::new().await;
    prepare(&fixture).await;
    // Without the second directory, fish generates completions from all manual pages in the background.
    let setup = "mkdir -p .config/fish/completions; \
                 profile completion fish > .config/fish/completions/profile.fish";
    let generated = ".local/share/fish/generated_completions";
    fs::create_dir_all(fixture.home.path().join(generated)).unwrap();
    if let Some(mut terminal) = start(&fixture, "fish", &["-i"], setup) {
        check(&fixture, &mut terminal, "fish");
        let fixture = hostile().await;
        fs::create_dir_all(fixture.home.path().join(generated)).unwrap();
        let terminal = start(&fixture, "fish", &["-i"], setup);
        check_attack(&fixture, &mut terminal.unwrap(), "fish").await;
    }
}
