//! The output of a command.

use std::collections::VecDeque;
use std::io::{PipeReader, Read};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::timeout;

/// Maximum size in bytes; of longer output, the end is kept.
const MAX_SIZE: usize = 1024 * 1024;

/// Time to read the rest. A process that left the group of the command may keep the pipe open.
const MAX_WAIT: Duration = Duration::from_secs(1);

/// Output that a thread reads from a pipe.
pub(super) struct Output {
    bytes: Arc<Mutex<VecDeque<u8>>>,
    closed: oneshot::Receiver<()>,
}

impl Output {
    pub(super) fn collect(mut pipe: PipeReader) -> Self {
        let bytes = Arc::new(Mutex::new(VecDeque::new()));
        let (close, closed) = oneshot::channel();
        let read = bytes.clone();
        thread::spawn(move || {
            let mut buffer = [0; 8192];
            while let Ok(length @ 1..) = pipe.read(&mut buffer) {
                let mut bytes = read.lock().unwrap_or_else(PoisonError::into_inner);
                bytes.extend(&buffer[..length]);
                let excess = bytes.len().saturating_sub(MAX_SIZE);
                bytes.drain(..excess);
            }
            let _ = close.send(());
        });
        Self { bytes, closed }
    }

    /// Returns the output when the pipe is closed.
    pub(super) async fn finish(self) -> String {
        let _ = timeout(MAX_WAIT, self.closed).await;
        let mut bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(bytes.make_contiguous()).into_owned()
    }
}
