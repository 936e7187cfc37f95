//! Ctrl-C ends the program by SIGINT, so that a shell loop around it ends too, except while a guard
//! defers it. SIGTERM and SIGHUP end it in the same way while a change is being sent. On Windows, Ctrl-C ends
//! it with exit code 130.
//!
//! A signal that was ignored when the program started stays ignored, as `nohup` and background jobs of
//! scripts expect: each place that installs a handler asks [`is_ignored`]. The exception is SIGCHLD: if it is
//! ignored, the system discards the exit status of an editor.

use std::process::{Command, ExitStatus};
#[cfg(unix)]
use std::sync::Arc;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::{fs, io};

use signal_hook::consts::SIGINT;
#[cfg(unix)]
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGQUIT, SIGTERM};

use crate::outcome::failure::{Failure, FailureKind};

/// Exit code after Ctrl-C.
pub(crate) const INTERRUPTED_EXIT_CODE: u8 = FailureKind::Interrupted.exit_code();

/// Exit code after SIGTERM or SIGHUP.
#[cfg(all(unix, feature = "webhook"))]
const TERMINATED_EXIT_CODE: u8 = 0;

/// `true` if Ctrl-C ends the program immediately.
static ENDS_ON_INTERRUPT: AtomicBool = AtomicBool::new(true);

/// `true` if SIGQUIT ends the program immediately.
#[cfg(unix)]
static ENDS_ON_QUIT: AtomicBool = AtomicBool::new(true);

/// `true` if SIGTERM and SIGHUP end the program immediately.
#[cfg(unix)]
static ENDS_ON_TERMINATION: AtomicBool = AtomicBool::new(true);

/// The signal that a guard deferred, or 0.
static INTERRUPTED_BY: AtomicUsize = AtomicUsize::new(0);

/// The signals that were ignored at the start: bit 0 is signal 1. Only Linux shows them.
static IGNORED: LazyLock<u64> = LazyLock::new(|| {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.map(|bits| u64::from_str_radix(bits.trim(), 16));
    ignored.and_then(Result::ok).unwrap_or_default()
});

/// Returns `true` if the signal was ignored when the program started.
pub(crate) fn is_ignored(signal: i32) -> bool {
    (*IGNORED >> (signal - 1)) & 1 == 1
}

/// Makes Ctrl-C end the program.
pub(crate) fn end_on_interrupt() {
    if is_ignored(SIGINT) {
        return;
    }
    // If a handler cannot be installed, the default action of the signal remains.
    #[cfg(unix)]
    let _ = signal_hook::flag::register_conditional_default(SIGINT, &ENDS_ON_INTERRUPT);
    #[cfg(not(unix))]
    let _ = signal_hook::flag::register_conditional_shutdown(
        SIGINT,
        i32::from(INTERRUPTED_EXIT_CODE),
        &ENDS_ON_INTERRUPT,
    );
    let _ = signal_hook::flag::register_usize(SIGINT, &INTERRUPTED_BY, SIGINT as usize);
}

/// Ends the program by SIGTERM or SIGHUP, unless a guard defers it.
#[cfg(unix)]
pub(crate) fn end_by(signal: i32) {
    if ENDS_ON_TERMINATION.load(Ordering::SeqCst) {
        let _ = signal_hook::low_level::emulate_default_handler(signal);
    }
}

/// Ends the program by the signal that a guard deferred, if any.
pub(crate) fn end_if_interrupted() {
    let signal = INTERRUPTED_BY.load(Ordering::SeqCst);
    if cfg!(unix) && signal != 0 {
        let _ = signal_hook::low_level::emulate_default_handler(signal as i32);
    }
}

/// Returns the exit code that a shell sees for the signal that a guard deferred, if any.
pub(crate) fn exit_code() -> Option<u8> {
    let signal = INTERRUPTED_BY.load(Ordering::SeqCst);
    (signal != 0).then_some(128 + signal as u8)
}

/// Fails if a guard deferred a signal.
pub(crate) fn check() -> Result<(), Failure> {
    match INTERRUPTED_BY.load(Ordering::SeqCst) {
        0 => Ok(()),
        _ => Err(Failure::new(FailureKind::Interrupted, "interrupted")),
    }
}

/// Waits for Ctrl-C, and with a [`WriteGuard`] for the other signals; needs an [`InterruptGuard`].
#[cfg(unix)]
pub(crate) async fn interrupted() {
    let ends = ENDS_ON_TERMINATION.load(Ordering::SeqCst);
    tokio::select! {
        () = received(SIGINT) => {}
        () = received(SIGTERM), if !ends => {}
        () = received(SIGHUP), if !ends => {}
    }
}

#[cfg(unix)]
async fn received(number: i32) {
    use tokio::signal::unix::{SignalKind, signal};
    if !is_ignored(number)
        && let Ok(mut signals) = signal(SignalKind::from_raw(number))
    {
        while signals.recv().await.is_some() {
            // Also reports an earlier signal, which an editor may have handled.
            if check().is_err() {
                return;
            }
        }
    }
    std::future::pending().await
}

#[cfg(not(unix))]
pub(crate) async fn interrupted() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending().await
    }
}

/// Defers the signals that end the program, so that no temporary file is left behind.
pub(crate) fn deferred<T>(run: impl FnOnce() -> T) -> T {
    let _guards = (InterruptGuard::new(), WriteGuard::new());
    run()
}

