//! Decodes arbitrary bodies, for property tests and the fuzzer.

use std::time::SystemTime;

use bytes::Bytes;
use reqwest::header::HeaderMap;
use serde_json::json;

use crate::decode;
use crate::decode::response_data::{Resource, ResponseData};
use crate::error::body::read_error_body;
use crate::retry::retry_after::read_retry_after;
use crate::transport::raw_response::RawResponse;
use crate::{Analytics, Badge, Error, Link, Operation, Post, Profile, SiteStats, UserStats};

/// Decodes a body as the response to every call and checks the results.
///
/// # Panics
///
/// Panics if a result is inconsistent.
#[cfg_attr(
    not(fuzzing),
    expect(unreachable_pub, reason = "only the fuzzer uses it from outside")
)]
pub fn decode_as_every_type(body: &[u8]) {
    decode_as::<Profile>(body);
    decode_as::<Analytics>(body);
    decode_as::<UserStats>(body);
    decode_as::<Vec<Badge>>(body);
    decode_as::<SiteStats>(body);
    decode_as_written::<Profile>(body);
    decode_as_written::<Link>(body);
    decode_as_written::<Post>(body);
    let _ = decode::raw_data(body);
    decode_as_error(body);
    let error_body = read_error_body(body);
    for text in [error_body.code, error_body.message].into_iter().flatten() {
        assert!(!text.contains(['\n', '\r']) && !text.is_empty(), "{text:?}");
    }
}

fn decode_as<T: ResponseData + serde::Serialize>(body: &[u8]) {
    match decode::read_data::<T>(body) {
        Ok(value) => check_round_trip(&value),
        Err(reason) => assert!(!reason.contains('\n'), "{reason:?}"),
    }
}

fn decode_as_written<T: Resource + serde::Serialize>(body: &[u8]) {
    if let Some(resource) = decode::read_written::<T>(body) {
        assert!(resource.is_recognized());
        check_round_trip(&resource);
    }
}

/// Checks that a decoded value can be serialized and decoded again.
fn check_round_trip<T: ResponseData + serde::Serialize>(value: &T) {
    let body = json!({"data": value}).to_string();
    let again =
        decode::read_data::<T>(body.as_bytes()).expect("a decoded value can be decoded again");
    assert_eq!(json!({"data": again}).to_string(), body);
}

/// Decodes an error response, with the body as its `Retry-After`.
fn decode_as_error(body: &[u8]) {
    let text = String::from_utf8_lossy(body);
    let _ = read_retry_after(&text, SystemTime::UNIX_EPOCH);
    let response = RawResponse {
        status: 400,
        headers: HeaderMap::new(),
        body: Bytes::copy_from_slice(body),
        is_truncated: false,
    };
    let error = Error::from_response(response).with_operation(&Operation::CREATE_LINK);
    assert!(!error.to_string().contains(['\n', '\r']), "{error:?}");
}
