//! Ctrl-C ends the program by SIGINT, so that a shell loop around it ends too, except while a guard
//! defers it. On Windows, it ends the program with exit code 130.

use std::io;
use std::process::{Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::SIGINT;
#[cfg(unix)]
use signal_hook::consts::SIGQUIT;

use crate::outcome::failure::{Failure, FailureKind};

/// Exit code after Ctrl-C.
pub(crate) const INTERRUPTED_EXIT_CODE: u8 = FailureKind::Interrupted.exit_code();

/// Exit code after SIGTERM.
#[cfg(all(unix, feature = "webhook"))]
const TERMINATED_EXIT_CODE: u8 = 0;

/// `true` if Ctrl-C ends the program immediately.
static ENDS_ON_INTERRUPT: AtomicBool = AtomicBool::new(true);

/// `true` if SIGQUIT ends the program immediately.
#[cfg(unix)]
static ENDS_ON_QUIT: AtomicBool = AtomicBool::new(true);

/// `true` once Ctrl-C was pressed while a guard deferred it.
static IS_INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Makes Ctrl-C end the program.
pub(crate) fn end_on_interrupt() {
    // If a handler cannot be installed, the default action of the signal remains.
    #[cfg(unix)]
    let _ = signal_hook::flag::register_conditional_default(SIGINT, &ENDS_ON_INTERRUPT);
    #[cfg(not(unix))]
    let _ = signal_hook::flag::register_conditional_shutdown(
        SIGINT,
        i32::from(INTERRUPTED_EXIT_CODE),
        &ENDS_ON_INTERRUPT,
    );
    let _ = signal_hook::flag::register(SIGINT, &IS_INTERRUPTED);
}

/// Ends the program by SIGINT if Ctrl-C was pressed while a guard deferred it.
pub(crate) fn end_if_interrupted() {
    if cfg!(unix) && check().is_err() {
        let _ = signal_hook::low_level::emulate_default_handler(SIGINT);
    }
}

/// Fails if Ctrl-C was pressed while a guard deferred it.
pub(crate) fn check() -> Result<(), Failure> {
    match IS_INTERRUPTED.load(Ordering::SeqCst) {
        true => Err(Failure::new(FailureKind::Interrupted, "interrupted")),
        false => Ok(()),
    }
}

/// Waits for Ctrl-C; needs an [`InterruptGuard`].
pub(crate) async fn interrupted() {
    while tokio::signal::ctrl_c().await.is_ok() {
        // On Unix, tokio also reports an earlier signal, which an editor may have handled.
        if cfg!(not(unix)) || check().is_err() {
            return;
        }
    }
    std::future::pending().await
}

/// Runs an editor, which handles SIGINT and SIGQUIT; its exit status shows a Ctrl-C.
pub(crate) fn run_editor(editor: &mut Command) -> io::Result<ExitStatus> {
    let _guard = InterruptGuard::new();
    #[cfg(unix)]
    {
        ENDS_ON_QUIT.store(false, Ordering::SeqCst);
        let _ = signal_hook::flag::register_conditional_default(SIGQUIT, &ENDS_ON_QUIT);
    }
    let ended = editor.status();
    #[cfg(unix)]
    ENDS_ON_QUIT.store(true, Ordering::SeqCst);
    if !ended.as_ref().is_ok_and(is_interrupted) {
        IS_INTERRUPTED.store(false, Ordering::SeqCst);
    }
    ended
}

/// Returns `true` if a program was ended by Ctrl-C.
pub(crate) fn is_interrupted(status: &ExitStatus) -> bool {
    #[cfg(unix)]
    if std::os::unix::process::ExitStatusExt::signal(status) == Some(SIGINT) {
        return true;
    }
    status.code() == Some(i32::from(INTERRUPTED_EXIT_CODE))
}

/// Prevents Ctrl-C from ending the program until dropped.
pub(crate) struct InterruptGuard(());

impl InterruptGuard {
    pub(crate) fn new() -> Self {
        ENDS_ON_INTERRUPT.store(false, Ordering::SeqCst);
        Self(())
    }
}

impl Drop for InterruptGuard {
    fn drop(&mut self) {
        ENDS_ON_INTERRUPT.store(true, Ordering::SeqCst);
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
