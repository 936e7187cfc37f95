//! Work that may have to wait, for a disk or for a lock, on a thread that nobody else needs.

/// Does the work on such a thread. Needs a tokio runtime.
pub(crate) async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|panicked| std::panic::resume_unwind(panicked.into_panic()))
}
