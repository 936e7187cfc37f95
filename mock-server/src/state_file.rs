//! A world that is kept in a file, so that many processes can work on it one after the other.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::engine::{World, check_ids, with_valid_last_id};
use crate::read_json;

/// The form in which this version writes a world.
const VERSION: u32 = 1;

/// A file that holds a world between processes.
///
/// Every request to a server on such a file is a transaction of its own: an exclusive lock on a
/// file beside it (`state.json.lock`), read, answer, and, when something changed, write to another
/// file beside it (`state.json.new`) and rename. So two programs at once lose nothing, and a crash
/// leaves the old state or the new one. The file is readable by its owner alone, since it holds
/// keys; directories that are missing are made, for their owner alone. A symbolic link stays one:
/// all of this happens to the file that it points at.
///
/// The file is JSON, `{"version": 1, "world": {…}}`. What the control API shows of a world, the part
/// under `world` alone, is read as well.
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
    /// Names the file. Nothing is read or written yet.
    ///
    /// ```
    /// let file = mock_server::StateFile::new("state.json");
    /// assert!(!file.path().exists());
    /// ```
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Where the file is.
    ///
    /// ```
    /// let file = mock_server::StateFile::new("state.json");
    /// assert_eq!(file.path(), std::path::Path::new("state.json"));
    /// ```
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Puts `world` in place of whatever the file holds, damaged or not, and makes the file when
    /// there is none. Servers on the file go on with the new world.
    ///
    /// # Errors
    ///
    /// [`StateError::Unwritable`] when the file cannot be locked or written.
    ///
    /// ```
    /// use mock_server::{StateFile, World};
    ///
    /// let directory = tempfile::tempdir()?;
    /// let file = StateFile::new(directory.path().join("state.json"));
    /// file.reset(&World::new(7))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn reset(&self, world: &World) -> Result<(), StateError> {
        let locked = self.lock()?;
        self.save(&locked, world)
    }

    /// Runs `change` on the world in the file while no other process has it, and writes the world
    /// back when `change` returns `true` beside its result. `new_world` stands in for a file that
    /// is not there, and is written then.
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

    /// Takes the lock, which lasts as long as what is returned. The state file cannot be its own
    /// lock, because each write puts another file in its place.
    fn lock(&self) -> Result<Locked, StateError> {
        let lock = || {
            let path = resolve_link(&self.path)?;
            check_regular(&path)?;
            create_directory(directory(&path))?;
            let mut options = OpenOptions::new();
            let file =
                private(options.create(true).append(true)).open(with_suffix(&path, ".lock"))?;
            file.lock()?;
            Ok(Locked { path, _file: file })
        };
        lock().map_err(|source| self.unwritable(source))
    }

    fn load(&self) -> Result<Option<World>, StateError> {
        let bytes = match fs::read(&self.path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => {
                let path = self.path.clone();
                return Err(StateError::Unreadable { path, source });
            }
        };
        // `touch` and `mktemp` make a file to begin with.
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
        // The version comes first: a newer form may look in any way otherwise.
        let world = match written.get("version").and_then(Value::as_u64) {
            Some(version) if version != u64::from(VERSION) => {
                let path = path();
                return Err(StateError::UnsupportedVersion { path, version });
            }
            Some(_) => read_json::object_in(written).map(|saved: Saved<World>| saved.world),
            // A world alone, as the control API shows it.
            None => read_json::object_in(written),
        };
        let world: World = world.map_err(|error| damaged(&error))?;
        check_ids(&world).map_err(|reason| damaged(&reason))?;
        Ok(world)
    }

    fn save(&self, locked: &Locked, world: &World) -> Result<(), StateError> {
        let (version, world) = (VERSION, with_valid_last_id(world));
        let bytes = serde_json::to_vec_pretty(&Saved { version, world })
            .expect("a world is made of texts, numbers and lists");
        locked
            .replace(&bytes)
            .map_err(|source| self.unwritable(source))
    }

    fn unwritable(&self, source: io::Error) -> StateError {
        let path = self.path.clone();
        StateError::Unwritable { path, source }
    }
}

/// Why a state file cannot serve. The file is left as it is.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// The file is there and cannot be read.
    #[error("the state file {} cannot be read: {source}; allow reading it, or name another", path.display())]
    Unreadable {
        /// The state file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file, its lock or its directory cannot be written.
    #[error("the state file {} cannot be written: {source}; allow writing it, or name another", path.display())]
    Unwritable {
        /// The state file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// What the file holds is no state, or one that no service can go on from.
    #[error(
        "the state file {} is damaged: {reason}; mend it, or delete it to start anew",
        path.display()
    )]
    Damaged {
        /// The state file.
        path: PathBuf,
        /// Where, what was found there and what is expected.
        reason: String,
    },
    /// The file was written by another version of the mock server, in another form.
    #[error(
        "the state file {} has version {version}, and this mock server reads version {VERSION}; \
         use the mock server that wrote it, or delete it to start anew",
        path.display()
    )]
    UnsupportedVersion {
        /// The state file.
        path: PathBuf,
        /// The version that the file states.
        version: u64,
    },
}

/// The file that holds the state, which is nobody else's as long as this lasts.
struct Locked {
    path: PathBuf,
    _file: File,
}

impl Locked {
    /// The new file has the same name each time, so that what a crash leaves behind goes with the
    /// next write, and mode 0600 from its beginning.
    fn replace(&self, bytes: &[u8]) -> io::Result<()> {
        let new = with_suffix(&self.path, ".new");
        match fs::remove_file(&new) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut file = private(OpenOptions::new().create_new(true).write(true)).open(&new)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&new, &self.path)
    }
}

/// Where a path leads, which is there or not; a link may point at a file that is to be made.
fn resolve_link(path: &Path) -> io::Result<PathBuf> {
    match fs::canonicalize(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(match fs::read_link(path) {
            Ok(link) => directory(path).join(link),
            Err(_) => path.to_owned(),
        }),
        found => found,
    }
}

/// A device or a pipe keeps nothing, and reading from it may never end.
fn check_regular(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(found) if !found.is_file() => Err(io::Error::other("it is no regular file")),
        _ => Ok(()),
    }
}

fn directory(path: &Path) -> &Path {
    match path.parent() {
        Some(directory) if !directory.as_os_str().is_empty() => directory,
        _ => Path::new("."),
    }
}

fn with_suffix(path: &Path, ending: &str) -> OsString {
    let mut name = OsString::from(path);
    name.push(ending);
    name
}

#[derive(Serialize, Deserialize)]
struct Saved<W> {
    version: u32,
    world: W,
}

#[cfg(unix)]
fn create_directory(directory: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(directory)
}

#[cfg(not(unix))]
fn create_directory(directory: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).create(directory)
}

#[cfg(unix)]
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    options.mode(0o600)
}

#[cfg(not(unix))]
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}
