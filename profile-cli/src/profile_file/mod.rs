//! A profile as a file: the fields and links that `export` writes, and `diff` and `apply` read.

pub(crate) mod executor;
mod fields;
mod matching;
pub(crate) mod plan;
mod reading;
#[cfg(test)]
mod tests;
pub(crate) mod toml_text;
mod writing;

use profile_sdk::{LinkId, NewLink, ProfileUpdate};

use crate::settings::is_same_service;

/// The contents of a file. Absent values are left as they are.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct ProfileFile {
    pub(crate) source: Option<Owner>,
    pub(crate) fields: ProfileUpdate,
    pub(crate) links: Option<Vec<FileLink>>,
}

/// The owner of a profile: the service, and the handle if it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Owner {
    pub(crate) service: String,
    pub(crate) handle: Option<String>,
}

/// A link in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileLink {
    pub(crate) id: Option<LinkId>,
    pub(crate) link: NewLink,
}

impl Owner {
    /// Returns `true` if IDs of links mean the same for both. An unknown handle never matches.
    fn is_same(&self, other: &Self) -> bool {
        self.handle.is_some()
            && self.handle == other.handle
            && is_same_service(&self.service, &other.service)
    }
}
