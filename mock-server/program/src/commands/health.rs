//! `mock-server health`: the health check of the container, whose image has no other program.

use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use clap::Args;

use crate::failure::Failure;

/// Time limit for the connection to each address.
const TIMEOUT: Duration = Duration::from_secs(1);

/// Exit with 0 if a server accepts connections at an address, and with 1 otherwise.
///
/// Sends no request, so that nothing appears in the journal.
#[derive(Debug, Args)]
pub(crate) struct HealthOptions {
    /// Address of the server
    #[arg(value_name = "HOST:PORT", default_value = "127.0.0.1:8080")]
    addr: String,
}

/// Connects to the server once.
pub(crate) fn run(options: &HealthOptions) -> Result<u8, Failure> {
    let connect = |addr: &String| {
        addr.to_socket_addrs()?
            .find_map(|address| TcpStream::connect_timeout(&address, TIMEOUT).ok())
            .ok_or_else(|| std::io::ErrorKind::ConnectionRefused.into())
    };
    let HealthOptions { addr } = options;
    match connect(addr) {
        Ok(_) => Ok(0),
        Err(reason) => Err(Failure::Health {
            addr: addr.clone(),
            reason,
        }),
    }
}
