//! Writes files: as a new file that replaces the old one, or in place if that is not possible.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use same_file::Handle;
use tempfile::TempPath;

use super::{environment, interruption, private_file};
use crate::outcome::{Failure, Result};
use crate::terminal::escaped;

/// The rules for writing a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rules {
    /// For a file that only its owner can access, such as a key: a symbolic link is replaced, the directory
    /// is created, and nothing is written in place.
    Private,
    /// For config.toml, of which a symbolic link stays. Only its owner can access a new file.
    Settings,
    /// For a file that the user names, which may also be a device or a pipe.
    Named,
}

/// Writes a file atomically. A file that cannot be replaced, since it is mounted alone or its directory
/// cannot be written, is written in place, unless it is private. A file that the user may not write is not
/// replaced. A signal leaves no temporary file behind.
pub(crate) fn write(path: &Path, contents: &[u8], rules: Rules) -> io::Result<()> {
    if rules == Rules::Private {
        let _deferred = interruption::defer();
        private_file::create_directory(private_file::parent(path))?;
        return replace(path, contents, rules);
    }
    let target = &follow_links(path)?;
    let is_regular = path.metadata().map_or(true, |found| found.is_file());
    if rules == Rules::Named && !is_regular {
        return fs::write(path, contents);
    }
    if rules == Rules::Named
        && let Some(mut stream) = standard_stream(path)
    {
        return stream.as_file_mut().write_all(contents);
    }
    let old = match open_old(target) {
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        opened => Some(opened?),
    };
    let _deferred = interruption::defer();
    match (replace(target, contents, rules), old) {
        (Err(reason), Some(old)) if cannot_be_replaced(&reason) => {
            write_in_place(old, target, contents, rules, &reason)
        }
        (replaced, _) => replaced,
    }
}

/// Returns stdout or stderr if it is redirected to this file, as that of `/dev/stdout` is: a new file would replace
/// what else is printed.
fn standard_stream(path: &Path) -> Option<Handle> {
    let file = Handle::from_path(path).ok()?;
    let mut streams = [Handle::stdout(), Handle::stderr()].into_iter().flatten();
    streams.find(|stream| *stream == file)
}

fn replace(path: &Path, contents: &[u8], rules: Rules) -> io::Result<()> {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "only Unix sets permissions"))]
    let mut builder = tempfile::Builder::new();
    // Use the permissions of the user's umask, rather than those of a temporary file.
    #[cfg(unix)]
    if rules == Rules::Named {
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    }
    let file = builder.tempfile_in(private_file::parent(path));
    let mut file = file.map_err(without_path)?;
    match path.symlink_metadata() {
        Ok(old) if old.is_file() => {
            let kept = private_file::keep_owner(file.as_file(), &old);
            if rules == Rules::Settings {
                kept?;
            }
            if rules != Rules::Private {
                // Some file systems do not support permissions.
                let _ = file.as_file().set_permissions(old.permissions());
            }
        }
        _ if rules != Rules::Named => private_file::give_to_owner_above(file.as_file(), path),
        _ => {}
    }
    // Errors of `NamedTempFile` contain its path.
    file.as_file_mut().write_all(contents)?;
    if rules != Rules::Named {
        file.as_file().sync_all()?;
    }
    file.persist(path)?;
    Ok(())
}

/// Opens a file that may be written in place.
fn open_old(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true).write(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags.bits().cast_signed());
    }
    options.open(path)
}

/// Writes a file without replacing it. A copy of its contents exists until the new ones are on the disk.
fn write_in_place(
    mut file: File,
    path: &Path,
    contents: &[u8],
    rules: Rules,
    reason: &io::Error,
) -> io::Result<()> {
    if rules == Rules::Settings {
        private_file::check(path, Some(&file.metadata()?)).map_err(io::Error::other)?;
    }
    let copy = copy_of(&mut file).map_err(|error| {
        io::Error::other(format!(
            "{reason}, and its contents cannot be copied first: {error}"
        ))
    })?;
    let mut written = || {
        file.rewind()?;
        file.write_all(contents)?;
        file.set_len(contents.len() as u64)?;
        file.sync_all()
    };
    written().or_else(|error| {
        let copy = copy.keep()?.display().to_string();
        let message = format!("{error}; its old contents are in {copy}");
        Err(io::Error::other(message))
    })
}

