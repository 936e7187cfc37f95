//! `--sandbox`: runs the service in this process, with its state in a file.

use std::path::PathBuf;

use mock_server::{Dialect, MockServer, StartError, StateError, StateFile, World, Worlds};
use profile_sdk::ApiKey;

use crate::outcome::failure::{Failure, FailureKind};
use crate::settings::{SettingName, Settings, value};
use crate::system::environment;

/// Hint for an unusable state file.
pub(crate) const RESET: &str = "`profile sandbox reset` starts a new sandbox";

/// A running sandbox, which stops when dropped.
pub(crate) struct Sandbox {
    server: MockServer,
}

impl Sandbox {
    /// Starts the service with the state of earlier commands.
    pub(crate) async fn start(dialect: Dialect) -> Result<Self, Failure> {
        let started = MockServer::builder()
            .state_file(state_path()?)
            .start()
            .await;
        let server = started.map_err(|error| match error {
            StartError::State(error) => not_started(&error),
            _ => Failure::new(FailureKind::Other, error.to_string()),
        })?;
        let world = server.world().map_err(|error| not_started(&error))?;
        if *world.dialect() != dialect {
            let set = server.set_dialect(dialect);
            set.map_err(|error| not_started(&error))?;
        }
        Ok(Self { server })
    }

    pub(crate) fn base_url(&self) -> String {
        self.server.uri().to_owned()
    }

    pub(crate) fn api_key(&self) -> Result<ApiKey, Failure> {
        Ok(ApiKey::new(self.server.key())?)
    }
}

/// Returns the sandbox's state for `profile sandbox serve`.
pub(crate) fn worlds(dialect: Dialect) -> Result<Worlds, Failure> {
    let file = StateFile::new(state_path()?);
    let worlds = Worlds::in_file(file, World::default());
    let mut worlds = worlds.map_err(|error| not_started(&error))?;
    let set = worlds.update(|world| world.set_dialect(dialect));
    set.map(|()| worlds).map_err(|error| not_started(&error))
}

/// Returns the dialect of the setting `sandbox_dialect`, or the default.
pub(crate) fn dialect(settings: &Settings) -> Result<Dialect, Failure> {
    let dialect = settings.read(SettingName::SandboxDialect, value::dialect)?;
    Ok(dialect.unwrap_or_default())
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

/// Replaces the hint to check the key, since users do not set the sandbox's key.
pub(crate) fn with_reset_hint(failure: Failure) -> Failure {
    match failure.kind {
        FailureKind::Unauthorized => failure.hint(RESET),
        _ => failure,
    }
}

/// Resets the sandbox to the sample profile, and returns the path of its state.
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

/// Returns the path of the sandbox's state.
pub(crate) fn state_path() -> Result<PathBuf, Failure> {
    Ok(environment::state_directory()?.join("sandbox.json"))
}

/// Returns the path of the file with the sandbox's key, which exists while the sandbox is served.
pub(crate) fn key_path() -> Result<PathBuf, Failure> {
    Ok(state_path()?.with_file_name("sandbox.key"))
}
