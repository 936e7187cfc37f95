//! A file that several processes may replace, one at a time.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A file that is locked until this is dropped.
pub(super) struct LockedFile {
    path: PathBuf,
    _lock: File,
}

impl LockedFile {
    /// Locks a file, which does not have to exist. The file itself cannot be locked, because each
    /// write replaces it.
    pub(super) fn lock(path: &Path) -> io::Result<Self> {
        let path = resolve_link(path)?;
        check_regular(&path)?;
        create_directory(directory(&path))?;
        let mut options = OpenOptions::new();
        let lock = private(options.create(true).append(true)).open(with_suffix(&path, ".lock"))?;
        lock.lock()?;
        Ok(Self { path, _lock: lock })
    }

    /// Writes a new file and renames it. Its name is fixed, so the next write removes a file that a
    /// crash left behind. It is created with mode 0600.
    pub(super) fn replace(&self, bytes: &[u8]) -> io::Result<()> {
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

/// Follows symbolic links. The target of a link does not have to exist.
fn resolve_link(path: &Path) -> io::Result<PathBuf> {
    match fs::canonicalize(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(match fs::read_link(path) {
            Ok(link) => directory(path).join(link),
            Err(_) => path.to_owned(),
        }),
        found => found,
    }
}

/// Rejects devices and pipes, which store nothing and may block readers forever.
fn check_regular(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(found) if !found.is_file() => Err(io::Error::other("not a regular file")),
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
