//! Signals. They are handled in one place, for the whole program:
//!
//! | | reading | writing | prompting | editing | storing a key | listening |
//! |---|---|---|---|---|---|---|
//! | SIGINT | reports | reports | ends | of the editor | finishes | stops |
//! | SIGTERM | ends | reports | ends | ends | finishes | exits |
//! | SIGHUP | ends | reports | ends | ends | finishes | exits |
//! | SIGQUIT | ends | reports | ends | of the editor | finishes | stops |
//!
//! - *ends*: the program ends by the signal at once, so that a shell loop around it ends too. A prompt
//!   restores the terminal before.
//! - *reports*: the program prints what was interrupted, with its outcome, and ends by the signal. Reads between or
//!   after the requests of a write are a part of it. During a read or a write, another signal ends the program at once.
//! - *finishes*: the command is completed before the program ends by the signal.
//! - *of the editor*: the editor handles it. If it ends by SIGINT, so does the program.
//! - *stops*, *exits*: the program completes deliveries and ends by the signal, or with 0. Another signal
//!   ends it at once.
//!
//! SIGHUP after SIGHUP is not another signal: for a closed terminal, the shell and the system send it.
//!
//! While no [`Deferral`] exists, a signal ends the program. On Windows, only Ctrl-C is handled, as SIGINT,
//! and *ends by the signal* means exit code 130. The first process of a container ends with the exit code that a
//! shell shows for the signal, since the system ignores signals with which it would end itself.
//!
//! A signal that was ignored when the program started stays ignored, as `nohup` and background jobs of
//! scripts expect. The exception is SIGCHLD: if it is ignored, the system discards the exit status of an
//! editor. SIGXFSZ has no effect: a file that grows beyond `ulimit -f` is an error.

use std::io;
use std::process::{Command, ExitStatus};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use tokio::sync::Notify;

use crate::outcome::{Failure, FailureKind, Result};

/// Numbers of signals, which are the same on all systems.
const HANGUP: u8 = 1;
const INTERRUPT: u8 = 2;
const QUIT: u8 = 3;
const TERMINATE: u8 = 15;

/// `true` if a signal ends the program at once, since no deferral exists.
static ENDS: AtomicBool = AtomicBool::new(true);

/// The latest signal that did not end the program, or 0.
static PENDING: AtomicUsize = AtomicUsize::new(0);

static DEFERRALS: Mutex<Deferrals> = Mutex::new(Deferrals {
    count: 0,
    calls: 0,
    first: None,
    ends: None,
});

/// Wakes those who wait for a signal.
static RECEIVED: Notify = Notify::const_new();

struct Deferrals {
    count: usize,
    /// The number of deferrals during which a second signal ends the program.
    calls: usize,
    /// The first signal that is pending.
    first: Option<u8>,
    /// Returns `true` if a signal ends the program nevertheless.
    ends: Option<Box<dyn FnMut(u8) -> bool + Send>>,
}

/// Installs the handler, which ends the program by a signal, unless a [`Deferral`] exists.
pub(crate) fn install() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        // SIGQUIT would leave a core file with the key. A program that is executed, such as an editor, is dumpable.
        let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    }
    // If this fails, the default actions of the signals remain.
    let _ = start();
}

/// A signal sets [`PENDING`] before any other code runs, so that an editor's exit status is interpreted
/// correctly. The rest is the task of the thread: handlers of signals must not lock or allocate.
#[cfg(unix)]
fn start() -> io::Result<()> {
    use signal_hook::consts::{SIGCHLD, SIGXFSZ};
    use signal_hook::{flag, low_level::pipe};
    use std::io::Read as _;
    let (mut signals, sender) = std::os::unix::net::UnixStream::pair()?;
    let receive = move || {
        while let Ok(1..) = signals.read(&mut [0]) {
            received();
        }
    };
    thread::Builder::new().spawn(receive)?;
    for signal in [SIGCHLD, SIGXFSZ] {
        flag::register(signal, std::sync::Arc::<AtomicBool>::default())?;
    }
    let ignored = ignored();
    for signal in [HANGUP, INTERRUPT, QUIT, TERMINATE] {
        if ignored >> (signal - 1) & 1 == 0 {
            let number = signal.into();
            match is_first_process() {
                true => flag::register_conditional_shutdown(number, (128 + signal).into(), &ENDS)?,
                false => flag::register_conditional_default(number, &ENDS)?,
            };
            flag::register_usize(signal.into(), &PENDING, signal.into())?;
            pipe::register(signal.into(), sender.try_clone()?)?;
        }
    }
    Ok(())
}