/// Lets SIGTERM and SIGHUP interrupt a change that is being sent, so that its outcome is reported, instead
/// of ending the program immediately.
pub(crate) struct WriteGuard {
    /// The earlier value.
    #[cfg(unix)]
    ends: bool,
}

impl WriteGuard {
    pub(crate) fn new() -> Self {
        #[cfg(unix)]
        let ends = ENDS_ON_TERMINATION.swap(false, Ordering::SeqCst);
        #[cfg(unix)]
        {
            static INSTALLED: std::sync::Once = std::sync::Once::new();
            INSTALLED.call_once(|| {
                for signal in [SIGTERM, SIGHUP].into_iter().filter(|it| !is_ignored(*it)) {
                    use signal_hook::flag::{register_conditional_default, register_usize};
                    let _ = register_conditional_default(signal, &ENDS_ON_TERMINATION);
                    let _ = register_usize(signal, &INTERRUPTED_BY, signal as usize);
                }
            });
        }
        Self {
            #[cfg(unix)]
            ends,
        }
    }
}

impl Drop for WriteGuard {
    fn drop(&mut self) {
        #[cfg(unix)]
        ENDS_ON_TERMINATION.store(self.ends, Ordering::SeqCst);
    }
}

/// Runs an editor, which handles SIGINT and SIGQUIT; its exit status shows a Ctrl-C. The outer error is that
/// of starting it, the inner one that of waiting for it.
pub(crate) fn run_editor(editor: &mut Command) -> io::Result<io::Result<ExitStatus>> {
    let _guard = InterruptGuard::new();
    #[cfg(unix)]
    {
        // A handler that does nothing else lets the system keep the exit status.
        let _ = signal_hook::flag::register(SIGCHLD, Arc::<AtomicBool>::default());
        ENDS_ON_QUIT.store(false, Ordering::SeqCst);
        if !is_ignored(SIGQUIT) {
            let _ = signal_hook::flag::register_conditional_default(SIGQUIT, &ENDS_ON_QUIT);
        }
    }
    let ended = editor.spawn().map(|mut editor| editor.wait());
    #[cfg(unix)]
    ENDS_ON_QUIT.store(true, Ordering::SeqCst);
    let status = ended.as_ref().ok().and_then(|ended| ended.as_ref().ok());
    if !status.is_some_and(is_interrupted) {
        INTERRUPTED_BY.store(0, Ordering::SeqCst);
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
pub(crate) struct InterruptGuard {
    /// The earlier value.
    ends: bool,
}

impl InterruptGuard {
    pub(crate) fn new() -> Self {
        let ends = ENDS_ON_INTERRUPT.swap(false, Ordering::SeqCst);
        Self { ends }
    }
}

impl Drop for InterruptGuard {
    fn drop(&mut self) {
        ENDS_ON_INTERRUPT.store(self.ends, Ordering::SeqCst);
    }
}

/// SIGINT, SIGTERM and SIGHUP, for commands with a graceful shutdown.
#[cfg(feature = "webhook")]
pub(crate) struct ShutdownSignals {
    /// `None` if the signal is ignored.
    #[cfg(unix)]
    interrupt: Option<tokio::signal::unix::Signal>,
    #[cfg(unix)]
    terminate: Option<tokio::signal::unix::Signal>,
    #[cfg(unix)]
    hang_up: Option<tokio::signal::unix::Signal>,
}

#[cfg(feature = "webhook")]
impl ShutdownSignals {
    /// Installs handlers for the signals.
    #[cfg(unix)]
    pub(crate) fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let install = |number| match is_ignored(number) {
            true => Ok(None),
            false => signal(SignalKind::from_raw(number)).map(Some),
        };
        Ok(Self {
            interrupt: install(SIGINT)?,
            terminate: install(SIGTERM)?,
            hang_up: install(SIGHUP)?,
        })
    }

    #[cfg(not(unix))]
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self {})
    }

    /// Waits for a signal, and returns its exit code.
    #[cfg(unix)]
    pub(crate) async fn next(&mut self) -> u8 {
        use tokio::signal::unix::Signal;
        let wait = async |signal: &mut Option<Signal>| match signal {
            Some(signal) => signal.recv().await,
            None => std::future::pending().await,
        };
        tokio::select! {
            _ = wait(&mut self.interrupt) => INTERRUPTED_EXIT_CODE,
            _ = wait(&mut self.terminate) => TERMINATED_EXIT_CODE,
            _ = wait(&mut self.hang_up) => TERMINATED_EXIT_CODE,
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

#[cfg(all(test, unix))]
mod tests {
    use std::sync::atomic::Ordering;

    use signal_hook::consts::{SIGHUP, SIGTERM};
    use signal_hook::low_level::raise;

    use super::{INTERRUPTED_BY, deferred, exit_code, is_ignored};

    #[test]
    fn signals_are_deferred() {
        for (signal, code) in [(SIGTERM, 143), (SIGHUP, 129)] {
            deferred(|| {
                deferred(|| raise(signal)).unwrap();
                raise(signal).unwrap();
            });
            assert_eq!(exit_code(), (!is_ignored(signal)).then_some(code));
            INTERRUPTED_BY.store(0, Ordering::SeqCst);
        }
    }
}
