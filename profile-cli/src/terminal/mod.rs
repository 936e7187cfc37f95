//! The terminal: its size and colors, texts that cannot steer it, and a line of progress.

pub(crate) mod printable;
pub(crate) mod progress;
pub(crate) mod screen;
