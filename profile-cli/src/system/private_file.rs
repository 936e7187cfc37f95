//! Files that only their owner can access: keys, settings, texts in the editor.

#[cfg(unix)]
use std::collections::HashSet;
use std::fs::{self, File, Metadata};
use std::io;
#[cfg(unix)]
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use crate::outcome::word;
use crate::terminal::escaped;

/// A warning if the group can change a file, or an error if all other users can.
pub(crate) type Safety = Result<Option<String>, String>;

/// Creates a directory that only its owner can access, and those above it. Existing directories are not
/// changed.
pub(crate) fn create_directory(directory: &Path) -> io::Result<()> {
    if directory.is_dir() {
        return Ok(());
    }
    create_directory(parent(directory))?;
    match create_one(directory) {
        // By another process.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && directory.is_dir() => Ok(()),
        created => created,
    }
}

#[cfg(unix)]
fn create_one(directory: &Path) -> io::Result<()> {
    use rustix::fs::{Dir, Mode, OFlags, mkdir, open};

    mkdir(directory, Mode::RWXU)?;
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    // Another user may have replaced it, perhaps by a directory of root.
    if let Ok(created) = open(directory, flags, Mode::empty())
        && let Ok(entries) = Dir::read_from(&created)
        && entries
            .flatten()
            .all(|entry| [c".", c".."].contains(&entry.file_name()))
    {
        give_to_owner_above(&File::from(created), directory);
    }
    Ok(())
}

#[cfg(not(unix))]
fn create_one(directory: &Path) -> io::Result<()> {
    fs::create_dir(directory)
}

/// Creates a file that only its owner can access.
pub(crate) fn create_new(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let created = options.write(true).create_new(true).open(path)?;
    give_to_owner_above(&created, path);
    Ok(created)
}

/// Gives a new file the owner and the group of another, which only root can do in general.
#[cfg_attr(not(unix), expect(unused_variables, reason = "only Unix has owners"))]
pub(crate) fn keep_owner(new: &File, of: &Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::fchown;
        let id = |metadata: &Metadata| (metadata.uid(), metadata.gid());
        if id(&new.metadata()?) != id(of) {
            fchown(new, Some(of.uid()), Some(of.gid()))?;
        }
    }
    Ok(())
}

/// Gives a new file or directory of root to the owner of the directory above it.
#[cfg_attr(not(unix), expect(unused_variables, reason = "only Unix has owners"))]
pub(crate) fn give_to_owner_above(new: &File, path: &Path) {
    #[cfg(unix)]
    if new.metadata().is_ok_and(|new| new.uid() == ROOT)
        && let Ok(above) = parent(path).metadata()
    {
        let _ = keep_owner(new, &above);
    }
}

