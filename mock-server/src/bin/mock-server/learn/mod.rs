//! `mock-server learn`: asks a running service for its habits where the specification is silent.
//!
//! In reading order:
//!
//! - `key`, `call`, `answer`: the API key, one request, and one response
//! - `requests`: the table of the requests
//! - `service`: the client that sends one request at a time
//! - `observations`: the collected responses
//! - `reading`: sends the requests that change nothing
//! - `changes`, `writing`: the writes of `--allow-writes`, and how they are undone
//! - `delivery`: recorded webhook deliveries
//! - `shape`, `finding`: the condition on a value, and the conclusion from it
//! - `questions`, `statements`: the tables of the questions that the specification leaves open and of its
//!   sentences
//! - `findings`: functions of these tables
//! - `report`: the result for people, for programs and for the mock

mod answer;
mod call;
mod changes;
mod delivery;
mod finding;
mod findings;
mod key;
mod observations;
mod questions;
mod reading;
mod report;
mod requests;
mod service;
mod shape;
mod statements;
mod writing;

use std::hash::{BuildHasher, Hasher, RandomState};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, PercentEncode, utf8_percent_encode};

pub(crate) use changes::Changes;
pub(crate) use delivery::Delivery;
pub(crate) use key::{Key, base_url};
pub(crate) use observations::Observations;
pub(crate) use reading::{read, require_profile};
pub(crate) use report::Report;
pub(crate) use service::Service;
pub(crate) use writing::{clean_up, write};

/// Returns a name that no profile and no field has.
fn random_name() -> String {
    let random = RandomState::new().build_hasher().finish();
    format!("learn{random:016x}")
}

/// Encodes a handle or an id as one segment of a path.
fn path_segment(text: &str) -> PercentEncode<'_> {
    /// The unreserved characters of RFC 3986 are not encoded: some services do not decode them.
    const ENCODED: AsciiSet = NON_ALPHANUMERIC
        .remove(b'-')
        .remove(b'.')
        .remove(b'_')
        .remove(b'~');
    utf8_percent_encode(text, &ENCODED)
}
