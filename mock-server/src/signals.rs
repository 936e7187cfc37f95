//! Signals to a program.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
#[cfg(unix)]
use std::{fs, future::poll_fn, task::Poll};
use std::{io, process};

use crate::tasks::background_runtime;

/// `true` once the program handles signals itself.
static IS_CAUGHT: AtomicBool = AtomicBool::new(false);

/// The signals that end a program, except for those that were ignored at its start, as by `nohup`. These
/// stay ignored, also for its child processes.
#[derive(Debug)]
#[cfg(unix)]
pub struct Signals(Vec<(u8, tokio::signal::unix::Signal)>);

/// Ctrl-C.
#[derive(Debug)]
#[cfg(windows)]
pub struct Signals(tokio::signal::windows::CtrlC);

impl Signals {
    /// The number of SIGHUP. Like those of the others, it is the same on all systems.
    pub const HANGUP: u8 = 1;
    /// The number of SIGINT.
    pub const INTERRUPT: u8 = 2;
    /// The number of SIGQUIT.
    pub const QUIT: u8 = 3;
    /// The number of SIGTERM.
    pub const TERMINATE: u8 = 15;

    /// As process 1, such as that of a container, ends the program by a signal until signals are caught: the kernel
    /// ignores those without a handler. The exit code is 128 and the number of the signal.
    pub fn end_process_1() {
        let Some(Ok(runtime)) = (process::id() == 1).then(background_runtime) else {
            return;
        };
        let (handled, is_handled) = mpsc::channel();
        runtime.spawn(async move {
            let signals = Self::handle();
            let _ = handled.send(());
            if let Ok(mut signals) = signals {
                let number = signals.next().await;
                if !IS_CAUGHT.load(Ordering::SeqCst) {
                    process::exit((128 + number).into());
                }
            }
        });
        let _ = is_handled.recv();
    }

    /// Catches the signals, which do not end the program any more.
    ///
    /// # Errors
    ///
    /// Returns an error if the system does not allow it.
    pub fn catch() -> io::Result<Self> {
        let signals = Self::handle()?;
        IS_CAUGHT.store(true, Ordering::SeqCst);
        Ok(signals)
    }

    #[cfg(unix)]
    fn handle() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        // While SIGCHLD is ignored, the exit codes of child processes are lost.
        let _handled = signal(SignalKind::child())?;
        let ignored = ignored();
        let caught = [Self::HANGUP, Self::INTERRUPT, Self::QUIT, Self::TERMINATE].into_iter();
        let caught = caught.filter(|number| ignored >> (number - 1) & 1 == 0);
        let caught = caught.map(|number| {
            let received = signal(SignalKind::from_raw(number.into()))?;
            Ok((number, received))
        });
        caught.collect::<io::Result<_>>().map(Self)
    }

    #[cfg(windows)]
    fn handle() -> io::Result<Self> {
        tokio::signal::windows::ctrl_c().map(Self)
    }

    /// Waits for a signal, and returns its number.
    #[cfg(unix)]
    pub async fn next(&mut self) -> u8 {
        poll_fn(|context| {
            let mut signals = self.0.iter_mut();
            let received = signals.find_map(|(number, signal)| {
                let received = signal.poll_recv(context).is_ready();
                received.then_some(*number)
            });
            received.map_or(Poll::Pending, Poll::Ready)
        })
        .await
    }

    /// Waits for Ctrl-C, and returns its number.
    #[cfg(windows)]
    pub async fn next(&mut self) -> u8 {
        self.0.recv().await;
        Self::INTERRUPT
    }

    /// Waits for a further signal after the first one, if there was one. SIGHUP after SIGHUP is not a further
    /// one: for a closed terminal, both the shell and the system send it.
    pub async fn next_after(&mut self, first: Option<u8>) -> u8 {
        loop {
            let number = self.next().await;
            if (first, number) != (Some(Self::HANGUP), Self::HANGUP) {
                return number;
            }
        }
    }
}

/// Returns the mask of the ignored signals. Only Linux shows it.
#[cfg(unix)]
fn ignored() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.unwrap_or_default()
}
