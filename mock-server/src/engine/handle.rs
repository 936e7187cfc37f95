//! The processing of a request: the checks in their order, the handler of the endpoint, and the violations of
//! the specification.

use std::borrow::Cow;
use std::fmt;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use super::dialect::{ExtraFields, RateLimitHeaders, RateLimitReset, ReferenceData};
use super::{
    BODY_LIMIT, Call, Dialect, Endpoint, Handler, Key, Problem, ProblemKind, Problems, Quota,
    RateLimit, Reply, Request, World, bearer_token, route,
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

/// A request that the engine has processed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Processed {
    /// The response.
    pub(crate) reply: Reply,
    /// `true` if the world has to be stored: a write succeeded, or the request counts against a rate
    /// limit that was set with [`World::set_rate_limit`](crate::World::set_rate_limit). Counts
    /// against the default limit are not stored.
    pub(crate) changed: bool,
    /// The endpoint, if one has this path and method.
    pub(crate) endpoint: Option<Endpoint>,
    /// The problem for which the request was rejected.
    pub(crate) rejection: Option<ProblemKind>,
    /// At most [`Violation::MAX_PER_REQUEST`]. Under a lenient dialect, a successful request can
    /// have violations.
    pub(crate) violations: Vec<Violation>,
    /// The number of violations that do not count, because a web page of another origin sent the request.
    pub(crate) of_other_origin: u64,
}

impl Processed {
    /// Returns the result of a request that changed nothing.
    pub(crate) fn new(reply: Reply) -> Self {
        Self {
            reply,
            changed: false,
            endpoint: None,
            rejection: None,
            violations: Vec::new(),
            of_other_origin: 0,
        }
    }
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

/// A violation of the specification by a request.
///
/// Violations depend only on the request: they are the same under every dialect.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let server = mock_server::MockServer::start().await;
/// // … the client under test runs …
/// for violation in server.report().violations() {
///     println!("{} {}: {}", violation.method, violation.path, violation.found);
/// }
/// # });
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Violation {
    /// The rule; in JSON its name.
    pub rule: ProblemKind,
    /// The section of the specification that states the rule.
    pub section: &'static str,
    /// The rule as a sentence.
    pub requirement: &'static str,
    /// The problem, such as "bio has 12 lines; at most 10 are allowed". Never contains a key.
    pub found: String,
    /// The invalid field or query parameter, if any.
    pub field: Option<String>,
    /// The method of the request.
    pub method: String,
    /// The path of the endpoint, such as `/api/v1/me/links/{id}`, or the path of the request if no
    /// endpoint has it.
    pub path: String,
}

impl Violation {
    /// The maximum number of violations that are recorded for one request.
    pub const MAX_PER_REQUEST: usize = 32;

    /// The maximum length of a string in a violation, in characters; longer strings end in `…`.
    pub const MAX_TEXT_LENGTH: usize = 300;
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (method, path) = (&self.method, &self.path);
        let (found, section) = (&self.found, self.section);
        write!(f, "{method} {path}: {found} (section {section})")
    }
}

/// Returns the problems of a request that are violations of the specification.
fn violations(
    problems: &Problems,
    endpoint: Option<Endpoint>,
    request: &Request,
    world: &World,
) -> Vec<Violation> {
    let violated = problems.all.iter().filter_map(|problem| {
        let kind = problem.kind();
        // Browsers and monitors send HEAD and preflights by themselves.
        let is_automatic = request.method == "HEAD" || request.is_preflight();
        let is_automatic = (kind == ProblemKind::MethodNotAllowed && is_automatic)
            || (kind == ProblemKind::PathOutsideApi && is_of_browser(request));
        let rule = kind.rule()?;
        (!is_automatic && is_stated(kind, endpoint)).then_some((problem, rule))
    });
    let mut violated = violated.take(Violation::MAX_PER_REQUEST).peekable();
    if violated.peek().is_none() {
        return Vec::new();
    }
    let other_keys = world.other_keys();
    let secrets = request.secrets(&other_keys);
    let shorten = |text: &str| shorten(&secrets.redact(text));
    let violation = |(problem, (section, requirement)): (&Problem, _)| Violation {
        rule: problem.kind(),
        section,
        requirement,
        found: shorten(&problem.to_string()),
        field: problem.field().map(shorten),
        method: shorten(&request.method),
        path: endpoint.map_or_else(|| shorten(&request.path), |one| one.path().to_owned()),
    };
    violated.map(violation).collect()
}

