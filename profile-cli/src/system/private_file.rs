//! Files that only their owner can access: keys, settings, texts in the editor.

use std::fs::{self, DirBuilder, File, Metadata};
use std::io;
#[cfg(unix)]
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::outcome::word;
use crate::terminal::escaped;

/// A warning if the group can change a file, or an error if all other users can.
pub(crate) type Safety = Result<Option<String>, String>;

/// Creates a directory that only its owner can access, and those above it. Existing directories are not
/// changed.
pub(crate) fn create_directory(directory: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(directory)
}

/// Opens a file for writing. A new one can be accessed only by its owner.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.write(true).create(true).truncate(false).open(path)
}

/// Returns the directory of a file.
pub(crate) fn parent(path: &Path) -> &Path {
    let parent = path.parent();
    let parent = parent.filter(|parent| !parent.as_os_str().is_empty());
    parent.unwrap_or(Path::new("."))
}

/// Returns a path, which does not have to exist, and those to which its symbolic links lead.
pub(crate) fn follow_links(path: &Path) -> io::Result<Vec<PathBuf>> {
    // The maximum of the kernel.
    const MAX_LINKS: usize = 40;
    let mut paths = vec![path.to_owned()];
    while let Some(last) = paths.last()
        && let Ok(target) = fs::read_link(last)
    {
        if paths.len() > MAX_LINKS {
            return Err(io::Error::other("there are too many symbolic links"));
        }
        let target = parent(last).join(target);
        paths.push(target);
    }
    Ok(paths)
}

/// Returns the file or directory without the access of others.
pub(crate) fn restricted_to_owner(file: File) -> io::Result<File> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mut permissions = file.metadata()?.permissions();
        permissions.set_mode(permissions.mode() & 0o700);
        // Some file systems do not support permissions.
        let _ = file.set_permissions(permissions);
    }
    Ok(file)
}

/// Opens a file of the program without waiting, and checks it: a pipe is an error.
pub(crate) fn open(path: &Path) -> io::Result<(File, Safety)> {
    #[cfg(not(unix))]
    let file = File::open(path)?;
    #[cfg(unix)]
    let file = {
        use rustix::fs::{Mode, OFlags};
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        File::from(rustix::fs::open(path, flags, Mode::empty())?)
    };
    let metadata = file.metadata()?;
    match metadata.is_file() {
        true => Ok((file, check(path, Some(&metadata)))),
        false => Err(io::Error::other("it is not a regular file")),
    }
}

/// Returns the warning for a file or directory with secrets that others can access.
pub(crate) fn exposed_warning(path: &Path) -> String {
    let mode = if path.is_dir() { 700 } else { 600 };
    let (shown, argument) = (escaped(path), word(path, "PATH"));
    format!("others can access {shown}; restrict it with `chmod {mode} {argument}`")
}

/// Checks that only the user and root can change or replace a file, which may be missing: the file that was
/// opened or is at the path, and each symbolic link to it, with their directories. The current group of the
/// user may change them, another group causes a warning, and root may use files of any owner.
#[cfg(unix)]
pub(crate) fn check(path: &Path, opened: Option<&Metadata>) -> Safety {
    let unknown = |error| format!("{} cannot be checked: {error}", escaped(path));
    let mut warning = None;
    for found in follow_links(path).map_err(unknown)? {
        let directory = parent(&found);
        for (part, metadata) in [
            (directory, directory.metadata()),
            (&found, found.symlink_metadata()),
        ] {
            match metadata {
                Ok(metadata) => warning = warning.or(check_part(path, part, &metadata)?),
                Err(error) => match error.kind() {
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {}
                    _ => return Err(unknown(error)),
                },
            }
        }
    }
    match opened {
        Some(opened) => Ok(warning.or(check_part(path, path, opened)?)),
        None => Ok(warning),
    }
}

/// Access lists are not read. Those of the user's directories let only the user and administrators in.
#[cfg(windows)]
pub(crate) fn check(path: &Path, _: Option<&Metadata>) -> Safety {
    let lower = |path: PathBuf| PathBuf::from(path.into_os_string().to_ascii_lowercase());
    let absolute = lower(std::path::absolute(path).unwrap_or_default());
    let above = ["USERPROFILE", "APPDATA", "LOCALAPPDATA"].into_iter();
    let mut above = above.filter_map(super::environment::path).map(lower);
    let is_private = above.any(|above| absolute.starts_with(above));
    let path = escaped(path);
    let warning = format!(
        "{path} is outside of your user directory; others may be able to read or change it"
    );
    Ok((!is_private).then_some(warning))
}

#[cfg(unix)]
const ROOT: u32 = 0;

#[cfg(unix)]
fn check_part(file: &Path, part: &Path, metadata: &Metadata) -> Safety {
    const STICKY: u32 = 0o1000;
    const WRITABLE_BY_GROUP: u32 = 0o020;
    const WRITABLE_BY_ALL: u32 = 0o002;
    let (owner, mode) = (metadata.uid(), metadata.mode());
    let user = rustix::process::geteuid().as_raw();
    let (file, shown, argument) = (escaped(file), escaped(part), word(part, "PATH"));
    if ![user, ROOT].contains(&owner) && user != ROOT {
        return Err(format!(
            "{file} is not safe: another user owns {shown}; \
             if it is yours, run `sudo chown -h {user} {argument}`"
        ));
    }
    // The permissions of a link have no meaning, and only root can replace the files of others in a
    // sticky directory.
    let is_sticky = metadata.is_dir() && mode & STICKY != 0 && owner == ROOT;
    if is_sticky || !(metadata.is_file() || metadata.is_dir()) {
        return Ok(None);
    }
    if mode & WRITABLE_BY_ALL != 0 {
        return Err(format!(
            "{file} is not safe: all users can change {shown}; run `chmod go-w {argument}`"
        ));
    }
    let is_foreign = metadata.gid() != rustix::process::getegid().as_raw();
    let warning = || format!("the group can change {shown}; run `chmod g-w {argument}`");
    Ok((mode & WRITABLE_BY_GROUP != 0 && is_foreign).then(warning))
}

/// Returns the warning for a file or directory with secrets that others can access, also if the user cannot
/// restrict it.
pub(crate) fn exposure(path: &Path) -> io::Result<Option<String>> {
    let metadata = fs::metadata(path)?;
    #[cfg(unix)]
    if !is_accessible_to_others(&metadata) && metadata.mode() & 0o004 != 0 {
        let path = escaped(path);
        let warning = format!("all users can read {path}, which belongs to root");
        return Ok(Some(warning));
    }
    Ok(is_accessible_to_others(&metadata).then(|| exposed_warning(path)))
}

/// Returns `true` if others can access a file, unless only root can change it, such as a mounted secret: the
/// user cannot restrict it.
#[cfg(unix)]
pub(crate) fn is_accessible_to_others(file: &Metadata) -> bool {
    let mode = file.mode();
    let is_of_root = file.uid() == ROOT && mode & 0o022 == 0;
    let can_restrict = mode & 0o004 != 0 && rustix::process::geteuid().is_root();
    mode & 0o077 != 0 && (can_restrict || !is_of_root)
}

/// See [`check`].
#[cfg(windows)]
pub(crate) fn is_accessible_to_others(_: &Metadata) -> bool {
    false
}
