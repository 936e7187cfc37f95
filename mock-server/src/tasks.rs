//! Blocking work in async code, locks, and the shutdown signal of a server or a world.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use tokio::sync::{oneshot, watch};

/// A signal to all tasks that the server or the world shuts down.
#[derive(Debug, Clone)]
pub(crate) struct Shutdown(watch::Sender<bool>);

impl Shutdown {
    pub(crate) fn new() -> Self {
        Self(watch::Sender::new(false))
    }

    pub(crate) fn start(&self) {
        self.0.send_replace(true);
    }

    /// Waits until the shutdown starts.
    pub(crate) fn started(&self) -> impl Future<Output = ()> + use<> {
        let mut shutdown = self.0.subscribe();
        async move {
            // If the sender was dropped, the server has already stopped.
            let _ = shutdown.wait_for(|shutdown| *shutdown).await;
        }
    }

    /// Waits until no future of [`started`](Self::started) is left.
    pub(crate) async fn unused(&self) {
        self.0.closed().await;
    }
}

/// Waits in real time, even if the clock of the caller's runtime is paused.
pub(crate) async fn sleep_in_real_time(time: Duration) {
    let (waiting, dropped) = mpsc::channel::<()>();
    let (elapse, elapsed) = oneshot::channel();
    thread::spawn(move || {
        if dropped.recv_timeout(time) == Err(RecvTimeoutError::Timeout) {
            let _ = elapse.send(());
        }
    });
    let _ = elapsed.await;
    // Dropped earlier, it ends the thread.
    drop(waiting);
}

/// Runs blocking work, such as disk I/O, on tokio's blocking thread pool.
pub(crate) async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|panicked| std::panic::resume_unwind(panicked.into_panic()))
}

/// Locks a mutex, even if a thread has panicked meanwhile.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
