//! Ctrl-C: ends the program at once with exit code 130, except while that would leave a person in
//! the dark.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// The exit code of a program that Ctrl-C ended.
pub(crate) const EXIT_CODE: u8 = 130;

/// Whether Ctrl-C ends the program by itself.
static ENDS: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// From now on Ctrl-C ends the program.
pub(crate) fn end_when_interrupted() {
    let ends = ENDS.get_or_init(|| Arc::new(AtomicBool::new(true)));
    // Where the signal cannot be had, the system's own way to end the program stays.
    let _ = signal_hook::flag::register_conditional_shutdown(
        signal_hook::consts::SIGINT,
        i32::from(EXIT_CODE),
        Arc::clone(ends),
    );
}

/// Keeps Ctrl-C from ending the program for as long as this lives.
pub(crate) struct Uninterrupted(());

impl Uninterrupted {
    pub(crate) fn new() -> Self {
        set_ends(false);
        Self(())
    }
}

impl Drop for Uninterrupted {
    fn drop(&mut self) {
        set_ends(true);
    }
}

fn set_ends(ends: bool) {
    if let Some(flag) = ENDS.get() {
        flag.store(ends, Ordering::SeqCst);
    }
}
