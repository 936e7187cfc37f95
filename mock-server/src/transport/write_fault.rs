//! Applies wire faults to a connection that hyper has released.

use std::fmt::Write;
use std::io;
use std::time::Duration;

use http::StatusCode;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::faults::{PlannedReply, WireFault};

/// Ends a connection as the fault requires. An error means that the client has disconnected.
pub(super) async fn write_fault(
    mut stream: TcpStream,
    fault: WireFault,
    reply: &PlannedReply,
) -> io::Result<()> {
    let body = reply.body.as_ref();
    match fault {
        // With a linger of zero, the system sends RST instead of FIN.
        WireFault::Reset { after } => {
            if let Some(after) = after {
                send_part(&mut stream, reply, after).await?;
            }
            stream.set_zero_linger()
        }
        WireFault::Close => Ok(()),
        WireFault::Cut { after } => {
            send_part(&mut stream, reply, after).await?;
            stream.shutdown().await
        }
        WireFault::Stall { after } => {
            send_part(&mut stream, reply, after).await?;
            wait_for_end(&mut stream).await
        }
        WireFault::Dribble {
            bytes,
            milliseconds,
        } => {
            let head = match reply.code {
                204 => head(reply, ""),
                _ => head_with_length(reply, body.len() as u64),
            };
            stream.write_all(head.as_bytes()).await?;
            dribble(
                &mut stream,
                body,
                bytes,
                Duration::from_millis(milliseconds),
            )
            .await
        }
        WireFault::BadChunk => {
            stream.write_all(&bad_chunk(reply)).await?;
            stream.shutdown().await
        }
    }
}

/// Sends the head and the first `after` bytes of the body. `Content-Length` is always larger, so that
/// the client can detect the missing bytes.
async fn send_part(stream: &mut TcpStream, reply: &PlannedReply, after: u64) -> io::Result<()> {
    let body = reply.body.as_ref();
    let announced = after.saturating_add(1).max(body.len() as u64);
    let sent = usize::try_from(after).map_or(body.len(), |after| body.len().min(after));
    let mut bytes = head_with_length(reply, announced).into_bytes();
    bytes.extend_from_slice(&body[..sent]);
    stream.write_all(&bytes).await
}

/// Waits until the client closes the connection, and discards what it sends.
async fn wait_for_end(stream: &mut TcpStream) -> io::Result<()> {
    let mut dropped = [0; 1024];
    while stream.read(&mut dropped).await? > 0 {}
    Ok(())
}

async fn dribble(
    stream: &mut TcpStream,
    body: &[u8],
    bytes: u64,
    pause: Duration,
) -> io::Result<()> {
    let size = usize::try_from(bytes).unwrap_or(usize::MAX).max(1);
    for piece in body.chunks(size) {
        tokio::time::sleep(pause).await;
        stream.write_all(piece).await?;
    }
    stream.shutdown().await
}

/// Returns a response with one valid chunk and an invalid chunk size.
fn bad_chunk(reply: &PlannedReply) -> Vec<u8> {
    let first = match reply.body.as_ref() {
        [] => b"{",
        body => &body[..body.len().min(8)],
    };
    let mut bytes = head(reply, "transfer-encoding: chunked\r\n").into_bytes();
    bytes.extend_from_slice(format!("{:x}\r\n", first.len()).as_bytes());
    bytes.extend_from_slice(first);
    bytes.extend_from_slice(b"\r\nno size\r\n");
    bytes
}

fn head_with_length(reply: &PlannedReply, length: u64) -> String {
    head(reply, &format!("content-length: {length}\r\n"))
}

fn head(reply: &PlannedReply, framing: &str) -> String {
    let status = StatusCode::from_u16(reply.code).expect("a reply has a status of three digits");
    let mut head = format!("HTTP/1.1 {status}\r\n");
    for (name, value) in &reply.headers {
        write!(head, "{name}: {value}\r\n").expect("writing to a string does not fail");
    }
    head + framing + "connection: close\r\n\r\n"
}
