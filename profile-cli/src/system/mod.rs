//! The operating system: programs, environment variables, files and signals.

pub(crate) mod environment;
pub(crate) mod interruption;
pub(crate) mod private_file;
pub(crate) mod text_file;
pub(crate) mod written_file;

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

pub(crate) use text_file::Text;
pub(crate) use written_file::Rules;

/// Splits a command of the user into words, like a shell, unless it is the path of a file. On Windows, a backslash is
/// not an escape but a part of a path.
pub(crate) fn command_words(command: &str) -> Option<Vec<String>> {
    if Path::new(command).is_file() {
        return Some(vec![command.to_owned()]);
    }
    if !cfg!(windows) {
        return shlex::split(command);
    }
    // `shlex` does not interpret NUL, which no word can contain.
    let words = shlex::split(&command.replace('\\', "\0"))?.into_iter();
    Some(words.map(|word| word.replace('\0', "\\")).collect())
}

/// Returns a program to start. On Windows, `npm` may be `npm.cmd`: the endings of PATHEXT are tried. A name without
/// a directory is only searched in PATH: a cloned repository may have a file of that name.
pub(crate) fn find_program(program: &OsStr) -> io::Result<PathBuf> {
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