#[cfg(not(unix))]
fn start() -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let receive = async {
        while tokio::signal::ctrl_c().await.is_ok() {
            PENDING.store(INTERRUPT.into(), Ordering::SeqCst);
            if ENDS.load(Ordering::SeqCst) {
                end_by(INTERRUPT);
            }
            received();
        }
    };
    thread::Builder::new().spawn(move || runtime.block_on(receive))?;
    Ok(())
}

/// Returns the signals that are ignored: bit 0 is signal 1. Only Linux shows them.
#[cfg(unix)]
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.map(|bits| u64::from_str_radix(bits.trim(), 16));
    ignored.and_then(Result::ok).unwrap_or_default()
}

fn received() {
    // Locked to the end: what drops a deferral waits, and cannot go on between the decision and the end of the program.
    let mut deferrals = deferrals();
    if let Some(signal) = pending() {
        let is_another = |first| first != HANGUP || signal != HANGUP;
        let is_second = deferrals.first.is_some_and(is_another) && deferrals.calls > 0;
        deferrals.first.get_or_insert(signal);
        if is_second || deferrals.ends.as_mut().is_some_and(|ends| ends(signal)) {
            end_by(signal);
        }
    }
    RECEIVED.notify_waiters();
}

/// Forgets the pending signal.
fn forget() {
    PENDING.store(0, Ordering::SeqCst);
    deferrals().first = None;
}

fn deferrals() -> MutexGuard<'static, Deferrals> {
    DEFERRALS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn end_by(signal: u8) {
    #[cfg(unix)]
    if !is_first_process() {
        let _ = signal_hook::low_level::emulate_default_handler(signal.into());
    }
    std::process::exit((128 + signal).into());
}

/// Returns `true` for the process with the ID 1, which no signal with a default action ends.
#[cfg(unix)]
fn is_first_process() -> bool {
    std::process::id() == 1
}

/// Prevents signals from ending the program until dropped. They stay pending.
#[must_use]
pub(crate) struct Deferral(Kind);

#[derive(PartialEq)]
enum Kind {
    All,
    UntilSecond,
    WithExceptions,
}

/// Defers all signals.
pub(crate) fn defer() -> Deferral {
    deferral(Kind::All, None)
}

/// Defers signals during requests to the service, until a second one ends the program.
pub(crate) fn defer_first() -> Deferral {
    deferral(Kind::UntilSecond, None)
}

/// Defers the signals for which `ends` returns `false`. The others end the program at once; `ends` may restore
/// the terminal before. The latest such deferral decides, on a thread of its own.
pub(crate) fn defer_unless(ends: impl FnMut(u8) -> bool + Send + 'static) -> Deferral {
    deferral(Kind::WithExceptions, Some(Box::new(ends)))
}

fn deferral(kind: Kind, ends: Option<Box<dyn FnMut(u8) -> bool + Send>>) -> Deferral {
    let mut deferrals = deferrals();
    deferrals.count += 1;
    deferrals.calls += usize::from(kind == Kind::UntilSecond);
    ENDS.store(false, Ordering::SeqCst);
    if ends.is_some() {
        deferrals.ends = ends;
    }
    Deferral(kind)
}

impl Drop for Deferral {
    fn drop(&mut self) {
        let mut deferrals = deferrals();
        match self.0 {
            Kind::All => {}
            Kind::UntilSecond => deferrals.calls -= 1,
            Kind::WithExceptions => deferrals.ends = None,
        }
        deferrals.count -= 1;
        ENDS.store(deferrals.count == 0, Ordering::SeqCst);
    }
}

