//! Commands of the user, such as that of the editor.

use std::ffi::OsStr;
use std::io;
use std::path::PathBuf;

/// Splits a command into words, like a shell. On Windows, a backslash is not an escape but a part of a path.
pub(crate) fn split(command: &str) -> Option<Vec<String>> {
    if !cfg!(windows) {
        return shlex::split(command);
    }
    // `shlex` does not interpret NUL, which no word can contain.
    let words = shlex::split(&command.replace('\\', "\0"))?.into_iter();
    Some(words.map(|word| word.replace('\0', "\\")).collect())
}

/// Returns a program to start. On Windows, `npm` may be `npm.cmd`: the endings of PATHEXT are tried. A name without
/// a directory is only searched in PATH: a cloned repository may have a file of that name.
pub(crate) fn find(program: &OsStr) -> io::Result<PathBuf> {
    #[cfg(windows)]
    {
        use std::env::{current_dir, join_paths, split_paths, var_os};
        let path = var_os("PATH").unwrap_or_default();
        let path = join_paths(split_paths(&path).filter(|it| it.is_absolute()));
        let found = which::which_in(program, path.ok(), current_dir()?);
        let reason = match program.to_string_lossy().contains(['/', '\\']) {
            true => "not found",
            false => "not found in PATH",
        };
        found.map_err(|_| io::Error::new(io::ErrorKind::NotFound, reason))
    }
    #[cfg(not(windows))]
    Ok(program.into())
}