/// Copies a file to the directory of the program's state. The copy is removed when dropped.
fn copy_of(file: &mut File) -> io::Result<TempPath> {
    let directory = environment::state_directory();
    let directory = directory.map_err(|failure| io::Error::other(failure.message))?;
    private_file::check(&directory, None).map_err(io::Error::other)?;
    private_file::create_directory(&directory)?;
    create_temporary(&directory, ["replaced-", ""], |copy| {
        io::copy(file, copy)?;
        copy.sync_all()
    })
}

/// Creates a private file with a name between these texts. It is removed when dropped, or if it cannot be
/// written.
pub(crate) fn create_temporary(
    directory: &Path,
    [prefix, suffix]: [&str; 2],
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<TempPath> {
    let _deferred = interruption::defer();
    let mut builder = tempfile::Builder::new();
    let file = builder.prefix(prefix).suffix(suffix).tempfile_in(directory);
    let mut file = file.map_err(without_path)?;
    // Since the directory was checked, another user may have replaced it.
    let created = file.as_file().metadata()?;
    private_file::check(file.path(), Some(&created)).map_err(io::Error::other)?;
    write(file.as_file_mut())?;
    Ok(file.into_temp_path())
}

/// Returns `true` if a file cannot be replaced for a reason that may not prevent writing it in place.
pub(crate) fn cannot_be_replaced(error: &io::Error) -> bool {
    use ErrorKind::{PermissionDenied, ReadOnlyFilesystem, ResourceBusy};
    [PermissionDenied, ReadOnlyFilesystem, ResourceBusy].contains(&error.kind())
}

/// Returns `true` if the file system does not support locks.
fn lacks_locks(error: &io::Error) -> bool {
    // Rust has no name for ENOLCK.
    #[cfg(unix)]
    let is_enolck = error.raw_os_error() == Some(rustix::io::Errno::NOLCK.raw_os_error());
    #[cfg(not(unix))]
    let is_enolck = false;
    is_enolck || error.kind() == ErrorKind::Unsupported
}

/// Waits for a lock, and after a second says so. Warns if the file system has no locks.
pub(crate) fn wait_for(lock: &File, path: &Path, warn: impl Fn(&str)) -> Result<()> {
    let shown = escaped(path);
    for attempt in 0.. {
        match lock.try_lock() {
            Err(TryLockError::WouldBlock) => {
                if attempt == 50 {
                    warn(&format!(
                        "waiting for {shown}, which another process has locked"
                    ));
                }
                thread::sleep(Duration::from_millis(20));
            }
            Err(TryLockError::Error(error)) if lacks_locks(&error) => {
                warn(&format!(
                    "{shown} cannot be locked ({error}); a change that another process makes now may be lost"
                ));
                break;
            }
            Err(TryLockError::Error(error)) => {
                return Err(Failure::of_file("locked", path, &error));
            }
            Ok(()) => break,
        }
    }
    Ok(())
}

/// Follows the symbolic links of a file, which does not have to exist.
fn follow_links(path: &Path) -> io::Result<PathBuf> {
    // The maximum of the kernel.
    const MAX_LINKS: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(target) = fs::read_link(&path) else {
            return Ok(path);
        };
        #[cfg(unix)]
        check_link(&path)?;
        path = private_file::parent(&path).join(target);
    }
    Err(io::Error::other("there are too many symbolic links"))
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

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::io;

    use rustix::io::Errno;

    use super::{cannot_be_replaced, lacks_locks};

    #[test]
    fn only_some_errors_of_the_system_have_another_way() {
        let names = |is_meant: fn(&io::Error) -> bool| {
            let is_meant = |number: &i32| is_meant(&io::Error::from_raw_os_error(*number));
            let numbers = (1..=133).filter(is_meant);
            numbers.map(Errno::from_raw_os_error).collect::<Vec<_>>()
        };
        let sorted = |mut numbers: Vec<Errno>| {
            numbers.sort_by_key(|number| number.raw_os_error());
            numbers
        };
        assert_eq!(
            names(cannot_be_replaced),
            sorted(vec![Errno::PERM, Errno::ACCESS, Errno::BUSY, Errno::ROFS])
        );
        assert_eq!(
            names(lacks_locks),
            sorted(vec![Errno::NOLCK, Errno::NOSYS, Errno::OPNOTSUPP])
        );
    }
}
