//! The processing of a request: the checks in their order, then the handler of the endpoint.

use std::borrow::Cow;

use jiff::Timestamp;
use serde_json::Value;

use super::dialect::{ExtraFields, RateLimitHeaders, RateLimitReset, ReferenceData};
use super::{
    BODY_LIMIT, Call, Dialect, Endpoint, Handler, Key, Problem, ProblemKind, Problems, Processed,
    Quota, RateLimit, Reply, Request, World, bearer_token, route, violations,
};

/// Handles a request according to the specification and the dialect of the world.
///
/// Rejected requests and reads change nothing except the rate limit of their key.
///
/// [`MockServer`](crate::MockServer) calls this for each request. Call it directly to test against
/// a [`World`] without a socket.
///
/// ```
/// use mock_server::{Request, World, handle};
///
/// let mut world = World::new(0);
/// let request = Request::new("DELETE", "/api/v1/me/links/link_1")
///     .header("Authorization", format!("Bearer {}", world.keys().links));
/// assert_eq!(handle(&mut world, &request).status, 204);
/// assert_eq!(handle(&mut world, &request).status, 404);
/// ```
pub fn handle(world: &mut World, request: &Request) -> Reply {
    let now = world.clock().timestamp();
    process(world, request, now).reply
}

/// Handles a request at the instant `now` and returns the result.
pub(crate) fn process(world: &mut World, request: &Request, now: Timestamp) -> Processed {
    let mut problems = Problems::default();
    let (length, limit) = (request.body_length(), BODY_LIMIT);
    if length > limit {
        problems.reject(Problem::BodyTooLarge { length, limit });
    }
    let Ok((endpoint, parameter)) = problems.accept(route(request)) else {
        return processed(world, request, now, None, &problems, None);
    };
    let (key, quota) = identify(world, request, endpoint, now, &mut problems);
    let mut call = Call {
        request,
        parameter,
        key,
        problems,
    };
    let (answer, is_write) = match endpoint.row().handler {
        Handler::Read(answer) => (answer(world, &mut call), false),
        Handler::Write(answer) => (answer(world, &mut call), true),
    };
    let problems = call.problems;
    let accepted = answer.ok().map(|mut reply| {
        add_extra_fields(&mut reply, endpoint, &world.dialect().extra_fields);
        reply
    });
    let mut processed = processed(world, request, now, Some(endpoint), &problems, accepted);
    processed.changed = is_write && processed.rejection.is_none();
    if let Some(quota) = quota {
        let is_counted = processed.rejection != Some(ProblemKind::RateLimited);
        processed.changed |= is_counted && quota.limit != RateLimit::default();
        add_rate_limit(&mut processed.reply, quota, world.dialect(), now);
    }
    processed
}

/// Finds the key of a request and counts the request against its rate limit.
fn identify<'a>(
    world: &mut World,
    request: &'a Request,
    endpoint: Endpoint,
    now: Timestamp,
    problems: &mut Problems,
) -> (Option<&'a str>, Option<Quota>) {
    let token = match problems.accept(token(request)) {
        Ok(Some(token)) => token,
        Ok(None) => {
            let requires_key = world.dialect().reference_data == ReferenceData::KeyRequired;
            if requires_key || endpoint.requires_key() {
                problems.reject(Problem::KeyMissing);
            }
            return (None, None);
        }
        Err(_) => return (None, None),
    };
    // A hand-written state can have a key without an account.
    let has_account = |key: &&mut Key| world.accounts.contains_key(&key.handle);
    let Some(key) = world.keys.get_mut(token).filter(has_account) else {
        problems.reject(Problem::UnknownKey);
        return (None, None);
    };
    let counted = problems.check().is_ok().then(|| key.count(now.as_second()));
    if let Some(Err(quota)) = counted {
        problems.reject(Problem::RateLimited { quota });
    }
    let quota = counted.map(|(Ok(quota) | Err(quota))| quota);
    if let Some(scope) = endpoint.scope()
        && !key.scopes.contains(&scope)
    {
        problems.reject(Problem::ScopeMissing { scope });
    }
    (Some(token), quota)
}

/// Returns the key in the request, if any.
fn token(request: &Request) -> Result<Option<&str>, Problem> {
    let mut headers = request.header_values("authorization");
    let Some(header) = headers.next() else {
        return Ok(None);
    };
    if headers.next().is_some() {
        let found = "found more than one Authorization header; send only one";
        return Err(Problem::MalformedAuthorization { found });
    }
    let found = "the Authorization header does not have the form `Bearer <API_KEY>`";
    let malformed = Problem::MalformedAuthorization { found };
    bearer_token(header).map(Some).ok_or(malformed)
}

/// Returns the result of a request, which is rejected unless it has a reply.
fn processed(
    world: &World,
    request: &Request,
    now: Timestamp,
    endpoint: Option<Endpoint>,
    problems: &Problems,
    accepted: Option<Reply>,
) -> Processed {
    let reply = accepted.unwrap_or_else(|| {
        let decisive = problems.decisive();
        let decisive = decisive.expect("a rejected request has a decisive problem");
        Reply::to_problem(decisive, world.dialect(), now)
    });
    Processed {
        endpoint,
        rejection: problems.decisive().map(Problem::kind),
        violations: violations(problems, endpoint, request, world),
        ..Processed::new(reply)
    }
}

/// Adds the fields to the response of a successful request.
fn add_extra_fields(reply: &mut Reply, endpoint: Endpoint, extra: &ExtraFields) {
    if extra.0.is_empty() {
        return;
    }
    let Ok(mut body) = serde_json::from_slice::<Value>(&reply.body) else {
        // The response has no body.
        return;
    };
    let data = &mut body["data"];
    for (place, pointer) in endpoint.row().objects {
        if let Some(objects) = data.pointer_mut(pointer) {
            extra.add(*place, objects);
        }
    }
    reply.body = body.to_string().into_bytes();
}

/// Adds the headers about the rate limit. Since version 08, the IETF draft "RateLimit header fields for
/// HTTP" has a single structured header, which few clients read yet.
fn add_rate_limit(reply: &mut Reply, quota: Quota, dialect: &Dialect, now: Timestamp) {
    if !dialect.sends_rate_limit_headers() {
        return;
    }
    let reset = match dialect.rate_limit_reset {
        RateLimitReset::Seconds => quota.reset,
        RateLimitReset::UnixTime => now.as_second().saturating_add(quota.reset),
    };
    let values: [i64; 3] = [quota.limit.limit.into(), quota.remaining.into(), reset];
    for (name, value) in rate_limit_names(dialect).into_iter().zip(values) {
        let header = name.map(|name| (name, value.to_string().into()));
        reply.headers.extend(header);
    }
}

/// Returns the names of the headers with the limit, the remaining requests and the end of the window.
fn rate_limit_names(dialect: &Dialect) -> [Option<Cow<'static, str>>; 3] {
    if let Some(names) = &dialect.rate_limit_header_names {
        let names = [&names.limit, &names.remaining, &names.reset];
        return names.map(|name| name.clone().map(Cow::Owned));
    }
    let names = match dialect.rate_limit_headers {
        RateLimitHeaders::RateLimit => {
            ["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"]
        }
        RateLimitHeaders::XRateLimit => [
            "x-ratelimit-limit",
            "x-ratelimit-remaining",
            "x-ratelimit-reset",
        ],
    };
    names.map(|name| Some(Cow::Borrowed(name)))
}