/// Returns `true` for the files that browsers and crawlers look for by themselves.
fn is_of_browser(request: &Request) -> bool {
    let path = &*request.path;
    let is_icon = path.starts_with("/apple-touch-icon") && path.ends_with(".png");
    let is_known =
        matches!(path, "/favicon.ico" | "/robots.txt") || path.starts_with("/.well-known/");
    matches!(&*request.method, "GET" | "HEAD") && (is_icon || is_known)
}

/// Returns `true` if the specification states the rule for this endpoint.
fn is_stated(kind: ProblemKind, endpoint: Option<Endpoint>) -> bool {
    let is_of_profile = endpoint == Some(Endpoint::EditProfile);
    let requires_key = endpoint.is_some_and(Endpoint::requires_key);
    (kind != ProblemKind::UnknownField || is_of_profile)
        && (kind != ProblemKind::KeyMissing || requires_key)
}

/// Limits the length, since a client may send strings of any length.
fn shorten(text: &str) -> String {
    let mut short: String = text.chars().take(Violation::MAX_TEXT_LENGTH).collect();
    if short.len() < text.len() {
        short.pop();
        short.push('…');
    }
    short
}

#[cfg(test)]
pub(crate) mod tests {
    use serde_json::json;

    use super::*;
    use crate::engine::{FieldLimit, ProfileField};

    pub(crate) fn handled(world: &mut World, request: &Request) -> Processed {
        let now = world.clock().timestamp();
        process(world, request, now)
    }

    /// Creates a request with the key that has all scopes.
    pub(crate) fn request(world: &World, line: &str) -> Request {
        bare(line).header("Authorization", format!("Bearer {}", world.keys().all))
    }

    /// Creates a request without a key.
    pub(crate) fn bare(line: &str) -> Request {
        let (method, path) = line.split_once(' ').unwrap();
        Request::new(method, &format!("/api/v1{path}"))
    }

    pub(crate) fn with_json(request: Request, body: &str) -> Request {
        request
            .header("Content-Type", "application/json")
            .body(body)
    }

    /// Checks the rules that a request breaks under every dialect, and what was found.
    #[track_caller]
    fn assert_breaks(request: &Request, expected: &[&str]) {
        let dialects = Dialect::alternatives().map(|(_, _, dialect)| dialect);
        for dialect in dialects.chain([Dialect::default(), Dialect::minimal(), Dialect::maximal()])
        {
            let mut world = World::default();
            world.set_dialect(dialect.clone());
            let violations = handled(&mut world, request).violations.into_iter();
            let found = violations.map(|one| format!("{}: {}", one.rule, one.found));
            assert_eq!(found.collect::<Vec<_>>(), expected, "{dialect:?}");
        }
    }

