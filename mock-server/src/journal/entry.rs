//! One request in the journal, in a single allocation that the next one can take over.

use std::borrow::Cow;

use jiff::Timestamp;

use crate::engine::{Request, without, without_keys};

/// Headers that carry a key; they are never kept.
const SECRET_HEADERS: [&str; 2] = ["authorization", "proxy-authorization"];

/// Nobody has a key of less than so many bytes.
const SHORTEST_SECRET: usize = 8;

/// In place of a length: there is no piece here.
const ABSENT: u32 = u32::MAX;

/// What the service knows of a request that it has answered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answered<'a> {
    /// When, by the world's clock.
    pub(crate) at: Timestamp,
    /// The endpoint's path with its parameter in braces, where the path is an endpoint's.
    pub(crate) endpoint: Option<&'static str>,
    /// What the key is called, never the key itself.
    pub(crate) key: Option<&'a str>,
    /// Nothing when the client got no answer.
    pub(crate) status: Option<u16>,
    /// The name of the fault that was applied.
    pub(crate) fault: Option<&'a str>,
}

#[derive(Debug)]
pub(super) struct Entry {
    pub(super) number: u64,
    at: Timestamp,
    endpoint: Option<&'static str>,
    status: Option<u16>,
    body_length: usize,
    /// Method, path, query, key label, fault and the headers' names and values, each with its length
    /// in front; an absent piece; and the body up to the limit.
    pieces: Vec<u8>,
}

/// An entry's parts, read without copying.
#[derive(Clone, Copy, Debug)]
pub(super) struct View<'a> {
    pub(super) number: u64,
    pub(super) at: Timestamp,
    pub(super) endpoint: Option<&'static str>,
    pub(super) status: Option<u16>,
    pub(super) method: &'a str,
    pub(super) path: &'a str,
    pub(super) query: Option<&'a str>,
    pub(super) key: Option<&'a str>,
    pub(super) fault: Option<&'a str>,
    headers: Pieces<'a>,
    pub(super) body: &'a [u8],
    pub(super) body_length: usize,
}

impl Entry {
    /// Writes an entry into a buffer that has served before, or an empty one.
    pub(super) fn write(
        number: u64,
        request: &Request,
        answered: &Answered<'_>,
        body_limit: usize,
        mut buffer: Vec<u8>,
    ) -> Self {
        let body = beginning(&request.body, body_limit);
        buffer.clear();
        buffer.reserve_exact(needed_bytes(request, body_limit));
        let secret = foreign_secret(request, answered);
        let shown = |text| without_secrets(text, secret);
        put(&mut buffer, Some(&request.method));
        put(&mut buffer, Some(&shown(&request.path)));
        put(&mut buffer, request.query.as_deref().map(shown).as_deref());
        put(&mut buffer, answered.key);
        put(&mut buffer, answered.fault);
        for (name, value) in kept_headers(request) {
            put(&mut buffer, Some(name));
            put(&mut buffer, Some(&shown(value)));
        }
        put(&mut buffer, None);
        buffer.extend_from_slice(body);
        Self {
            number,
            at: answered.at,
            endpoint: answered.endpoint,
            status: answered.status,
            body_length: request.body.len(),
            pieces: buffer,
        }
    }

    pub(super) fn view(&self) -> View<'_> {
        let mut pieces = Pieces(&self.pieces);
        let method = pieces.next().unwrap_or_default();
        let path = pieces.next().unwrap_or_default();
        let (query, key, fault) = (pieces.next(), pieces.next(), pieces.next());
        let headers = pieces;
        while pieces.next().is_some() {}
        View {
            number: self.number,
            at: self.at,
            endpoint: self.endpoint,
            status: self.status,
            method,
            path,
            query,
            key,
            fault,
            headers,
            body: pieces.0,
            body_length: self.body_length,
        }
    }

    /// The memory that the entry takes.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>() + self.pieces.capacity()
    }

    pub(super) fn into_buffer(self) -> Vec<u8> {
        self.pieces
    }
}