/// Returns the directory of a file.
pub(crate) fn parent(path: &Path) -> &Path {
    let parent = path.parent();
    let parent = parent.filter(|parent| !parent.as_os_str().is_empty());
    parent.unwrap_or(Path::new("."))
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

/// Maximum number of times that a file is opened.
const MAX_OPENED: u8 = 3;

/// Opens a file of the program, and again if it is not safe, since another process of the user may be
/// replacing it.
pub(crate) fn open(path: &Path) -> io::Result<(File, Safety)> {
    for _ in 1..MAX_OPENED {
        let opened = open_once(path)?;
        if opened.1.is_ok() {
            return Ok(opened);
        }
    }
    open_once(path)
}

/// Opens a file without waiting: a pipe is an error.
fn open_once(path: &Path) -> io::Result<(File, Safety)> {
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

/// Checks that only the user and root can change or replace a file, which may be missing: the file,
/// each symbolic link to it, and the directories of both, up to the home directory or the root. If a
/// file was opened at the path, it must still be there. The current group of the user may change them,
/// another group causes a warning, and root may use files of any owner.
#[cfg(unix)]
pub(crate) fn check(path: &Path, opened: Option<&Metadata>) -> Safety {
    let unknown = |error| format!("{} cannot be checked: {error}", escaped(path));
    let home = etcetera::home_dir().ok();
    let mut warning = None;
    let mut checked = HashSet::new();
    let mut unchecked = vec![std::path::absolute(path).map_err(unknown)?];
    while let Some(next) = unchecked.pop() {
        for part in next.ancestors() {
            if !checked.insert(part.to_owned()) {
                break;
            }
            match part.symlink_metadata() {
                Ok(metadata) => {
                    warning = warning.or(check_part(path, part, &metadata)?);
                    if metadata.is_symlink() {
                        let target = fs::read_link(part).map_err(unknown)?;
                        unchecked.push(part.parent().unwrap_or(part).join(target));
                    }
                }
                Err(error) => match error.kind() {
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory if opened.is_none() => {}
                    _ => return Err(unknown(error)),
                },
            }
            if home.as_deref() == Some(part) {
                break;
            }
        }
    }
    let Some(opened) = opened else {
        return Ok(warning);
    };
    let id = |metadata: &Metadata| (metadata.dev(), metadata.ino());
    match id(&fs::metadata(path).map_err(unknown)?) == id(opened) {
        true => Ok(warning.or(check_part(path, path, opened)?)),
        false => Err(format!("{} was replaced while it was read", escaped(path))),
    }
}

/// Access lists are not read. Those of the user's directories let only the user and administrators in.
#[cfg(windows)]
pub(crate) fn check(path: &Path, _: Option<&Metadata>) -> Safety {
    use std::path::PathBuf;
    let lower = |path: PathBuf| PathBuf::from(path.into_os_string().to_ascii_lowercase());
    let absolute = lower(std::path::absolute(path).unwrap_or_default());
    let above = ["USERPROFILE", "APPDATA", "LOCALAPPDATA"].into_iter();
    let mut above = above.filter_map(super::environment::path).map(lower);
    let is_private = above.any(|above| absolute.starts_with(above));
    let path = escaped(path);
    let warning =
        format!("{path} is outside of your user directory; others may be able to change it");
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
    if metadata.is_symlink() || (metadata.is_dir() && mode & STICKY != 0 && owner == ROOT) {
        return Ok(None);
    }
    if !metadata.is_file() && !metadata.is_dir() {
        return Err(format!(
            "{file} is not safe: {shown} is neither a file nor a directory"
        ));
    }
    if mode & WRITABLE_BY_ALL != 0 {
        return Err(format!(
            "{file} is not safe: all users can change {shown}; run `chmod go-w {argument}`"
        ));
    }
    let is_foreign = metadata.gid() != rustix::process::getegid().as_raw();
    let warning = || format!("the group can change {shown}; run `chmod g-w {argument}`");
    match mode & WRITABLE_BY_GROUP != 0 && (has_list(part, user)? || is_foreign) {
        true => Ok(Some(warning())),
        false => Ok(None),
    }
}

/// Returns `true` if a file or directory has an access control list, of which the mode shows only the
/// mask: the permissions of the group. Fails if another user can change the file.
#[cfg(target_os = "linux")]
fn has_list(part: &Path, user: u32) -> Result<bool, String> {
    const OTHER_USER: u8 = 0x02;
    const WRITE: u8 = 0x02;
    let (shown, argument) = (escaped(part), word(part, "PATH"));
    let mut list = [0; 4096];
    let length = match rustix::fs::lgetxattr(part, "system.posix_acl_access", &mut list) {
        Ok(length) => length,
        Err(rustix::io::Errno::NODATA | rustix::io::Errno::NOTSUP) => return Ok(false),
        Err(error) => return Err(format!("the access to {shown} cannot be checked: {error}")),
    };
    // After a version, each entry has a tag, the permissions and an ID.
    let entries = list.get(4..length).unwrap_or_default();
    for &[tag, _, permissions, _, ref id @ ..] in entries.as_chunks::<8>().0 {
        let id = u32::from_le_bytes(*id);
        if tag == OTHER_USER && permissions & WRITE != 0 && ![user, ROOT].contains(&id) {
            let repair = format!("run `setfacl -b {argument}`");
            return Err(format!("user {id} can change {shown}; {repair}"));
        }
    }
    Ok(true)
}

/// On other systems, access control lists are not read.
#[cfg(all(unix, not(target_os = "linux")))]
fn has_list(_: &Path, _: u32) -> Result<bool, String> {
    Ok(false)
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

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;

    use super::{check, open};

    #[test]
    fn the_path_must_lead_to_the_file_that_was_opened() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("config.toml");
        fs::write(&path, "one").unwrap();
        let (file, safety) = open(&path).unwrap();
        assert_eq!(safety, Ok(None));
        let opened = file.metadata().unwrap();
        let other = directory.path().join("other");
        fs::write(&other, "two").unwrap();
        fs::rename(&other, &path).unwrap();
        let replaced = format!("{} was replaced while it was read", path.display());
        assert_eq!(check(&path, Some(&opened)), Err(replaced));
        fs::remove_file(&path).unwrap();
        assert!(check(&path, Some(&opened)).is_err());
        assert_eq!(check(&path, None), Ok(None));
    }

    #[test]
    fn a_link_that_disappears_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        let [link, target] = ["link", "target"].map(|name| directory.path().join(name));
        fs::create_dir(&target).unwrap();
        fs::write(target.join("config.toml"), "").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        let (file, safety) = open(&link.join("config.toml")).unwrap();
        assert_eq!(safety, Ok(None));
        fs::remove_file(&link).unwrap();
        let opened = file.metadata().unwrap();
        assert!(check(&link.join("config.toml"), Some(&opened)).is_err());
    }
}
