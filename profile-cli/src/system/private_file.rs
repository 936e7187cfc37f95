//! Files that only their owner can access: keys, settings, texts in the editor.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

/// Maximum size of a file that is read.
const MAX_BYTES: u64 = 1024 * 1024;

/// Writes the file atomically. The file and missing directories are accessible to the owner only.
pub(crate) fn write(path: &Path, contents: &[u8]) -> io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("."));
    create_directory(directory)?;
    // Follow symbolic links, so that a linked config.toml is not replaced.
    let target = target_of(path);
    let beside = target.parent().unwrap_or(directory);
    let mut file = tempfile::NamedTempFile::new_in(beside).map_err(without_path)?;
    file.as_file_mut().write_all(contents)?;
    file.as_file().sync_all()?;
    file.persist(&target)?;
    Ok(())
}

/// Returns the target of a symbolic link, even if it does not exist, or the path itself.
pub(crate) fn target_of(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| match fs::read_link(path) {
        Ok(target) => path.parent().unwrap_or(Path::new("")).join(target),
        Err(_) => path.to_owned(),
    })
}

/// Removes the path of a temporary file from the error.
pub(crate) fn without_path(error: io::Error) -> io::Error {
    match error.to_string().split_once(" at path ") {
        Some((reason, _)) => io::Error::new(error.kind(), reason),
        None => error,
    }
}

/// Creates a directory that only its owner can access. Existing directories are not changed.
pub(crate) fn create_directory(directory: &Path) -> io::Result<()> {
    if directory.as_os_str().is_empty() || directory.is_dir() {
        return Ok(());
    }
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)
}

/// Returns options for creating a file that only its owner can access.
pub(crate) fn options() -> OpenOptions {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "only Unix sets permissions"))]
    let mut options = File::options();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Removes the access of others, for example to a file that an editor has replaced.
#[cfg(unix)]
pub(crate) fn restrict_to_owner(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mut permissions = fs::metadata(path)?.permissions();
    permissions.set_mode(permissions.mode() & 0o700);
    fs::set_permissions(path, permissions)
}

#[cfg(not(unix))]
pub(crate) fn restrict_to_owner(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Reads a file as text. The second value is `true` if others can access the file.
pub(crate) fn read(path: &Path) -> io::Result<(String, bool)> {
    let (bytes, exposed) = read_bytes(path)?;
    let text = String::from_utf8(bytes);
    let text =
        text.map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not valid UTF-8"))?;
    Ok((text, exposed))
}

/// Reads a file. The second value is `true` if others can access the file.
pub(crate) fn read_bytes(path: &Path) -> io::Result<(Vec<u8>, bool)> {
    let file = File::open(path)?;
    let exposed = is_accessible_to_others(&file.metadata()?.permissions());
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > MAX_BYTES {
        true => Err(io::Error::other(format!(
            "it is larger than {} MiB",
            MAX_BYTES / (1024 * 1024)
        ))),
        false => Ok((bytes, exposed)),
    }
}

/// Returns the warning for a file that others can access.
pub(crate) fn warning(what: &str, path: &Path) -> String {
    let (shown, command) = (path.display(), restriction(path));
    format!("others can access {what} in {shown}; restrict it with `{command}`")
}

/// Returns the warning for a file or directory with secrets that others can access.
pub(crate) fn exposed_warning(path: &Path) -> String {
    let (shown, command) = (path.display(), restriction(path));
    format!("others can access {shown}; restrict it with `{command}`")
}

/// Checks that only the user and root can change or replace a file, which may be missing. Also checks
/// its directory, and the directory of a symbolic link to it. Root may use files of any owner.
#[cfg(unix)]
pub(crate) fn check_owner(path: &Path) -> Result<(), String> {
    let Ok(target) = fs::canonicalize(path) else {
        return Ok(());
    };
    let directories = [path, &target].map(|path| path.parent().unwrap_or(Path::new(".")));
    let mut checked = [target.as_path()].into_iter().chain(directories);
    checked.try_for_each(check_owner_of)
}

/// On other systems, user directories are private by default.
#[cfg(not(unix))]
pub(crate) fn check_owner(_: &Path) -> Result<(), String> {
    Ok(())
}

#[cfg(unix)]
fn check_owner_of(path: &Path) -> Result<(), String> {
    use std::os::unix::fs::MetadataExt as _;

    const ROOT: u32 = 0;
    const STICKY: u32 = 0o1000;
    const WRITABLE_BY_ALL: u32 = 0o002;
    let Ok(metadata) = fs::metadata(path) else {
        return Ok(());
    };
    let (owner, mode) = (metadata.uid(), metadata.mode());
    let user = rustix::process::geteuid().as_raw();
    let is_shared = metadata.is_dir() && mode & STICKY != 0 && owner == ROOT;
    let shown = path.display();
    if mode & WRITABLE_BY_ALL != 0 && !is_shared {
        let command = format!("chmod go-w {}", quoted(path));
        return Err(format!("all users can change {shown}; run `{command}`"));
    }
    if ![user, ROOT].contains(&owner) && user != ROOT {
        let command = format!("sudo chown {user} {}", quoted(path));
        return Err(format!("another user owns {shown}; run `{command}`"));
    }
    Ok(())
}

/// Returns a warning if the group can change or replace the file, which may be missing.
#[cfg(unix)]
pub(crate) fn group_warning(path: &Path) -> Option<String> {
    use std::os::unix::fs::MetadataExt as _;

    let target = fs::canonicalize(path).ok()?;
    let directory = target.parent()?;
    let is_writable = |path: &&Path| {
        let metadata = fs::metadata(path);
        metadata.is_ok_and(|metadata| metadata.mode() & 0o020 != 0)
    };
    let exposed = [target.as_path(), directory]
        .into_iter()
        .find(is_writable)?;
    Some(format!(
        "the group can change {}; run `chmod g-w {}`",
        exposed.display(),
        quoted(exposed)
    ))
}

#[cfg(not(unix))]
pub(crate) fn group_warning(_: &Path) -> Option<String> {
    None
}

/// Returns the command that removes the access of others to a file or directory.
fn restriction(path: &Path) -> String {
    let mode = if path.is_dir() { 700 } else { 600 };
    format!("chmod {mode} {}", quoted(path))
}

/// Quotes a path for a shell.
fn quoted(path: &Path) -> String {
    let path = path.to_string_lossy();
    // Paths do not contain NUL, which cannot be quoted.
    shlex::try_quote(&path).unwrap_or_default().into_owned()
}

/// Returns `true` if others can access this file or directory.
pub(crate) fn is_exposed(path: &Path) -> io::Result<bool> {
    Ok(is_accessible_to_others(&fs::metadata(path)?.permissions()))
}

#[cfg(unix)]
fn is_accessible_to_others(permissions: &Permissions) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    permissions.mode() & 0o077 != 0
}

/// On other systems, user directories are private by default.
#[cfg(not(unix))]
fn is_accessible_to_others(_: &Permissions) -> bool {
    false
}
