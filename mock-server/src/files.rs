//! Files: small texts without a byte order mark, and files that are replaced as a whole.

use std::fmt::Display;
use std::fs::{self, File, Metadata, OpenOptions};
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use same_file::Handle;

/// Reads a text file, such as JSON or a token, as [`to_text`] does.
pub fn read_text(path: &Path, warn: impl FnOnce(&str)) -> io::Result<String> {
    to_text(fs::read(path)?, path.display(), warn)
}

/// Returns a text without its byte order mark, and passes a note with the source to `warn` if there is one.
pub fn to_text(text: Vec<u8>, source: impl Display, warn: impl FnOnce(&str)) -> io::Result<String> {
    let text = String::from_utf8(without_noted_mark(text, source, warn)?);
    text.map_err(|_| io::Error::other("it is not valid UTF-8"))
}

/// Reads a secret without the line break that editors write at its end, and without a byte order mark.
/// An empty one is an error, since anyone can sign with it.
pub fn read_secret(path: &Path, warn: impl FnOnce(&str)) -> io::Result<Vec<u8>> {
    let mut secret = without_noted_mark(fs::read(path)?, path.display(), warn)?;
    if secret.pop_if(|last| *last == b'\n').is_some() {
        secret.pop_if(|last| *last == b'\r');
    }
    if secret.is_empty() {
        return Err(io::Error::other("it is empty; expected at least 1 byte"));
    }
    Ok(secret)
}

/// Removes the byte order mark that editors and shells on Windows write before a text. Rejects UTF-16.
fn without_noted_mark(
    mut text: Vec<u8>,
    source: impl Display,
    warn: impl FnOnce(&str),
) -> io::Result<Vec<u8>> {
    let unmarked = without_mark(&text).map_err(io::Error::other)?;
    let mark = text.len() - unmarked.len();
    if mark > 0 {
        text.drain(..mark);
        warn(&format!(
            "{source} starts with a byte order mark, which is not used"
        ));
    }
    Ok(text)
}

/// Returns a text without a byte order mark, or the reason for rejecting UTF-16, with or without a mark.
pub(crate) fn without_mark(text: &[u8]) -> Result<&[u8], &'static str> {
    match text {
        [0xff, 0xfe, ..]
        | [0xfe, 0xff, ..]
        | [0, 1..=255, 0, 1..=255, ..]
        | [1..=255, 0, 1..=255, 0, ..] => Err("it is UTF-16; expected UTF-8"),
        [0xef, 0xbb, 0xbf, unmarked @ ..] => Ok(unmarked),
        unmarked => Ok(unmarked),
    }
}

/// Prints a line to stdout. It is no error if stdout is closed: the exit code still reports the result.
pub fn print(line: &str) -> io::Result<()> {
    match writeln!(io::stdout(), "{line}") {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        printed => printed,
    }
}

/// Opens a file that [`write`] will write, or creates it, so that an invalid path fails early. A regular file is
/// replaced by one with the same content, and is not kept open, since Windows may not replace open files.
pub fn open_for_writing(path: &Path) -> io::Result<Option<File>> {
    let target = follow_links(path)?;
    let opened = OpenOptions::new().create(true).append(true).open(path)?;
    if !opened.metadata()?.is_file() || standard_stream(path).is_some() {
        return Ok(Some(opened));
    }
    drop(opened);
    replace_named(&target, &fs::read(&target)?)?;
    Ok(None)
}

/// Writes a file that the user names. A regular file that the user may write is replaced; if this fails, its
/// old content stays. Anything else, such as a pipe, is written to.
pub fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    let target = follow_links(path)?;
    if path.metadata().is_ok_and(|found| !found.is_file()) {
        return fs::write(path, content);
    }
    match standard_stream(path) {
        Some(mut stream) => stream.as_file_mut().write_all(content),
        None => replace_named(&target, content),
    }
}

