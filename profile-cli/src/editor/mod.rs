//! Texts that are written in the user's editor.

pub(crate) mod edited_text;
pub(crate) mod program;
