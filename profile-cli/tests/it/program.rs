//! Runs the program in an environment of its own and shows what it printed.

use std::fmt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use expect_test::Expect;
use mock_server::{Clock, MockServer};
use tempfile::TempDir;

/// A service that always shows the same, and a home directory of its own for the program.
pub(crate) struct Place {
    pub(crate) service: MockServer,
    pub(crate) home: TempDir,
}

impl Place {
    pub(crate) async fn new() -> Self {
        let clock = Clock::fixed("2026-01-15T12:00:00Z").unwrap();
        let service = MockServer::builder().clock(clock).start().await.unwrap();
        Self {
            service,
            home: tempfile::tempdir().unwrap(),
        }
    }

    /// Runs the program as the owner of the profile.
    #[track_caller]
    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        self.run_with_key(self.service.key(), arguments)
    }

    /// Runs the program with this key.
    #[track_caller]
    pub(crate) fn run_with_key(&self, key: &str, arguments: &[&str]) -> Run {
        let environment = [
            ("PROFILE_BASE_URL", self.service.uri()),
            ("PROFILE_API_KEY", key),
        ];
        run(self.home.path(), &environment, arguments)
    }
}

/// Runs the program with this environment and no other.
#[track_caller]
pub(crate) fn run(home: &Path, environment: &[(&str, &str)], arguments: &[&str]) -> Run {
    let output = Command::new(env!("CARGO_BIN_EXE_profile"))
        .args(arguments)
        .env_clear()
        .env("HOME", home)
        .envs(environment.iter().copied())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    Run { output }
}

/// What a run of the program printed and how it ended.
pub(crate) struct Run {
    output: Output,
}

impl Run {
    /// Compares exit status, stdout and stderr with what is expected.
    #[track_caller]
    pub(crate) fn check(&self, expected: &Expect) {
        expected.assert_eq(&self.to_string());
    }

    /// The standard output of a run that succeeded.
    #[track_caller]
    pub(crate) fn stdout(&self) -> &str {
        assert!(self.output.status.success(), "{self}");
        std::str::from_utf8(&self.output.stdout).unwrap()
    }

    /// The JSON document that a run printed.
    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(self.stdout()).unwrap()
    }
}

impl Run {
    /// The error object that a run in JSON mode printed on its last line.
    #[track_caller]
    pub(crate) fn error(&self) -> serde_json::Value {
        assert!(!self.output.status.success(), "{self}");
        let stderr = String::from_utf8_lossy(&self.output.stderr);
        let mut printed: serde_json::Value =
            serde_json::from_str(stderr.lines().last().unwrap()).unwrap();
        printed["error"].take()
    }
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let status = self.output.status.code().unwrap();
        let stdout = String::from_utf8_lossy(&self.output.stdout);
        let stderr = String::from_utf8_lossy(&self.output.stderr);
        write!(f, "exit {status}\n--- stdout\n{stdout}--- stderr\n{stderr}")
    }
}
