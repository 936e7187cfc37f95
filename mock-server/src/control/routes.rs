//! The routes of the control API, as a table, with the OpenAPI documents and the page.

use std::sync::LazyLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::{
    BASE, BODY_LIMIT, Control, ControlError, ControlReply, Guard, WorldCall, now, ok, requests,
    worlds,
};
use crate::engine::dialect::settings_with_alternatives;
use crate::engine::{Reply, Request};
use crate::input;

use Action::{Change, Server, Waiting, World};

/// A route: its method, its path after [`BASE`] or, for an action on a world, after the name of the world,
/// and its action.
struct Route(&'static str, &'static str, Action);

enum Action {
    /// An action on the server.
    Server(fn(&Control, &Request) -> Result<Reply, ControlError>),
    /// An action on one world.
    World(fn(&WorldCall) -> Result<Reply, ControlError>),
    /// An action on one world that has no content to return.
    Change(fn(&WorldCall) -> Result<(), ControlError>),
    /// An action on one world that may wait.
    Waiting(fn(&WorldCall) -> Result<ControlReply, ControlError>),
}

#[rustfmt::skip]
static ROUTES: &[Route] = &[
    Route("GET", "/health", Server(health)),
    Route("GET", SERVICE_DOCUMENT, Server(|_, _| document(openapi_json()))),
    Route("GET", "/control-openapi.json", Server(|_, _| document(CONTROL_OPENAPI))),
    Route("GET", "/dialect-settings", Server(|_, _| ok(&settings_with_alternatives()))),
    Route("GET", "/worlds", Server(worlds::list_worlds)),
    Route("POST", "/worlds", Server(worlds::create_world)),
    Route("DELETE", "", Change(worlds::delete_world)),
    Route("GET", "/state", World(worlds::show_state)),
    Route("PUT", "/state", Change(worlds::replace_state)),
    Route("POST", "/reset", Change(|call| Ok(call.control.worlds.reset(call.name)?))),
    Route("GET", "/keys", World(worlds::show_keys)),
    Route("POST", "/keys", World(worlds::create_key)),
    Route("DELETE", "/keys", Change(worlds::delete_key)),
    Route("GET", "/dialect", World(|call| ok(call.service.store.world()?.dialect()))),
    Route("PUT", "/dialect", World(worlds::set_dialect)),
    Route("GET", "/clock", World(|call| Ok(call.service.store.read(worlds::clock_view)?))),
    Route("PUT", "/clock", World(worlds::set_clock)),
    Route("POST", "/clock/advance", World(worlds::advance_clock)),
    Route("GET", "/faults", World(|call| ok(&call.service.faults.counted()))),
    Route("POST", "/faults", World(requests::add_faults)),
    Route("DELETE", "/faults", Change(|call| { call.service.faults.clear(); Ok(()) })),
    Route("DELETE", "/faults/{id}", Change(requests::remove_fault)),
    Route("GET", "/requests", Waiting(requests::list)),
    Route("DELETE", "/requests", Change(|call| { call.service.journal.clear(); Ok(()) })),
    Route("GET", "/requests/limits", World(|call| ok(&call.service.journal.limits()))),
    Route("PUT", "/requests/limits", World(requests::set_limits)),
    Route("POST", "/requests/wait", Waiting(requests::wait)),
    Route("POST", "/requests/verify", World(requests::verify)),
    Route("GET", "/violations", World(|call| ok(&call.service.report().rules().collect::<Vec<_>>()))),
    Route("DELETE", "/violations", Change(|call| { call.service.clear_violations(); Ok(()) })),
    Route("GET", "/advice", World(|call| ok(&call.service.report().advice))),
    Route("GET", "/coverage", World(|call| ok(&call.service.report().coverage))),
    Route("GET", "/webhook", World(worlds::show_webhook)),
    Route("PUT", "/webhook", World(worlds::change_webhook)),
    Route("POST", "/webhook/emit", Waiting(worlds::emit)),
    Route("GET", "/webhook/deliveries", World(worlds::list_deliveries)),
    Route("POST", "/webhook/redeliver", Waiting(worlds::redeliver)),
];

