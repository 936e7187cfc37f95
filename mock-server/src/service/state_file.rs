//! A world stored in a file that several processes can share.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::locked_file::LockedFile;
use crate::engine::{World, raise_last_id};
use crate::input::read_json;

/// The version of the file format.
const VERSION: u32 = 1;

/// A file that stores a world.
///
/// Every request to a server with a state file is a transaction: the server locks `state.json.lock`,
/// reads the file, and, if the world changed, writes `state.json.new` and renames it. Concurrent
/// programs therefore lose no changes, and a crash leaves either the old or the new state. Only the
/// owner can read the file, since it contains keys; missing directories are created with the same
/// restriction. A symbolic link is followed and stays a link.
///
/// The file is JSON, `{"version": 1, "world": {…}}`. A file that contains only the world, as the
/// control API returns it, is read as well.
///
/// ```
/// use mock_server::{MockServer, StateFile, World};
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let directory = tempfile::tempdir()?;
/// let path = directory.path().join("state.json");
/// let server = MockServer::builder().state_file(&path).start().await?;
/// server.update(|world| world.add_post("demo", "Kept"))?;
/// drop(server);
///
/// let server = MockServer::builder().state_file(&path).start().await?;
/// assert_eq!(server.world()?.account("demo").unwrap().posts.len(), 2);
///
/// StateFile::new(&path).reset(&World::default())?;
/// assert_eq!(server.world()?, World::default());
/// # Ok::<(), Box<dyn std::error::Error>>(()) })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateFile {
    path: PathBuf,
}

impl StateFile {
    /// Creates a state file for this path, without reading or writing it.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Replaces the content of the file, even if it is damaged, or creates the file. Running servers
    /// with this state file continue with the new world.
    ///
    /// # Errors
    ///
    /// Returns [`StateError::Unwritable`] if the file cannot be locked or written.
    pub fn reset(&self, world: &World) -> Result<(), StateError> {
        let locked = self.lock()?;
        self.save(&locked, world)
    }

    /// Locks the file, runs `change` on its world, and writes the world if `change` returns `true`
    /// with its result. If the file does not exist, `new_world` is used and written.
    pub(crate) fn transact<T>(
        &self,
        new_world: &World,
        change: impl FnOnce(&mut World) -> (T, bool),
    ) -> Result<T, StateError> {
        let locked = self.lock()?;
        let loaded = self.load()?;
        let is_new = loaded.is_none();
        let mut world = loaded.unwrap_or_else(|| new_world.clone());
        let (result, changed) = change(&mut world);
        if changed || is_new {
            self.save(&locked, &world)?;
        }
        Ok(result)
    }

    fn lock(&self) -> Result<LockedFile, StateError> {
        LockedFile::lock(&self.path).map_err(|reason| self.unwritable(reason))
    }

    fn load(&self) -> Result<Option<World>, StateError> {
        let bytes = match fs::read(&self.path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(reason) => {
                let path = self.path.clone();
                return Err(StateError::Unreadable { path, reason });
            }
        };
        // `touch` and `mktemp` create empty files.
        match bytes.is_empty() {
            true => Ok(None),
            false => self.parse(&bytes).map(Some),
        }
    }

    fn parse(&self, bytes: &[u8]) -> Result<World, StateError> {
        let path = || self.path.clone();
        let damaged = |reason: &dyn std::fmt::Display| StateError::Damaged {
            path: path(),
            reason: reason.to_string(),
        };
        let written = read_json::value(bytes).map_err(|error| damaged(&error))?;
        // The version is checked first: a newer format may differ in everything else.
        let world = match written.get("version").and_then(Value::as_u64) {
            Some(version) if version != u64::from(VERSION) => {
                let path = path();
                return Err(StateError::UnsupportedVersion { path, version });
            }
            Some(_) => read_json::object_in(written).map(|saved: Saved<World>| saved.world),
            // Only the world, as the control API returns it.
            None => read_json::object_in(written),
        };
        let mut world: World = world.map_err(|error| damaged(&error))?;
        raise_last_id(&mut world).map_err(|reason| damaged(&reason))?;
        Ok(world)
    }

    fn save(&self, locked: &LockedFile, world: &World) -> Result<(), StateError> {
        let version = VERSION;
        let bytes = serde_json::to_vec_pretty(&Saved { version, world })
            .expect("a world contains only values that JSON can represent");
        locked
            .replace(&bytes)
            .map_err(|reason| self.unwritable(reason))
    }

    fn unwritable(&self, reason: io::Error) -> StateError {
        let path = self.path.clone();
        StateError::Unwritable { path, reason }
    }
}

/// The error for a state file that cannot be used. The file is not changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// The file exists but cannot be read.
    #[error(
        "cannot read the state file {}: {reason}; check its permissions or use another file",
        path.display()
    )]
    Unreadable {
        /// The state file.
        path: PathBuf,
        /// The error of the operating system.
        reason: io::Error,
    },
    /// The file, its lock or its directory cannot be written.
    #[error(
        "cannot write the state file {}: {reason}; check its permissions or use another file",
        path.display()
    )]
    Unwritable {
        /// The state file.
        path: PathBuf,
        /// The error of the operating system.
        reason: io::Error,
    },
    /// The content of the file is not a valid state.
    #[error(
        "the state file {} is damaged: {reason}; fix it, or delete it to start over",
        path.display()
    )]
    Damaged {
        /// The state file.
        path: PathBuf,
        /// The location of the problem, what was found and what was expected.
        reason: String,
    },
    /// The file has the format of another version of the mock server.
    #[error(
        "the state file {} has version {version}, but this mock server reads version {VERSION}; \
         use the mock server that wrote it, or delete it to start over",
        path.display()
    )]
    UnsupportedVersion {
        /// The state file.
        path: PathBuf,
        /// The version in the file.
        version: u64,
    },
}

#[derive(Serialize, Deserialize)]
struct Saved<W> {
    version: u32,
    world: W,
}
