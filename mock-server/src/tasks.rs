//! Blocking work in async code, locks, and the shutdown signal of a server or a world.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use std::{future, io, thread};

use tokio::runtime::{self, Handle};
use tokio::sync::watch;
use tokio::time::sleep;

/// A signal to all tasks that the server or the world shuts down.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shutdown(watch::Sender<bool>);

impl Shutdown {
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
    let runtime = background_runtime().expect("a thread can be started");
    let _ = runtime.spawn(async move { sleep(time).await }).await;
}

/// Returns a runtime of the process on a thread of its own, for what is independent of the caller's runtime.
pub(crate) fn background_runtime() -> io::Result<Handle> {
    static RUNTIME: Mutex<Option<Handle>> = Mutex::new(None);
    let mut started = lock(&RUNTIME);
    if let Some(runtime) = &*started {
        return Ok(runtime.clone());
    }
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let handle = runtime.handle().clone();
    let thread = thread::Builder::new().name("webhooks".to_owned());
    thread.spawn(move || runtime.block_on(future::pending::<()>()))?;
    Ok(started.insert(handle).clone())
}

/// Runs blocking work, such as disk I/O, on tokio's blocking thread pool.
pub async fn run_blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|panicked| std::panic::resume_unwind(panicked.into_panic()))
}

/// Locks a mutex, even if a thread has panicked meanwhile.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
