//! Texts that are written in an editor and kept until they are sent.

pub(crate) mod draft;
pub(crate) mod editor;