fn replace_named(path: &Path, content: &[u8]) -> io::Result<()> {
    let unique = RandomState::new().hash_one(());
    let new = directory(path).join(format!(".{unique:016x}.new"));
    let replaced = replace(path, &new, &mut OpenOptions::new(), content);
    use ErrorKind::{PermissionDenied, ReadOnlyFilesystem, ResourceBusy};
    replaced.map_err(|error| match error.kind() {
        kind @ (PermissionDenied | ReadOnlyFilesystem | ResourceBusy) => {
            let advice = "a new file replaces it: its directory must be writable, and mounted instead of the file alone";
            io::Error::new(kind, format!("{error}; {advice}"))
        }
        _ => error,
    })
}

/// Returns stdout or stderr if it is redirected to this file, as that of `/dev/stdout` is: a new file would replace
/// what else is printed.
fn standard_stream(path: &Path) -> Option<Handle> {
    let file = Handle::from_path(path).ok()?;
    let mut streams = [Handle::stdout(), Handle::stderr()].into_iter().flatten();
    streams.find(|stream| *stream == file)
}

/// Writes a new file, created with these options, and renames it. It keeps the permissions of the old one, if there
/// is one, which the user must be able to write. If this fails, the new file is removed.
pub(crate) fn replace(
    path: &Path,
    new: &Path,
    options: &mut OpenOptions,
    content: &[u8],
) -> io::Result<()> {
    options.write(true);
    let old = match options.open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        opened => Some(opened?.metadata()?),
    };
    #[cfg(unix)]
    if old.is_some() {
        std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    }
    let mut file = options.create_new(true).open(new)?;
    if let Some(old) = old {
        keep_permissions(&file, &old, 0);
    }
    let written = file.write_all(content).and_then(|()| file.sync_all());
    let renamed = written.and_then(|()| fs::rename(new, path));
    if renamed.is_err() {
        let _ = fs::remove_file(new);
    }
    renamed
}

/// Gives a file the group and the mode of another one with these bits added and, if the user is root, its owner.
/// If the group cannot be kept, it gets no permissions.
#[cfg(unix)]
pub(crate) fn keep_permissions(file: &File, old: &Metadata, added: u32) {
    use std::fs::Permissions;
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};
    let Ok(new) = file.metadata() else { return };
    if new.uid() != old.uid() {
        let _ = fchown(file, Some(old.uid()), None);
    }
    let keeps_group = new.gid() == old.gid() || fchown(file, None, Some(old.gid())).is_ok();
    let mode = added | old.mode() & if keeps_group { 0o777 } else { 0o707 };
    // Some file systems do not support permissions.
    if new.mode() & 0o777 != mode {
        let _ = file.set_permissions(Permissions::from_mode(mode));
    }
}

#[cfg(not(unix))]
pub(crate) fn keep_permissions(_: &File, _: &Metadata, _: u32) {}

/// Follows the symbolic links of a file, which does not have to exist. As the kernel does by default, follows
/// a link in a sticky directory that all users can write only if it belongs to the user or to the owner of the
/// directory.
pub(crate) fn follow_links(path: &Path) -> io::Result<PathBuf> {
    // The maximum of the kernel.
    const MAX_LINKS: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(target) = fs::read_link(&path) else {
            return Ok(path);
        };
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt as _;
            // Sticky, and writable by all.
            const SHARED: u32 = 0o1002;
            let (link, directory) = (path.symlink_metadata()?, directory(&path).metadata()?);
            let is_shared = directory.mode() & SHARED == SHARED;
            // Only Linux shows the user there.
            let user = fs::metadata("/proc/self").map_or(directory.uid(), |user| user.uid());
            if is_shared && ![user, directory.uid()].contains(&link.uid()) {
                let reason = "a link of another user in a directory that all users can write";
                return Err(io::Error::new(ErrorKind::PermissionDenied, reason));
            }
        }
        path = directory(&path).join(target);
    }
    Err(io::Error::other("too many symbolic links"))
}

/// Returns the directory of a file.
pub fn directory(path: &Path) -> &Path {
    let directory = path.parent().filter(|path| !path.as_os_str().is_empty());
    directory.unwrap_or(Path::new("."))
}
