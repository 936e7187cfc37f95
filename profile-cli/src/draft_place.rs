//! Where texts from the editor are kept: a directory for each account, and two files for each text.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use crate::draft::DraftKind;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::private_file;
use crate::settings::Settings;

/// A directory for each account, so that no text goes to another's profile.
pub(crate) fn directory(settings: &Settings) -> Result<PathBuf, Failure> {
    let owner = match settings.account()? {
        _ if settings.sandbox => "sandbox".to_owned(),
        Some(account) => account.name,
        None => settings.base_url()?.value,
    };
    let safe = |c: char| {
        if c.is_alphanumeric() || c == '.' {
            c
        } else {
            '-'
        }
    };
    let owner: String = owner.chars().map(safe).collect();
    let owner = owner.trim_matches(['-', '.']);
    let drafts = Environment::state_directory()?.join("drafts");
    close_to_others(&drafts);
    Ok(drafts.join(owner))
}

/// Makes sure that no other run takes the same path for a text, and locks the file beside it.
pub(crate) fn free_path(directory: &Path, kind: &DraftKind) -> Result<(PathBuf, File), Failure> {
    let refused = |path: &Path, error| Failure::of_file("written", path, &error);
    private_file::create_directory(directory).map_err(|error| refused(directory, error))?;
    let mut number = 0;
    loop {
        number += 1;
        let path = path(directory, kind, number);
        if path.exists() || sent_path(&path).exists() {
            continue;
        }
        let mut options = private_file::options();
        match options
            .write(true)
            .create_new(true)
            .open(before_path(&path))
        {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(refused(&path, error)),
            Ok(lock) => {
                // Where files cannot be locked, nothing tells other runs of this one.
                let _ = lock.lock();
                return Ok((path, lock));
            }
        }
    }
}

fn path(directory: &Path, kind: &DraftKind, number: u32) -> PathBuf {
    let DraftKind {
        name, extension, ..
    } = kind;
    directory.join(match number {
        1 => format!("{name}.{extension}"),
        _ => format!("{name}-{number}.{extension}"),
    })
}

/// The file beside a text that holds it as its editor first got it.
pub(crate) fn before_path(path: &Path) -> PathBuf {
    path.with_extension("before")
}

/// The file that takes a text which was sent and may be needed all the same.
pub(crate) fn sent_path(path: &Path) -> PathBuf {
    path.with_extension("sent")
}

/// An editor, or whoever made the directory, may have left it open to others. A file system that
/// knows no others cannot close it.
pub(crate) fn close_to_others(path: &Path) {
    let _ = private_file::close_to_others(path);
}
