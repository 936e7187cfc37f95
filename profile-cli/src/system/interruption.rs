//! Ctrl-C ends the program with exit code 130, except while a guard defers it.

#[cfg(feature = "webhook")]
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use crate::outcome::failure::FailureKind;

/// Exit code after Ctrl-C.
pub(crate) const INTERRUPTED_EXIT_CODE: u8 = FailureKind::Interrupted.exit_code();

/// Exit code after SIGTERM.
#[cfg(all(unix, feature = "webhook"))]
const TERMINATED_EXIT_CODE: u8 = 0;

/// `true` if Ctrl-C ends the program immediately.
static EXIT_ON_INTERRUPT: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// Makes Ctrl-C end the program with exit code 130.
pub(crate) fn exit_on_interrupt() {
    let ends = EXIT_ON_INTERRUPT.get_or_init(|| Arc::new(AtomicBool::new(true)));
    // If the handler cannot be installed, the default action of the signal remains.
    let _ = signal_hook::flag::register_conditional_shutdown(
        signal_hook::consts::SIGINT,
        i32::from(INTERRUPTED_EXIT_CODE),
        Arc::clone(ends),
    );
}

/// Prevents Ctrl-C from ending the program until dropped.
pub(crate) struct InterruptGuard(());

impl InterruptGuard {
    pub(crate) fn new() -> Self {
        set_exit_on_interrupt(false);
        Self(())
    }
}

impl Drop for InterruptGuard {
    fn drop(&mut self) {
        set_exit_on_interrupt(true);
    }
}

/// SIGINT and SIGTERM, for commands with a graceful shutdown.
#[cfg(feature = "webhook")]
pub(crate) struct ShutdownSignals {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
}

#[cfg(feature = "webhook")]
impl ShutdownSignals {
    /// Installs handlers for the signals.
    #[cfg(unix)]
    pub(crate) fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    #[cfg(not(unix))]
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self {})
    }

    /// Waits for a signal, and returns its exit code.
    #[cfg(unix)]
    pub(crate) async fn next(&mut self) -> u8 {
        tokio::select! {
            _ = self.interrupt.recv() => INTERRUPTED_EXIT_CODE,
            _ = self.terminate.recv() => TERMINATED_EXIT_CODE,
        }
    }

    #[cfg(not(unix))]
    pub(crate) async fn next(&mut self) -> u8 {
        match tokio::signal::ctrl_c().await {
            Ok(()) => INTERRUPTED_EXIT_CODE,
            Err(_) => std::future::pending().await,
        }
    }
}

fn set_exit_on_interrupt(ends: bool) {
    if let Some(flag) = EXIT_ON_INTERRUPT.get() {
        flag.store(ends, Ordering::SeqCst);
    }
}
