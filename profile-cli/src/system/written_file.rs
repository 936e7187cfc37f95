//! Writes files: as a new file that replaces the old one.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Write as _};
use std::path::Path;
use std::thread;
use std::time::Duration;

use same_file::Handle;

use super::{interruption, private_file};
use crate::terminal::escaped;

/// The rules for writing a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rules {
    /// For a file that only its owner can access, such as a key: a symbolic link is replaced, and the directory
    /// is created.
    Private,
    /// For config.toml, of which a symbolic link stays. Only its owner can access a new file.
    Settings,
    /// For a file that the user names, which may also be a device or a pipe.
    Named,
}

/// Writes a file atomically. If that fails, the old file is whole. One that the user may not write is not
/// replaced. A signal leaves no temporary file behind.
pub(crate) fn write(path: &Path, contents: &[u8], rules: Rules) -> io::Result<()> {
    let mut paths = vec![path.to_owned()];
    if rules != Rules::Private {
        paths = private_file::follow_links(path)?;
    }
    let target = paths.pop().unwrap_or_default();
    #[cfg(unix)]
    paths.iter().try_for_each(|link| check_link(link))?;
    if rules == Rules::Named {
        if path.metadata().is_ok_and(|found| !found.is_file()) {
            return fs::write(path, contents);
        }
        if let Some(mut stream) = standard_stream(path) {
            return stream.as_file_mut().write_all(contents);
        }
    }
    let _deferred = interruption::defer();
    match rules {
        Rules::Private => private_file::create_directory(private_file::parent(path))?,
        Rules::Settings | Rules::Named => match File::options().write(true).open(&target) {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            opened => drop(opened?),
        },
    }
    replace(&target, contents, rules)
}

/// Returns stdout or stderr if it is redirected to this file, as that of `/dev/stdout` is: a new file would replace
/// what else is printed.
fn standard_stream(path: &Path) -> Option<Handle> {
    let file = Handle::from_path(path).ok()?;
    let mut streams = [Handle::stdout(), Handle::stderr()].into_iter().flatten();
    streams.find(|stream| *stream == file)
}

#[cfg_attr(
    not(unix),
    expect(unused_variables, reason = "only Unix sets permissions")
)]
fn replace(path: &Path, contents: &[u8], rules: Rules) -> io::Result<()> {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "only Unix sets permissions"))]
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    let old = path.symlink_metadata().ok().filter(fs::Metadata::is_file);
    // Use the permissions of the user's umask, rather than those of a temporary file.
    #[cfg(unix)]
    if rules == Rules::Named && old.is_none() {
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    }
    let file = builder.tempfile_in(private_file::parent(path));
    let mut file = file.map_err(|error| {
        let error = without_path(error);
        match error.kind() {
            ErrorKind::NotFound => error,
            kind => io::Error::new(kind, format!("its directory cannot be written: {error}")),
        }
    })?;
    #[cfg(unix)]
    if let Some(old) = old {
        keep_access(file.as_file(), &old, rules)?;
    }
    // Errors of `NamedTempFile` contain its path.
    file.as_file_mut().write_all(contents)?;
    file.as_file().sync_all()?;
    let persisted = file.persist(path);
    persisted.map_err(|failed| {
        let (kind, reason) = (failed.error.kind(), failed.error);
        io::Error::new(kind, format!("it cannot be replaced: {reason}"))
    })?;
    Ok(())
}

/// Gives a new file the group and the permissions of the old one, and as root its owner.
#[cfg(unix)]
fn keep_access(new: &File, old: &fs::Metadata, rules: Rules) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};
    let created = new.metadata()?;
    let mut mode = old.mode() & 0o7777;
    let is_root = rustix::process::geteuid().is_root();
    if created.gid() != old.gid() || (is_root && created.uid() != old.uid()) {
        let kept = fchown(new, is_root.then_some(old.uid()), Some(old.gid()));
        match rules {
            Rules::Settings => kept?,
            Rules::Named if kept.is_err() => mode &= !0o070,
            Rules::Private | Rules::Named => {}
        }
    }
    if rules != Rules::Private {
        // Some file systems do not support permissions.
        let _ = new.set_permissions(fs::Permissions::from_mode(mode));
    }
    Ok(())
}

/// Waits for a lock, and after a second says so. Warns if there is none, as on some file systems.
pub(crate) fn wait_for(lock: &File, path: &Path, warn: impl Fn(&str)) {
    let shown = escaped(path);
    for attempt in 0.. {
        match lock.try_lock() {
            Ok(()) => return,
            Err(TryLockError::Error(error)) => {
                return warn(&format!(
                    "{shown} cannot be locked ({error}); a change that another process makes now may be lost"
                ));
            }
            Err(TryLockError::WouldBlock) if attempt == 50 => warn(&format!(
                "waiting for {shown}, which another process has locked"
            )),
            Err(TryLockError::WouldBlock) => {}
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// Rejects a symbolic link that the kernel does not follow by default: in a sticky directory that all users
/// can write, of neither the user nor the owner of the directory.
#[cfg(unix)]
fn check_link(link: &Path) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt as _;

    // Sticky, and writable by all.
    const SHARED: u32 = 0o1002;
    let directory = private_file::parent(link).metadata()?;
    let trusted = [directory.uid(), rustix::process::geteuid().as_raw()];
    let is_trusted = trusted.contains(&link.symlink_metadata()?.uid());
    match directory.mode() & SHARED == SHARED && !is_trusted {
        true => Err(io::Error::new(
            ErrorKind::PermissionDenied,
            "it is a symbolic link of another user in a directory that all users can write",
        )),
        false => Ok(()),
    }
}

/// Removes the path of a temporary file from the error.
pub(crate) fn without_path(error: io::Error) -> io::Error {
    match error.to_string().split_once(" at path ") {
        Some((reason, _)) => io::Error::new(error.kind(), reason),
        None => error,
    }
}
