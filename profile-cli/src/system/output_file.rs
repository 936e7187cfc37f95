//! Writes the files that the user names, atomically.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use crate::outcome::failure::Failure;
use crate::system::private_file;

/// Writes the file, replacing an existing one.
pub(crate) fn write(path: &Path, contents: &[u8]) -> Result<(), Failure> {
    write_whole(path, contents).map_err(|error| Failure::of_file("written", path, &error))
}

fn write_whole(path: &Path, contents: &[u8]) -> io::Result<()> {
    // Write to devices and pipes instead of replacing them.
    if path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
        return fs::write(path, contents);
    }
    // Follow symbolic links.
    let path = &private_file::target_of(path);
    let directory = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    #[cfg_attr(not(unix), expect(unused_mut, reason = "only Unix sets permissions"))]
    let mut builder = tempfile::Builder::new();
    // Use the permissions of the user's umask, rather than those of a temporary file.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let file = builder.tempfile_in(directory.unwrap_or(Path::new(".")));
    let mut file = file.map_err(private_file::without_path)?;
    if let Ok(replaced) = path.metadata() {
        file.as_file().set_permissions(replaced.permissions())?;
    }
    // Errors of `NamedTempFile` contain its path.
    file.as_file_mut().write_all(contents)?;
    file.persist(path)?;
    Ok(())
}
