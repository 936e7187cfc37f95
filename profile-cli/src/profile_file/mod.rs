//! A profile as a file: the fields and links that `export` writes, and `diff` and `apply` read.

pub(crate) mod reading;
pub(crate) mod toml_text;
pub(crate) mod writing;