/// Returns `true` if a path belongs to the control API. This includes its page and the OpenAPI document
/// at the root.
pub(crate) fn is_for(path: &str) -> bool {
    let below = path.strip_prefix("/_mock");
    let is_at_root = path == SERVICE_DOCUMENT || is_page(path);
    is_at_root || below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns the reply to a request that needs no body: a page of another origin or a client without the token could
/// send many large ones.
pub(crate) fn check_head(control: &Control, head: &Request) -> Result<(), Reply> {
    let own = &control.worlds.default().own_hosts;
    let checked = Guard::check_origin(head, own).and_then(|()| match is_page(&head.path) {
        // It contains no data, so it requires no control token.
        true => Err(page(head)),
        false => control.guard.check_token(head),
    });
    checked.map_err(|ControlError(reply)| reply)
}

/// Handles a request to the control API whose head was checked. May block on disk I/O.
pub(crate) fn answer(control: &Control, request: &Request) -> ControlReply {
    take(control, request).unwrap_or_else(|error| now(error.0))
}

/// Finds the route of a request and runs its action.
fn take(control: &Control, request: &Request) -> Result<ControlReply, ControlError> {
    Guard::check_content(request)?;
    let length = request.body_length();
    if length > BODY_LIMIT {
        let message = format!("the body has {length} bytes; at most {BODY_LIMIT} are allowed");
        return Err(ControlError::new(413, "body_too_large", message));
    }
    // Other paths are documents at the root.
    let path = request.path.strip_prefix(BASE).unwrap_or(&request.path);
    // The transport omits the body of a reply to HEAD.
    let method = match &*request.method {
        "HEAD" => "GET",
        other => other,
    };
    let mut allowed = Vec::new();
    for route @ Route(expected, _, action) in ROUTES {
        let Some((name, parameter)) = route.parameters_in(path) else {
            continue;
        };
        if *expected == method {
            route.check_content(request)?;
            let call = || {
                let call = control.worlds.find(name).map(|service| WorldCall {
                    control,
                    name,
                    parameter,
                    service,
                    request,
                });
                call.ok_or_else(|| ControlError::unknown_world(name))
            };
            return match action {
                Server(action) => action(control, request).map(now),
                World(action) => action(&call()?).map(now),
                Change(action) => action(&call()?).map(|()| now(Reply::empty(204))),
                Waiting(action) => action(&call()?),
            };
        }
        allowed.push(*expected);
        if *expected == "GET" {
            allowed.push("HEAD");
        }
    }
    if allowed.is_empty() {
        let message = format!(
            "the control API has no path {}; GET {}{BASE}/health lists its paths",
            request.path,
            control.url(request)
        );
        return Err(ControlError::new(404, "unknown_path", message));
    }
    Err(ControlError::method_not_allowed(&request.method, &allowed))
}

impl Route {
    /// Rejects content of a change that the route does not take: its sender expects that it has an effect.
    fn check_content(&self, request: &Request) -> Result<(), ControlError> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct NoFields {}

        let Self(method, path, _) = self;
        if *method == "GET" {
            return Ok(());
        }
        if request.query.is_some() {
            let message = "this call has no query parameters; remove them";
            return Err(ControlError::new(400, "invalid_query", message));
        }
        let takes_body = *path != "/reset" && (*method != "DELETE" || *path == "/keys");
        if !takes_body && request.body_length() > 0 {
            let NoFields {} = input::object(&request.body)?;
        }
        Ok(())
    }

    /// Returns the name of the world and the ID in a path of this route; empty where the route has none.
    fn parameters_in<'a>(&self, path: &'a str) -> Option<(&'a str, &'a str)> {
        let Self(_, own, action) = self;
        if let Server(_) = action {
            return (path == *own).then_some(("", ""));
        }
        let rest = path.strip_prefix("/worlds/")?;
        let (name, id) = match own.strip_suffix("/{id}") {
            None => (rest.strip_suffix(own)?, ""),
            Some(beginning) => {
                let (rest, id) = rest.rsplit_once('/').filter(|(_, id)| !id.is_empty())?;
                (rest.strip_suffix(beginning)?, id)
            }
        };
        (!name.is_empty() && !name.contains('/')).then_some((name, id))
    }

    /// Returns the method and the path template, such as `GET /_mock/v1/worlds/{world}/keys`.
    fn template(&self) -> String {
        let Self(method, path, action) = self;
        let world = match action {
            Server(_) => "",
            World(_) | Change(_) | Waiting(_) => "/worlds/{world}",
        };
        format!("{method} {BASE}{world}{path}")
    }
}

fn health(control: &Control, request: &Request) -> Result<Reply, ControlError> {
    let routes: Vec<_> = ROUTES.iter().map(Route::template).collect();
    Ok(Reply::fields(200, |object| {
        object.string("status", "ok");
        object.string("version", env!("CARGO_PKG_VERSION"));
        object.string("url", &control.url(request));
        object.value("routes", &routes);
    }))
}

/// The path of the service's document, which is also served at the root.
const SERVICE_DOCUMENT: &str = "/openapi.json";

/// The OpenAPI 3.1 document of the control API.
const CONTROL_OPENAPI: &str = include_str!("../../control-openapi.json");

/// Returns the OpenAPI 3.1 document of the service as JSON: its endpoints, limits and scopes, and the
/// responses of the default dialect.
///
/// ```
/// let document: serde_json::Value = serde_json::from_str(mock_server::openapi_json())?;
/// assert_eq!(document["openapi"], "3.1.0");
/// assert!(document["paths"]["/api/v1/me"]["get"].is_object());
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn openapi_json() -> &'static str {
    include_str!("../../openapi.json")
}

fn document(text: &str) -> Result<Reply, ControlError> {
    Ok(Reply::with_body("application/json", 200, text))
}

static PAGE: &str = include_str!("page.html");

/// Allows only the script and the style of the page, and requests to this server.
static CONTENT_SECURITY_POLICY: LazyLock<String> = LazyLock::new(|| {
    format!(
        "default-src 'none'; script-src '{}'; style-src '{}'; img-src data:; connect-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        hash_of("script"),
        hash_of("style")
    )
});

fn is_page(path: &str) -> bool {
    matches!(path, "/" | "/_mock" | "/_mock/")
}

/// Returns the page, which ends the processing of its request, or an error for another method.
fn page(request: &Request) -> ControlError {
    if !matches!(&*request.method, "GET" | "HEAD") {
        return ControlError::method_not_allowed(&request.method, &["GET", "HEAD"]);
    }
    let reply = Reply::with_body("text/html; charset=utf-8", 200, PAGE);
    ControlError(reply.with_header("content-security-policy", CONTENT_SECURITY_POLICY.as_str()))
}

/// Returns the hash of an element's content, as a source expression.
fn hash_of(element: &str) -> String {
    let (start, end) = (format!("<{element}>"), format!("</{element}>"));
    let content = PAGE
        .split_once(&start)
        .and_then(|(_, rest)| rest.split_once(&end));
    let (content, _) = content.expect("the page contains the element");
    format!("sha256-{}", STANDARD.encode(Sha256::digest(content)))
}
