//! `--sandbox`: the service on a port of its own inside this process, its state kept in a file.

use std::path::PathBuf;

use mock_server::{MockServer, StartError, StateError, StateFile, World, Worlds};
use profile_sdk::ApiKey;

use crate::outcome::failure::{Failure, FailureKind};
use crate::system::environment::Environment;

/// What helps when the state is not what a sandbox needs.
pub(crate) const RESET: &str = "`profile sandbox reset` starts a new sandbox";

/// A running sandbox; it ends when this is dropped.
pub(crate) struct Sandbox {
    server: MockServer,
}

impl Sandbox {
    /// Starts the service with the state that earlier commands left.
    pub(crate) async fn start() -> Result<Self, Failure> {
        let started = MockServer::builder()
            .state_file(state_path()?)
            .start()
            .await;
        let server = started.map_err(|error| match error {
            StartError::State(error) => not_started(&error),
            _ => Failure::new(FailureKind::Other, error.to_string()),
        })?;
        Ok(Self { server })
    }

    pub(crate) fn base_url(&self) -> String {
        self.server.uri().to_owned()
    }

    pub(crate) fn api_key(&self) -> Result<ApiKey, Failure> {
        Ok(ApiKey::new(self.server.key())?)
    }
}

/// The sandbox for a server of its own, with the state that earlier commands left.
pub(crate) fn worlds() -> Result<Worlds, Failure> {
    let file = StateFile::new(state_path()?);
    Worlds::in_file(file, World::default()).map_err(|error| not_started(&error))
}

fn not_started(error: &StateError) -> Failure {
    let message = format!("the sandbox could not be started: {error}");
    let failure = Failure::new(FailureKind::Other, message);
    match error {
        StateError::Unreadable { .. } | StateError::Unwritable { .. } => failure
            .hint("make it readable and writable, or set XDG_STATE_HOME to another directory"),
        _ => failure.hint(RESET),
    }
}

/// The failure of a command in the sandbox, whose key is not the user's to check.
pub(crate) fn with_reset_hint(failure: Failure) -> Failure {
    match failure.kind {
        FailureKind::Unauthorized => failure.hint(RESET),
        _ => failure,
    }
}

/// Starts anew: whatever the state was, the made-up profile is as it was at first.
pub(crate) fn reset() -> Result<PathBuf, Failure> {
    let path = state_path()?;
    StateFile::new(&path)
        .reset(&World::default())
        .map_err(|error| {
            let message = format!("the sandbox could not be reset: {error}");
            Failure::new(FailureKind::Other, message)
        })?;
    Ok(path)
}

/// The file in the user's state directory that holds the sandbox.
pub(crate) fn state_path() -> Result<PathBuf, Failure> {
    Ok(Environment::state_directory()?.join("sandbox.json"))
}

/// The file beside it that holds its key while it is served, for programs that speak HTTP.
pub(crate) fn key_path() -> Result<PathBuf, Failure> {
    Ok(state_path()?.with_file_name("sandbox.key"))
}
