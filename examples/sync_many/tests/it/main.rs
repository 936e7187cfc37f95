//! Runs the program against the mock.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails at the first unexpected value"
)]

mod crash;
mod lists;
mod runs;

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use mock_server::journal::RequestPattern;
use mock_server::{MockServer, Scope};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A service with accounts, and a list of them in a temporary folder.
struct Fixture {
    service: MockServer,
    folder: TempDir,
    /// The label of each account's key in the mock's journal.
    labels: Vec<String>,
}

impl Fixture {
    async fn with_accounts(accounts: usize) -> Self {
        let mut fixture = Self {
            service: MockServer::start().await,
            folder: tempfile::tempdir().unwrap(),
            labels: Vec::new(),
        };
        let lines: Vec<_> = (0..accounts)
            .map(|number| fixture.add_account(number, &[Scope::ProfileWrite]))
            .collect();
        fixture.write_list(&lines);
        fixture
    }

    /// Creates an account and its key file, and returns its line of the list.
    fn add_account(&mut self, number: usize, scopes: &[Scope]) -> Value {
        let name = name(number);
        let key = self.service.create_key(&name, scopes).unwrap();
        // A key is `mock_`, its label and the secret part.
        self.labels.push(key.split('_').nth(1).unwrap().to_owned());
        self.write_private(&name, &key);
        json!({"name": name, "key_file": name, "set": {"bio": bio(number)}})
    }

    fn write_list(&self, lines: &[Value]) {
        let list: String = lines.iter().map(|line| format!("{line}\n")).collect();
        fs::write(self.list(), list).unwrap();
    }

    fn write_private(&self, name: &str, text: &str) {
        let path = self.folder.path().join(name);
        fs::write(&path, text).unwrap();
        #[cfg(unix)]
        fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    }

    fn list(&self) -> PathBuf {
        self.folder.path().join("accounts.jsonl")
    }

    fn record(&self) -> PathBuf {
        self.folder.path().join("accounts.jsonl.record")
    }

    fn program(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sync_many"));
        command
            .arg(self.list())
            .env("PROFILE_BASE_URL", self.service.uri())
            .stdin(Stdio::null());
        command
    }

    /// Runs the program and returns its output.
    async fn run(&self, arguments: &[&str]) -> Output {
        let mut command = self.program();
        command.args(arguments);
        tokio::task::spawn_blocking(move || command.output().unwrap())
            .await
            .unwrap()
    }

    /// Runs the program, and checks that it succeeds and prints this.
    async fn assert_prints(&self, expected: &str) {
        let output = self.run(&[]).await;
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            expected,
            "{stderr}"
        );
        assert!(output.status.success(), "{stderr}");
    }

    /// Returns the number of edits of this account that the service received.
    fn edits(&self, number: usize) -> usize {
        let edits = RequestPattern::new("PATCH", "/me/profile").key(&self.labels[number]);
        self.service.journal().matching(&edits).len()
    }

    fn bio(&self, number: usize) -> String {
        let world = self.service.world().unwrap();
        world.account(&name(number)).unwrap().profile.bio.clone()
    }
}

fn name(number: usize) -> String {
    format!("account{number}")
}

fn bio(number: usize) -> String {
    format!("Number {number}")
}
