//! The routes of the control API, as a table.

use super::call::{BASE, BODY_LIMIT, Control, ControlReply, WorldCall};
use super::error::ControlError;
use super::{documents, requests, webhook, worlds};
use crate::engine::{Reply, Request};

use Action::{Server, Waiting, World};

/// A route: method, path and action.
struct Route {
    method: &'static str,
    /// The path after [`BASE`] or, for an action on a world, after the name of the world.
    path: &'static str,
    action: Action,
}

enum Action {
    /// An action on the server.
    Server(fn(&Control, &Request) -> Result<Reply, ControlError>),
    /// An action on one world.
    World(fn(&WorldCall) -> Result<Reply, ControlError>),
    /// An action on one world that may wait.
    Waiting(fn(&WorldCall) -> Result<ControlReply, ControlError>),
}

const fn route(method: &'static str, path: &'static str, action: Action) -> Route {
    Route {
        method,
        path,
        action,
    }
}

static ROUTES: &[Route] = &[
    route("GET", "/health", Server(health)),
    route("GET", documents::SERVICE, Server(documents::service)),
    route("GET", "/control-openapi.json", Server(documents::control)),
    route("GET", "/dialect-settings", Server(worlds::dialect_settings)),
    route("GET", "/worlds", Server(worlds::list_worlds)),
    route("POST", "/worlds", Server(worlds::create_world)),
    route("DELETE", "", World(worlds::delete_world)),
    route("GET", "/state", World(worlds::show_state)),
    route("PUT", "/state", World(worlds::replace_state)),
    route("POST", "/reset", World(worlds::reset)),
    route("GET", "/keys", World(worlds::show_keys)),
    route("POST", "/keys", World(worlds::create_key)),
    route("DELETE", "/keys", World(worlds::delete_key)),
    route("GET", "/dialect", World(worlds::show_dialect)),
    route("PUT", "/dialect", World(worlds::set_dialect)),
    route("GET", "/clock", World(worlds::show_clock)),
    route("PUT", "/clock", World(worlds::set_clock)),
    route("POST", "/clock/advance", World(worlds::advance_clock)),
    route("GET", "/faults", World(requests::list_faults)),
    route("POST", "/faults", World(requests::add_faults)),
    route("DELETE", "/faults", World(requests::clear_faults)),
    route("DELETE", "/faults/{id}", World(requests::remove_fault)),
    route("GET", "/requests", Waiting(requests::list)),
    route("DELETE", "/requests", World(requests::clear)),
    route("GET", "/requests/limits", World(requests::limits)),
    route("PUT", "/requests/limits", World(requests::set_limits)),
    route("POST", "/requests/wait", Waiting(requests::wait)),
    route("POST", "/requests/verify", World(requests::verify)),
    route("GET", "/violations", World(requests::violations)),
    route("DELETE", "/violations", World(requests::clear_violations)),
    route("GET", "/advice", World(requests::advice)),
    route("GET", "/coverage", World(requests::coverage)),
    route("GET", "/webhook", World(webhook::show)),
    route("PUT", "/webhook", World(webhook::change)),
    route("POST", "/webhook/emit", Waiting(webhook::emit)),
    route("GET", "/webhook/deliveries", World(webhook::deliveries)),
    route("POST", "/webhook/redeliver", Waiting(webhook::redeliver)),
];

/// Returns `true` if a path belongs to the control API. This includes its page and the OpenAPI document
/// at the root.
pub(crate) fn is_for(path: &str) -> bool {
    let below = path.strip_prefix("/_mock");
    let is_at_root = path == documents::SERVICE || documents::is_page(path);
    is_at_root || below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Handles a request to the control API. May block on disk I/O.
pub(crate) fn answer(control: &Control, request: &Request) -> ControlReply {
    take(control, request).unwrap_or_else(|error| ControlReply::Now(error.0))
}

/// Finds the route of a request and runs its action.
fn take(control: &Control, request: &Request) -> Result<ControlReply, ControlError> {
    control.guard.check_origin(request)?;
    if documents::is_page(&request.path) {
        return documents::show_page(request).map(ControlReply::Now);
    }
    control.guard.check_token(request)?;
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
    for route in ROUTES {
        let Some(parameters) = route.parameters_in(path) else {
            continue;
        };
        if route.method == method {
            return route.take(control, parameters, request);
        }
        allowed.push(route.method);
        if route.method == "GET" {
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
    /// Returns the name of the world and the ID in a path of this route; empty where the route has none.
    fn parameters_in<'a>(&self, path: &'a str) -> Option<(&'a str, &'a str)> {
        if let Server(_) = self.action {
            return (path == self.path).then_some(("", ""));
        }
        let rest = path.strip_prefix("/worlds/")?;
        let (name, id) = match self.path.strip_suffix("/{id}") {
            None => (rest.strip_suffix(self.path)?, ""),
            Some(beginning) => {
                let (rest, id) = rest.rsplit_once('/').filter(|(_, id)| !id.is_empty())?;
                (rest.strip_suffix(beginning)?, id)
            }
        };
        (!name.is_empty() && !name.contains('/')).then_some((name, id))
    }

    fn take(
        &self,
        control: &Control,
        parameters: (&str, &str),
        request: &Request,
    ) -> Result<ControlReply, ControlError> {
        let call = || WorldCall::new(control, parameters, request);
        match self.action {
            Server(action) => action(control, request).map(ControlReply::Now),
            World(action) => action(&call()?).map(ControlReply::Now),
            Waiting(action) => action(&call()?),
        }
    }

    /// Returns the method and the path template, such as `GET /_mock/v1/worlds/{world}/keys`.
    fn template(&self) -> String {
        let prefix = match self.action {
            Server(_) => BASE.to_owned(),
            World(_) | Waiting(_) => format!("{BASE}/worlds/{{world}}"),
        };
        format!("{} {prefix}{}", self.method, self.path)
    }
}

fn health(control: &Control, request: &Request) -> Result<Reply, ControlError> {
    let routes = ROUTES.iter().map(Route::template).collect();
    Ok(documents::show_health(control, request, routes))
}