/// Returns the pending signal.
fn pending() -> Option<u8> {
    let signal = u8::try_from(PENDING.load(Ordering::SeqCst)).ok();
    signal.filter(|signal| *signal != 0)
}

/// Waits for a signal, which stays pending; needs a [`Deferral`].
pub(crate) async fn next() -> u8 {
    loop {
        let received = RECEIVED.notified();
        if let Some(signal) = pending() {
            return signal;
        }
        received.await;
    }
}

/// Fails if a signal is pending.
pub(crate) fn check() -> Result<()> {
    match pending() {
        None => Ok(()),
        Some(_) => Err(Failure::new(FailureKind::Interrupted, "interrupted")),
    }
}

/// Returns the exit code that a shell sees for the pending signal, if any.
pub(crate) fn exit_code() -> Option<u8> {
    pending().map(|signal| 128 + signal)
}

/// Ends the program by the pending signal, if any.
pub(crate) fn end_if_pending() {
    // The thread may not have seen it yet, and it may be a second SIGHUP, which does not count.
    received();
    if let Some(signal) = pending() {
        end_by(signal);
    }
}

/// Ends the program by the pending signal, unless it is SIGINT, which a read reports.
pub(crate) fn end_read() {
    if let Some(signal) = pending().filter(|signal| *signal != INTERRUPT) {
        end_by(signal);
    }
}

/// Runs an editor, whose exit status shows a Ctrl-C. The outer error is that of starting it, the inner one
/// that of waiting for it.
pub(crate) fn run_editor(editor: &mut Command) -> io::Result<io::Result<ExitStatus>> {
    // The terminal sends SIGINT and SIGQUIT to the editor, too.
    let _deferred = defer_unless(|signal| matches!(signal, HANGUP | TERMINATE));
    let ended = editor.spawn().map(|mut editor| editor.wait());
    let status = ended.as_ref().ok().and_then(|ended| ended.as_ref().ok());
    if !status.is_some_and(is_interrupted) && matches!(pending(), Some(INTERRUPT | QUIT)) {
        forget();
    }
    ended
}

/// Returns `true` if a program was ended by Ctrl-C.
pub(crate) fn is_interrupted(status: &ExitStatus) -> bool {
    #[cfg(unix)]
    if std::os::unix::process::ExitStatusExt::signal(status) == Some(INTERRUPT.into()) {
        return true;
    }
    status.code() == Some((128 + INTERRUPT).into())
}

/// Waits for a signal that stops a server, and returns the exit code.
#[cfg(feature = "webhook")]
pub(crate) async fn stopped() -> u8 {
    match next().await {
        HANGUP | TERMINATE => 0,
        signal => 128 + signal,
    }
}

/// Ends a server at once by any further signal. SIGHUP after SIGHUP is not another one.
#[cfg(feature = "webhook")]
pub(crate) fn end_server_at_once() {
    let first = pending();
    std::mem::forget(defer_unless(move |signal| match signal {
        HANGUP if first == Some(HANGUP) => {
            PENDING.store(0, Ordering::SeqCst);
            false
        }
        HANGUP | TERMINATE => std::process::exit(0),
        _ => true,
    }));
    // After the closure exists: the second SIGHUP may come at any time.
    if matches!(first, Some(HANGUP | TERMINATE)) {
        PENDING.store(0, Ordering::SeqCst);
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::sync::atomic::Ordering;

    use signal_hook::low_level::raise;

    use super::{HANGUP, PENDING, QUIT, TERMINATE, defer, exit_code, ignored, install};

    #[test]
    fn a_signal_stays_pending_while_it_is_deferred() {
        let before = ignored();
        install();
        for signal in [HANGUP, QUIT, TERMINATE] {
            let deferred = defer();
            drop(defer());
            raise(signal.into()).unwrap();
            drop(deferred);
            let is_ignored = before >> (signal - 1) & 1 == 1;
            assert_eq!(exit_code(), (!is_ignored).then_some(128 + signal));
            PENDING.store(0, Ordering::SeqCst);
        }
    }
}
