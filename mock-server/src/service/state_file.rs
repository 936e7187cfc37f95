//! State files, which several processes may share.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::io::ErrorKind::NotFound;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::engine::{World, raise_last_id};
use crate::files;
use crate::input::{self, InvalidInput};

/// The version of the file format.
const VERSION: u32 = 1;

/// A file that stores a world.
///
/// Every request to a server with a state file is a transaction: the server locks `state.json.lock`,
/// reads the file, and, if the world changed, writes `state.json.new` and renames it. Concurrent
/// programs therefore lose no changes, and a crash leaves either the old or the new state. Only the
/// owner can read a new file, since it contains keys; missing directories are created with the same
/// restriction. An existing file keeps its mode and group. A symbolic link is followed and stays a link. On
/// a file system without locks, only one server may use it.
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
/// server.update(|world| world.add_post("demo", "Kept"))??;
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
        self.replace(world).map(drop)
    }

    /// Replaces the content of the file, and returns the old world, if any.
    pub(crate) fn replace(&self, world: &World) -> Result<Option<World>, StateError> {
        let locked = self.lock()?;
        let old = self.load(&locked);
        self.save(&locked, world)?;
        Ok(old.ok().flatten())
    }

    /// Replaces the file by one with the same content, which fails where no change could be stored, such as in a
    /// file that is mounted alone.
    pub(crate) fn rewrite(&self) -> Result<(), StateError> {
        let locked = self.lock()?;
        let rewritten = fs::read(&locked.path).and_then(|bytes| locked.write(&bytes));
        rewritten.map_err(|reason| self.unwritable(reason))
    }

    /// Locks the file, runs `change` on its world, and writes the world if `change` returns `true`
    /// with its result. If the file does not exist, `new_world` is used and written.
    pub(crate) fn transact<T>(
        &self,
        new_world: &World,
        change: impl FnOnce(&mut World) -> (T, bool),
    ) -> Result<T, StateError> {
        let locked = self.lock()?;
        let loaded = self.load(&locked)?;
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

    fn load(&self, locked: &LockedFile) -> Result<Option<World>, StateError> {
        match fs::read(&locked.path) {
            // `touch` and `mktemp` create empty files.
            Ok(bytes) if bytes.is_empty() => Ok(None),
            Ok(bytes) => self.parse(&bytes).map(Some),
            Err(error) if error.kind() == NotFound => Ok(None),
            Err(reason) => {
                let path = self.path.clone();
                Err(StateError::Unreadable { path, reason })
            }
        }
    }

    fn parse(&self, bytes: &[u8]) -> Result<World, StateError> {
        let written = input::value(bytes).map_err(|error| self.damaged(error))?;
        // The version is checked first: a newer format may differ in everything else.
        let world = match written.get("version").and_then(Value::as_u64) {
            Some(version) if version != u64::from(VERSION) => {
                let path = self.path.clone();
                return Err(StateError::UnsupportedVersion { path, version });
            }
            Some(_) => input::object_in(written).map(|saved: Saved<World>| saved.world),
            // Only the world, as the control API returns it.
            None => input::object_in(written),
        };
        let mut world: World = world.map_err(|error| self.damaged(error))?;
        raise_last_id(&mut world).map_err(|error| self.damaged(error))?;
        Ok(world)
    }

    fn save(&self, locked: &LockedFile, world: &World) -> Result<(), StateError> {
        let version = VERSION;
        let bytes = serde_json::to_vec_pretty(&Saved { version, world })
            .expect("a world contains only values that JSON can represent");
        let written = locked.write(&bytes);
        written.map_err(|reason| self.unwritable(reason))
    }

    fn unwritable(&self, reason: io::Error) -> StateError {
        let path = self.path.clone();
        StateError::Unwritable { path, reason }
    }

    pub(crate) fn damaged(&self, reason: InvalidInput) -> StateError {
        let (path, reason) = (self.path.clone(), reason.to_string());
        StateError::Damaged { path, reason }
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
        "cannot write the state file {}: {reason}; check the permissions of the file and its directory, \
         mount the directory instead of the file alone, or use another file",
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

/// A file that is locked until this is dropped.
struct LockedFile {
    path: PathBuf,
    _lock: File,
}

impl LockedFile {
    /// Locks a file, which does not have to exist.
    fn lock(path: &Path) -> io::Result<Self> {
        let path = files::follow_links(path)?;
        let found = fs::metadata(&path).ok();
        // Devices and pipes store nothing and may block readers forever.
        if found.as_ref().is_some_and(|found| !found.is_file()) {
            return Err(io::Error::other("not a regular file"));
        }
        create_directory(files::directory(&path))?;
        // The file itself cannot be locked, because each write replaces it.
        let mut options = OpenOptions::new();
        let lock = private(options.create(true).append(true)).open(with_suffix(&path, ".lock"))?;
        // Those who may write the file may lock it, and its owner always, who may make it writable again.
        if let Some(found) = found {
            files::keep_permissions(&lock, &found, 0o600);
        }
        match lock.lock() {
            Err(error) if !lacks_locks(&error) => Err(error),
            _ => Ok(Self { path, _lock: lock }),
        }
    }

    /// Replaces the file. The name of the new one is fixed, so the next write removes a file that a crash left
    /// behind.
    fn write(&self, bytes: &[u8]) -> io::Result<()> {
        let new = with_suffix(&self.path, ".new");
        match fs::remove_file(&new) {
            Err(error) if error.kind() != NotFound => Err(error),
            _ => files::replace(&self.path, &new, private(&mut OpenOptions::new()), bytes),
        }
    }
}

/// Returns `true` if the file system does not support locks.
fn lacks_locks(error: &io::Error) -> bool {
    // Rust has no name for it.
    const ENOLCK: i32 = if cfg!(target_os = "linux") { 37 } else { 77 };
    let is_enolck = cfg!(unix) && error.raw_os_error() == Some(ENOLCK);
    is_enolck || error.kind() == io::ErrorKind::Unsupported
}

/// Returns the path of a file in the same directory, whose name has this end.
fn with_suffix(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(ending);
    name.into()
}

fn create_directory(directory: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(directory)
}

fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}
