//! Whose key a request carries, and whether it may do what it asks for.

use super::keys::{Key, label};
use super::refusal::Refusal;
use super::request::Request;
use super::scope::Scope;
use super::world::World;

/// The text of the key that the request carries; `None` when it carries none.
pub(super) fn token(request: &Request) -> Result<Option<&str>, Refusal> {
    let mut headers = request.header_values("authorization");
    let Some(header) = headers.next() else {
        return Ok(None);
    };
    if headers.next().is_some() {
        return Err(Refusal::SeveralKeys);
    }
    bearer_token(header).map(Some).ok_or(Refusal::NotBearer)
}

/// The caller, provided that there is one and that its key has the scope.
pub(super) fn authorize(caller: Option<&Key>, scope: Option<Scope>) -> Result<&Key, Refusal> {
    let caller = caller.ok_or(Refusal::KeyMissing)?;
    match scope {
        Some(scope) if !caller.scopes.contains(&scope) => Err(Refusal::ScopeMissing { scope }),
        _ => Ok(caller),
    }
}

/// What a journal may call the key of a request: the middle of a key that was made here, such as
/// `all` in `mock_all_0123456789abcdef`, and never any part of another text.
pub(super) fn key_label<'a>(world: &World, request: &'a Request) -> Option<&'a str> {
    let header = request.header_values("authorization").next()?;
    let known = bearer_token(header).filter(|token| world.keys.contains_key(*token));
    Some(known.map_or("unknown", |token| label(token).unwrap_or("other")))
}

/// The key in the value of an `Authorization` header.
///
/// The name of the scheme is good in any case (RFC 9110, section 11.1), the key in its own alone.
pub(crate) fn bearer_token(header: &str) -> Option<&str> {
    let (scheme, token) = header.split_once(' ')?;
    scheme
        .eq_ignore_ascii_case("bearer")
        .then(|| token.trim_matches(' '))
}
