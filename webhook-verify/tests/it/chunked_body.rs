//! An HTTP body whose chunks the test sends, and which records whether it was read.

use std::error::Error;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

type Chunk = Result<Bytes, Box<dyn Error + Send + Sync>>;

pub(crate) struct ChunkedBody {
    chunks: UnboundedReceiver<Chunk>,
    has_ended: bool,
    was_read: Arc<AtomicBool>,
}

/// Sends chunks of the body. Dropping it ends the body.
pub(crate) struct Chunks {
    sender: UnboundedSender<Chunk>,
    was_read: Arc<AtomicBool>,
}

pub(crate) fn chunked_body() -> (Chunks, ChunkedBody) {
    let (sender, chunks) = unbounded_channel();
    let was_read = Arc::new(AtomicBool::new(false));
    let chunks = ChunkedBody {
        chunks,
        has_ended: false,
        was_read: was_read.clone(),
    };
    (Chunks { sender, was_read }, chunks)
}

impl Chunks {
    #[track_caller]
    pub(crate) fn send(&self, chunk: &[u8]) {
        self.sender.send(Ok(Bytes::copy_from_slice(chunk))).unwrap();
    }

    #[track_caller]
    pub(crate) fn break_off(&self) {
        self.sender.send(Err("connection reset".into())).unwrap();
    }

    pub(crate) fn were_read(&self) -> bool {
        self.was_read.load(Ordering::Relaxed)
    }
}

impl From<Bytes> for ChunkedBody {
    fn from(bytes: Bytes) -> Self {
        let (chunks, body) = chunked_body();
        chunks.send(&bytes);
        body
    }
}

impl Body for ChunkedBody {
    type Data = Bytes;
    type Error = Box<dyn Error + Send + Sync>;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        self.was_read.store(true, Ordering::Relaxed);
        // As some bodies do.
        assert!(!self.has_ended, "polled after its end");
        self.chunks.poll_recv(context).map(|chunk| {
            self.has_ended = chunk.is_none();
            chunk.map(|chunk| chunk.map(Frame::data))
        })
    }
}
