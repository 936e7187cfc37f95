//! Checks what is read from a body that may hold anything, for the property tests and the fuzzer.

use std::time::SystemTime;

use bytes::Bytes;
use reqwest::header::HeaderMap;
use serde_json::json;

use crate::decode;
use crate::decode::answer::{Answer, Resource};
use crate::error::body::read_error_body;
use crate::retry::retry_after::read_retry_after;
use crate::transport::raw_response::RawResponse;
use crate::{Analytics, Badge, Error, Link, Operation, Post, Profile, SiteStats, UserStats};

/// Reads a body as the answer to every call, and looks at all that was read.
///
/// # Panics
///
/// When what was read cannot be true.
#[cfg_attr(
    not(fuzzing),
    expect(unreachable_pub, reason = "only the fuzzer comes from outside")
)]
pub fn read_as_everything(body: &[u8]) {
    read_as_answer::<Profile>(body);
    read_as_answer::<Analytics>(body);
    read_as_answer::<UserStats>(body);
    read_as_answer::<Vec<Badge>>(body);
    read_as_answer::<SiteStats>(body);
    read_as_written::<Profile>(body);
    read_as_written::<Link>(body);
    read_as_written::<Post>(body);
    let _ = decode::raw_data(body);
    read_as_refusal(body);
    let said = read_error_body(body);
    for text in [said.code, said.message].into_iter().flatten() {
        assert!(!text.contains(['\n', '\r']) && !text.is_empty(), "{text:?}");
    }
}

fn read_as_answer<T: Answer + serde::Serialize>(body: &[u8]) {
    match decode::read_data::<T>(body) {
        Ok(value) => check_rereadable(&value),
        Err(reason) => assert!(!reason.contains('\n'), "{reason:?}"),
    }
}

fn read_as_written<T: Resource + serde::Serialize>(body: &[u8]) {
    if let Some(resource) = decode::read_written::<T>(body) {
        assert!(resource.is_recognised());
        check_rereadable(&resource);
    }
}

/// What was read can be written, and reads again.
fn check_rereadable<T: Answer + serde::Serialize>(value: &T) {
    let body = json!({"data": value}).to_string();
    let again = decode::read_data::<T>(body.as_bytes()).expect("what was read reads again");
    assert_eq!(json!({"data": again}).to_string(), body);
}

/// The body of a refusal, with a wait that is whatever the body says.
fn read_as_refusal(body: &[u8]) {
    let text = String::from_utf8_lossy(body);
    let _ = read_retry_after(&text, SystemTime::UNIX_EPOCH);
    let answer = RawResponse {
        status: 400,
        headers: HeaderMap::new(),
        body: Bytes::copy_from_slice(body),
        is_cut: false,
    };
    let error = Error::refused(answer).during(&Operation::CREATE_LINK);
    assert!(!error.to_string().contains(['\n', '\r']), "{error:?}");
}
