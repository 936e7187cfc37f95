//! Writes a picture where somebody asked for it: whole or not at all.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use crate::outcome::failure::Failure;
use crate::system::private_file;

/// Writes the file; one that is there already is replaced.
pub(crate) fn write(path: &Path, contents: &[u8]) -> Result<(), Failure> {
    write_whole(path, contents).map_err(|error| Failure::of_file("written", path, &error))
}

fn write_whole(path: &Path, contents: &[u8]) -> io::Result<()> {
    // Devices and the like cannot be replaced by a file.
    if path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
        return fs::write(path, contents);
    }
    // A link is written through.
    let path = &private_file::target_of(path);
    let directory = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    #[cfg_attr(not(unix), expect(unused_mut, reason = "only Unix sets permissions"))]
    let mut builder = tempfile::Builder::new();
    // Like any file that a program makes, it is as open as the user's umask lets it be.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let file = builder.tempfile_in(directory.unwrap_or(Path::new(".")));
    let mut file = file.map_err(private_file::without_path)?;
    file.write_all(contents)?;
    file.persist(path)?;
    Ok(())
}
