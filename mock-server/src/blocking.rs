//! Blocking work in async code.

/// Runs blocking work, such as disk I/O, on tokio's blocking thread pool.
pub(crate) async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|panicked| std::panic::resume_unwind(panicked.into_panic()))
}
