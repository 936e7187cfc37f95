//! The routes of the control API, as a table.

use serde::Deserialize;

use super::{
    BASE, BODY_LIMIT, Control, ControlError, ControlReply, Guard, WorldCall, documents, now, ok,
    openapi_json, requests, webhook, worlds,
};
use crate::engine::dialect::settings_with_alternatives;
use crate::engine::{Reply, Request};
use crate::input::read_json;

use Action::{Clear, Server, Waiting, World};

/// A route: its method, its path after [`BASE`] or, for an action on a world, after the name of the world,
/// and its action.
struct Route(&'static str, &'static str, Action);

enum Action {
    /// An action on the server.
    Server(fn(&Control, &Request) -> Result<Reply, ControlError>),
    /// An action on one world.
    World(fn(&WorldCall) -> Result<Reply, ControlError>),
    /// An action on one world that always succeeds, and has no content to return.
    Clear(fn(&WorldCall)),
    /// An action on one world that may wait.
    Waiting(fn(&WorldCall) -> Result<ControlReply, ControlError>),
}

#[rustfmt::skip]
static ROUTES: &[Route] = &[
    Route("GET", "/health", Server(health)),
    Route("GET", documents::SERVICE, Server(|_, _| documents::show(openapi_json()))),
    Route("GET", "/control-openapi.json", Server(|_, _| documents::show(documents::CONTROL))),
    Route("GET", "/dialect-settings", Server(|_, _| ok(&settings_with_alternatives()))),
    Route("GET", "/worlds", Server(worlds::list_worlds)),
    Route("POST", "/worlds", Server(worlds::create_world)),
    Route("DELETE", "", World(worlds::delete_world)),
    Route("GET", "/state", World(worlds::show_state)),
    Route("PUT", "/state", World(worlds::replace_state)),
    Route("POST", "/reset", World(worlds::reset)),
    Route("GET", "/keys", World(worlds::show_keys)),
    Route("POST", "/keys", World(worlds::create_key)),
    Route("DELETE", "/keys", World(worlds::delete_key)),
    Route("GET", "/dialect", World(|call| ok(call.service.store.world()?.dialect()))),
    Route("PUT", "/dialect", World(worlds::set_dialect)),
    Route("GET", "/clock", World(|call| Ok(call.service.store.read(worlds::clock_view)?))),
    Route("PUT", "/clock", World(worlds::set_clock)),
    Route("POST", "/clock/advance", World(worlds::advance_clock)),
    Route("GET", "/faults", World(|call| ok(&call.service.faults.counted()))),
    Route("POST", "/faults", World(requests::add_faults)),
    Route("DELETE", "/faults", Clear(|call| call.service.faults.clear())),
    Route("DELETE", "/faults/{id}", World(requests::remove_fault)),
    Route("GET", "/requests", Waiting(requests::list)),
    Route("DELETE", "/requests", Clear(|call| call.service.journal.clear())),
    Route("GET", "/requests/limits", World(|call| ok(&call.service.journal.limits()))),
    Route("PUT", "/requests/limits", World(requests::set_limits)),
    Route("POST", "/requests/wait", Waiting(requests::wait)),
    Route("POST", "/requests/verify", World(requests::verify)),
    Route("GET", "/violations", World(|call| ok(&call.service.report().rules().collect::<Vec<_>>()))),
    Route("DELETE", "/violations", Clear(|call| call.service.clear_violations())),
    Route("GET", "/advice", World(|call| ok(&call.service.report().advice))),
    Route("GET", "/coverage", World(|call| ok(&call.service.report().coverage))),
    Route("GET", "/webhook", World(webhook::show)),
    Route("PUT", "/webhook", World(webhook::change)),
    Route("POST", "/webhook/emit", Waiting(webhook::emit)),
    Route("GET", "/webhook/deliveries", World(webhook::deliveries)),
    Route("POST", "/webhook/redeliver", Waiting(webhook::redeliver)),
];

/// Returns `true` if a path belongs to the control API. This includes its page and the OpenAPI document
/// at the root.
pub(crate) fn is_for(path: &str) -> bool {
    let below = path.strip_prefix("/_mock");
    let is_at_root = path == documents::SERVICE || documents::is_page(path);
    is_at_root || below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns the reply to a request that needs no body: a page of another origin or a client without the token could
/// send many large ones.
pub(crate) fn check_head(control: &Control, head: &Request) -> Result<(), Reply> {
    let own = &control.worlds.default().own_hosts;
    let checked = Guard::check_origin(head, own).and_then(|()| {
        if documents::is_page(&head.path) {
            return documents::show_page(head).and_then(|page| Err(ControlError(page)));
        }
        control.guard.check_token(head)
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
                Clear(action) => {
                    action(&call()?);
                    Ok(now(Reply::empty(204)))
                }
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
            let NoFields {} = read_json::object(&request.body)?;
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
            World(_) | Clear(_) | Waiting(_) => "/worlds/{world}",
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
