//! `--sandbox`: runs the service in this process, with its state in a file. The command `profile sandbox reset` discards
//! all changes in it.

use std::fmt::Display;
use std::io;
use std::net::UdpSocket;
use std::path::PathBuf;

use clap::Subcommand;
use mock_server::{MockServer, StartError, StateError, StateFile, World};
use serde_json::json;

use super::Session;
use crate::outcome::{Failure, FailureKind, Report, Result};
use crate::output::Output;
use crate::system::{environment, interruption, private_file, written_file};
use crate::terminal::escaped;

/// Hint for an unusable state file.
const RESET: &str = "`profile sandbox reset` starts a new sandbox";

/// The number of files and connections that a command and the service open.
const DESCRIPTORS: usize = 12;

/// Starts the service with the state of earlier commands. It stops when dropped.
pub(super) async fn start(output: &Output) -> Result<MockServer> {
    // Without descriptors, the service would wait for some before it responds.
    let spare = std::iter::repeat_with(|| UdpSocket::bind("127.0.0.1:0")).take(DESCRIPTORS);
    let spare: io::Result<Vec<_>> = spare.collect();
    spare.map_err(|error| not_started(&error))?;
    let path = create_files(output)?;
    let _deferred = interruption::defer();
    let server = MockServer::builder().state_file(&path).start().await;
    server.map_err(|error| match error {
        StartError::State(error) => unusable(&error),
        _ => Failure::other(error.to_string()),
    })
}

fn not_started(error: &impl Display) -> Failure {
    Failure::other(format!("the sandbox could not be started: {error}"))
}

fn unusable(error: &StateError) -> Failure {
    let failure = not_started(error);
    let [state, _] = environment::STATE;
    match error {
        StateError::Unreadable { .. } | StateError::Unwritable { .. } => failure.hint(format!(
            "make it readable and writable, or set {state} to another directory"
        )),
        _ => failure.hint(RESET),
    }
}

/// Replaces the hint about the key, which users do not set: an earlier version made it, perhaps without a new scope.
pub(crate) fn with_reset_hint(failure: Failure) -> Failure {
    match failure.kind {
        FailureKind::Unauthorized | FailureKind::Forbidden => failure.hint(RESET),
        _ => failure,
    }
}

/// Manage the sample profile of --sandbox
#[derive(Debug, Subcommand)]
#[command(defer = true)]
#[command(after_help = "\
Examples:
  profile --sandbox show
  profile sandbox reset")]
pub(crate) enum SandboxCommand {
    /// Discard all changes in the sandbox; asks first unless --yes is given
    #[command(after_help = RESET_HELP)]
    Reset,
}

const RESET_HELP: &str = "\
Examples:
  profile sandbox reset
  profile sandbox reset --yes";

/// Resets the sandbox to the sample profile.
pub(crate) fn run(command: &SandboxCommand, session: &Session<'_>) -> Result<Report> {
    let SandboxCommand::Reset = command;
    session.confirm("Discard all changes in the sandbox?")?;
    let path = create_files(session.output)?;
    let _deferred = interruption::defer();
    StateFile::new(&path)
        .reset(&World::default())
        .map_err(|error| Failure::other(format!("the sandbox could not be reset: {error}")))?;
    let json = json!({"result": "reset", "path": path.to_string_lossy()});
    let sentence = format!("Reset the sandbox in {}.", escaped(&path));
    Ok(Report::changed(json, sentence))
}

/// Creates the missing files of the sandbox, which only their owner can access, waits for commands that use them,
/// and returns the path of its state.
fn create_files(output: &Output) -> Result<PathBuf> {
    let path = state_path()?;
    let lock = path.with_extension("json.lock");
    // If this fails, the service says why.
    let _ = private_file::create_directory(private_file::parent(&path));
    let _ = private_file::create(&path).and_then(private_file::restricted_to_owner);
    if let Ok(file) = private_file::create(&lock) {
        written_file::wait_for(&file, &lock, |warning| output.warn(warning));
    }
    Ok(path)
}

/// Returns the path of the sandbox's state. The service would write through a symbolic link.
pub(crate) fn state_path() -> Result<PathBuf> {
    let directory = environment::state_directory()?;
    let files = ["sandbox.json.lock", "sandbox.json"].map(|name| directory.join(name));
    for path in &files {
        private_file::check(path, None).map_err(Failure::usage)?;
    }
    if let Some(link) = files.iter().find(|path| path.is_symlink()) {
        let message = format!("{} is a symbolic link; expected a file", escaped(link));
        return Err(Failure::other(message).hint("remove the link"));
    }
    let [_, path] = files;
    Ok(path)
}
