//! The terminal: its size and colors, safe text, and progress.

pub(crate) mod printable;
pub(crate) mod progress;
pub(crate) mod screen;