    #[test]
    fn reports_violations_in_bodies_under_every_dialect() {
        let world = World::default();
        let profile = || request(&world, "PATCH /me/profile");
        let bio = ProfileField::ALL.iter().find(|field| field.name() == "bio");
        let FieldLimit::Text {
            max_characters,
            max_lines: Some(max_lines),
        } = bio.unwrap().limit()
        else {
            panic!("the bio is a text with lines");
        };
        let length = max_characters + 1;
        let lines = "\n".repeat(length);
        let body = json!({"bio": lines, "nickname": "x", "location": null}).to_string();
        let names = ProfileField::NAMES.join(", ");
        assert_breaks(
            &with_json(profile(), &body),
            &[
                &format!(
                    "too_many_characters: bio has {length} characters; at most {max_characters} are allowed"
                ),
                &format!(
                    "too_many_lines: bio has {} lines; at most {max_lines} are allowed",
                    length + 1
                ),
                "wrong_type: location is null; expected a string",
                &format!("unknown_field: unknown field nickname; expected one of {names}"),
            ],
        );
        assert_breaks(
            &profile().body(r#"{"text_color": "red"}"#),
            &[
                "wrong_content_type: the content type is missing; expected application/json",
                "not_a_color: text_color is not a color of the form #rrggbb, such as #ff8800",
            ],
        );
        assert_breaks(
            &with_json(bare("POST /me/posts"), "[]"),
            &[
                "key_missing: no API key; send the header `Authorization: Bearer <API_KEY>`",
                "not_a_json_object: the body is not a JSON object: found an array",
            ],
        );
    }

    #[test]
    fn reports_other_violations_under_every_dialect() {
        let world = World::default();
        let none = format!("Bearer {}", world.keys().none);
        for (request, expected) in [
            (
                bare("GET /badges").header("Authorization", world.keys().all),
                "malformed_authorization: the Authorization header does not have the form `Bearer <API_KEY>`",
            ),
            (
                bare("GET /me/analytics").header("Authorization", none),
                "scope_missing: the key lacks the scope analytics:read",
            ),
            (
                request(&world, "GET /users/grace/stats?days=31"),
                "out_of_range: days is 31; expected 1 to 30 for this profile",
            ),
            (
                request(&world, "GET /users/demo/stats?days=soon"),
                "not_an_integer: days is `soon`; expected an integer",
            ),
            (
                request(&world, "GET /me").body("{}"),
                "unexpected_body: the request has a body of 2 bytes; expected no body",
            ),
            (
                bare("GET /users/demo"),
                "unknown_path: no endpoint has the path /api/v1/users/demo",
            ),
            (
                bare("PUT /me"),
                "method_not_allowed: method PUT is not allowed; expected GET",
            ),
            (
                Request::new("GET", "/api/v10/me"),
                "path_outside_api: no endpoint has the path /api/v10/me; every path starts with /api/v1",
            ),
            (
                Request::new("GET", "/me"),
                "path_outside_api: no endpoint has the path /me; every path starts with /api/v1",
            ),
        ] {
            assert_breaks(&request, &[expected]);
        }
    }

    #[test]
    fn choices_of_the_service_are_not_violations() {
        let world = World::default();
        let link = r#"{"title": "x", "icon": "y"}"#;
        let twice = r#"{"bio": "x", "bio": "x"}"#;
        for request in [
            with_json(request(&world, "POST /me/links"), link),
            with_json(
                request(&world, "POST /me/links"),
                r#"{"title": "x", "url": "x"}"#,
            ),
            with_json(request(&world, "PATCH /me/links/link_1"), "{}"),
            with_json(request(&world, "POST /me/posts"), r#"{"title": "x"}"#),
            with_json(request(&world, "PATCH /me/profile"), twice),
            request(&world, "GET /users/demo/stats?days=7&days=7"),
            request(&world, "GET /users/nobody/stats"),
            request(&world, "DELETE /me/links/none"),
            bare("GET /me").header("Authorization", "Bearer wrong"),
            bare("GET /badges"),
        ] {
            assert_breaks(&request, &[]);
        }
    }

    #[test]
    fn a_violation_names_the_endpoint_without_the_key() {
        let mut world = World::default();
        let request = with_json(request(&world, "PATCH /me/links/link_1"), r#"{"title": 5}"#)
            .header("Authorization", world.keys().all);
        let processed = handled(&mut world, &request);
        let shown = serde_json::to_value(&processed.violations).unwrap();
        assert_eq!(
            shown[1],
            json!({
                "rule": "wrong_type",
                "section": "General",
                "requirement": "The body of a request is an object, and its fields are strings.",
                "found": "title is a number; expected a string",
                "field": "title",
                "method": "PATCH",
                "path": "/api/v1/me/links/{id}",
            })
        );
        assert!(!shown.to_string().contains(&world.keys().all));
    }

    #[test]
    fn automatic_requests_of_browsers_and_monitors_are_no_violations() {
        let preflight = || bare("OPTIONS /me").header("Access-Control-Request-Method", "PATCH");
        assert_breaks(&preflight(), &[]);
        assert_breaks(&bare("HEAD /me/posts"), &[]);
        assert_breaks(
            &bare("OPTIONS /me"),
            &["method_not_allowed: method OPTIONS is not allowed; expected GET"],
        );
    }

    #[test]
    fn reports_parameters_of_endpoints_without_parameters() {
        for (line, found) in [
            ("GET /badges?page=2&size=3", "page"),
            ("GET /stats?x", "x"),
            ("GET /stats?=", ""),
        ] {
            let mut world = World::default();
            assert_eq!(handled(&mut world, &bare(line)).reply.status, 200);
            let found = format!(
                "unexpected_parameter: the request has the query parameter {found}; expected no parameters"
            );
            assert_breaks(&request(&world, line), &[&found]);
        }
        assert_breaks(&request(&World::default(), "GET /badges?"), &[]);
        assert_breaks(&request(&World::default(), "GET /me?x=1"), &[]);
    }

    #[test]
    fn truncates_long_strings_between_characters() {
        let longest = "é".repeat(Violation::MAX_TEXT_LENGTH);
        assert_eq!(shorten(&longest), longest);
        let cut = shorten(&(longest + "é"));
        assert_eq!(cut.chars().count(), Violation::MAX_TEXT_LENGTH);
        assert!(cut.ends_with("é…"));
    }
}
