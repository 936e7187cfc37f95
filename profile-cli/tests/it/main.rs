//! The program as a process, against the mock service over a real socket.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod analytics;
mod arguments;
mod badge;
mod chaos;
mod failures;
mod link;
mod post;
mod program;
#[cfg(feature = "sandbox")]
mod sandbox;
mod secrets;
mod set;
mod show;
mod site;
mod stats;
