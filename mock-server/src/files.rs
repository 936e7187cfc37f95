//! Files: small texts without a byte order mark, and files that are replaced as a whole.

use std::fmt::Display;
use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, ErrorKind, Read as _, Seek as _, Write as _};
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

/// Opens a file that [`write`] will write, or creates it, so that an invalid path fails early. Its content
/// stays.
pub fn open_for_writing(path: &Path) -> io::Result<File> {
    follow_links(path)?;
    OpenOptions::new().create(true).append(true).open(path)
}

/// Writes a file that the user names. A regular file that the user may write is replaced, or written in place
/// if it is mounted alone or its directory cannot be written; if this fails, its old content stays. Anything
/// else, such as a pipe, is written to.
pub fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    let target = follow_links(path)?;
    let old = path.metadata().ok();
    if old.as_ref().is_some_and(|found| !found.is_file()) {
        return fs::write(path, content);
    }
    if let Some(mut stream) = standard_stream(path) {
        return stream.as_file_mut().write_all(content);
    }
    let mut options = OpenOptions::new();
    options.write(true);
    if old.is_some() {
        options.open(&target)?;
    }
    let unique = RandomState::new().hash_one(());
    let new = directory(&target).join(format!(".{unique:016x}.new"));
    let replaced = options.create_new(true).open(&new).and_then(|file| {
        if let Some(old) = &old {
            // Some file systems do not support permissions.
            let _ = file.set_permissions(old.permissions());
        }
        replace(&target, &new, file, content)
    });
    use ErrorKind::{PermissionDenied, ReadOnlyFilesystem, ResourceBusy};
    match replaced.as_ref().map_err(io::Error::kind) {
        Err(PermissionDenied | ReadOnlyFilesystem | ResourceBusy) if old.is_some() => {
            write_in_place(&target, content)
        }
        _ => replaced,
    }
}

/// Returns stdout or stderr if it is redirected to this file, as that of `/dev/stdout` is: a new file would replace
/// what else is printed.
fn standard_stream(path: &Path) -> Option<Handle> {
    let file = Handle::from_path(path).ok()?;
    let mut streams = [Handle::stdout(), Handle::stderr()].into_iter().flatten();
    streams.find(|stream| *stream == file)
}

/// Writes a file without replacing it, and restores its content if that fails.
pub(crate) fn write_in_place(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().read(true).write(true).open(path)?;
    let mut old = Vec::new();
    file.read_to_end(&mut old)?;
    let mut write = |content: &[u8]| {
        file.rewind()?;
        file.write_all(content)?;
        file.set_len(content.len() as u64)?;
        file.sync_all()
    };
    let written = write(content);
    if written.is_err() {
        let _ = write(&old);
    }
    written
}

/// Writes a new file and renames it. It keeps the owner of the old one, if there is one and the user is root.
/// If this fails, the new file is removed.
pub(crate) fn replace(path: &Path, new: &Path, mut file: File, content: &[u8]) -> io::Result<()> {
    #[cfg(unix)]
    if let (Ok(old), Ok(created)) = (path.metadata(), file.metadata()) {
        use std::os::unix::fs::{MetadataExt as _, fchown};
        if (old.uid(), old.gid()) != (created.uid(), created.gid()) {
            let _ = fchown(&file, Some(old.uid()), Some(old.gid()));
        }
    }
    let written = file.write_all(content).and_then(|()| file.sync_all());
    let renamed = written.and_then(|()| fs::rename(new, path));
    if renamed.is_err() {
        let _ = fs::remove_file(new);
    }
    renamed
}

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
    match path.parent() {
        Some(directory) if !directory.as_os_str().is_empty() => directory,
        _ => Path::new("."),
    }
}