impl<'a> View<'a> {
    /// Names and values in the order in which they came, without those that carry a key.
    pub(super) fn headers(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let mut pieces = self.headers;
        std::iter::from_fn(move || Some((pieces.next()?, pieces.next()?)))
    }
}

/// About how many bytes of buffer a request takes; labels are short.
pub(super) fn needed_bytes(request: &Request, body_limit: usize) -> usize {
    let headers = kept_headers(request).map(|(name, value)| name.len() + value.len() + 8);
    let query = request.query.as_ref().map_or(0, String::len);
    let fixed = request.method.len() + request.path.len() + query + 64;
    fixed + headers.sum::<usize>() + request.body.len().min(body_limit)
}

fn kept_headers(request: &Request) -> impl Iterator<Item = (&str, &str)> {
    let headers = request.headers.iter();
    headers
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .filter(|(name, _)| !is_secret(name))
}

/// Whether a header of this name is never kept.
pub(super) fn is_secret(name: &str) -> bool {
    let mut secrets = SECRET_HEADERS.iter();
    secrets.any(|secret| name.eq_ignore_ascii_case(secret))
}

/// What a request has in `Authorization` in place of a key of ours, which may be a real secret. A
/// text that is short would be found everywhere.
fn foreign_secret<'a>(request: &'a Request, answered: &Answered<'_>) -> Option<&'a str> {
    let (Some("unknown" | "other"), Some(value)) =
        (answered.key, request.header_values("authorization").next())
    else {
        return None;
    };
    let secret = value
        .split_once(' ')
        .map_or(value, |(_, secret)| secret.trim());
    (secret.len() >= SHORTEST_SECRET).then_some(secret)
}

fn without_secrets<'a>(text: &'a str, foreign: Option<&str>) -> Cow<'a, str> {
    match foreign {
        None => without_keys(text),
        Some(secret) => match without(text, secret) {
            Cow::Borrowed(text) => without_keys(text),
            Cow::Owned(text) => without_keys(&text).into_owned().into(),
        },
    }
}

/// At most `limit` bytes, without cutting a UTF-8 character in two.
fn beginning(body: &[u8], limit: usize) -> &[u8] {
    if body.len() <= limit {
        return body;
    }
    let is_inside_character = |end: usize| body[end] & 0b1100_0000 == 0b1000_0000;
    let end = (limit.saturating_sub(3)..=limit)
        .rev()
        .find(|end| !is_inside_character(*end));
    &body[..end.unwrap_or(limit)]
}

fn put(buffer: &mut Vec<u8>, piece: Option<&str>) {
    let length = piece.map_or(ABSENT, |text| {
        u32::try_from(text.len()).expect("no part of a request's head is as long as 4 GiB")
    });
    buffer.extend_from_slice(&length.to_le_bytes());
    buffer.extend_from_slice(piece.unwrap_or_default().as_bytes());
}

/// Reads what [`put`] wrote; an absent piece is `None`, and reading can go on behind it.
#[derive(Clone, Copy, Debug)]
struct Pieces<'a>(&'a [u8]);

impl<'a> Pieces<'a> {
    fn next(&mut self) -> Option<&'a str> {
        let (length, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        let length = u32::from_le_bytes(*length);
        if length == ABSENT {
            return None;
        }
        let (piece, rest) = rest.split_at(length as usize);
        self.0 = rest;
        Some(std::str::from_utf8(piece).expect("a piece was written as text"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_body_ends_with_a_whole_character() {
        assert_eq!(beginning("aé".as_bytes(), 2), b"a");
        assert_eq!(beginning("aé".as_bytes(), 3), "aé".as_bytes());
        assert_eq!(beginning("😀😀".as_bytes(), 7), "😀".as_bytes());
        assert_eq!(beginning(&[0x80; 9], 5), [0x80; 5]);
        assert_eq!(beginning(b"abc", 0), b"");
    }
}
