//! The routes of the control API, as a table.

use super::api::{BASE, BODY_LIMIT, Control, ControlReply};
use super::error::ControlError;
use super::world_call::WorldCall;
use super::{
    clock, dialect, documents, faults, health, keys, page, requests, state, verdicts, webhook,
    worlds,
};
use crate::engine::{Reply, Request};

/// A route: method, path and action.
struct Route {
    method: &'static str,
    /// The path after [`BASE`] or, for an action on a world, after the name of the world.
    path: &'static str,
    action: Action,
}

enum Action {
    /// An action on the server.
    Server(OnServer),
    /// An action on one world.
    World(OnWorld),
    /// An action on one world that may wait.
    Waiting(Waiting),
}

type OnServer = fn(&Control, &Request) -> Result<Reply, ControlError>;
type OnWorld = fn(&WorldCall) -> Result<Reply, ControlError>;
type Waiting = fn(&WorldCall) -> Result<ControlReply, ControlError>;

const fn route(method: &'static str, path: &'static str, action: Action) -> Route {
    Route {
        method,
        path,
        action,
    }
}

const fn on_server(method: &'static str, path: &'static str, action: OnServer) -> Route {
    route(method, path, Action::Server(action))
}

const fn on_world(method: &'static str, path: &'static str, action: OnWorld) -> Route {
    route(method, path, Action::World(action))
}

const fn waiting(method: &'static str, path: &'static str, action: Waiting) -> Route {
    route(method, path, Action::Waiting(action))
}

static ROUTES: [Route; 39] = [
    on_server("GET", "/health", health),
    on_server("GET", documents::SERVICE, documents::service),
    on_server("GET", "/control-openapi.json", documents::control),
    on_server("GET", "/dialect-settings", dialect::settings),
    on_server("GET", "/worlds", worlds::list),
    on_server("POST", "/worlds", worlds::create),
    on_world("DELETE", "", worlds::delete),
    on_world("GET", "/state", state::show),
    on_world("PUT", "/state", state::replace),
    on_world("POST", "/reset", state::reset),
    on_world("GET", "/keys", keys::show),
    on_world("POST", "/keys", keys::create),
    on_world("DELETE", "/keys", keys::delete),
    on_world("GET", "/dialect", dialect::show),
    on_world("PUT", "/dialect", dialect::set),
    on_world("GET", "/clock", clock::show),
    on_world("PUT", "/clock", clock::set),
    on_world("POST", "/clock/advance", clock::advance),
    on_world("GET", "/faults", faults::list),
    on_world("POST", "/faults", faults::add),
    on_world("DELETE", "/faults", faults::clear),
    on_world("DELETE", "/faults/{id}", faults::remove),
    waiting("GET", "/requests", requests::list),
    on_world("DELETE", "/requests", requests::clear),
    on_world("GET", "/requests/limits", requests::limits),
    on_world("PUT", "/requests/limits", requests::set_limits),
    waiting("POST", "/requests/wait", requests::wait),
    on_world("POST", "/requests/verify", requests::verify),
    on_world("GET", "/violations", verdicts::violations),
    on_world("DELETE", "/violations", verdicts::clear_violations),
    on_world("GET", "/advice", verdicts::advice),
    on_world("GET", "/coverage", verdicts::coverage),
    on_world("GET", "/webhook", webhook::show),
    on_world("PUT", "/webhook", webhook::change),
    waiting("POST", "/webhook/emit", webhook::emit),
    on_world("GET", "/webhook/deliveries", webhook::deliveries),
    waiting("POST", "/webhook/redeliver", webhook::redeliver),
    on_world("GET", "/webhook/sink", webhook::show_sink),
    on_world("PUT", "/webhook/sink", webhook::change_sink),
];

/// Returns `true` if a path belongs to the control API. This includes its page and the OpenAPI document
/// at the root.
pub(crate) fn is_for(path: &str) -> bool {
    let below = path.strip_prefix("/_mock");
    let is_at_root = path == documents::SERVICE || page::is_for(path);
    is_at_root || below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Handles a request to the control API. May block on disk I/O.
pub(crate) fn answer(control: &Control, request: &Request) -> ControlReply {
    take(control, request).unwrap_or_else(|error| ControlReply::Now(error.into_reply()))
}

/// Finds the route of a request and runs its action.
fn take(control: &Control, request: &Request) -> Result<ControlReply, ControlError> {
    control.guard.check_origin(request)?;
    if page::is_for(&request.path) {
        return page::show(request).map(ControlReply::Now);
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
    for route in &ROUTES {
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
    Err(ControlError::method_not_allowed(&request.method, allowed))
}

impl Route {
    /// Returns the name of the world and the id in a path of this route; empty where the route has none.
    fn parameters_in<'a>(&self, path: &'a str) -> Option<(&'a str, &'a str)> {
        if let Action::Server(_) = self.action {
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
            Action::Server(action) => action(control, request).map(ControlReply::Now),
            Action::World(action) => action(&call()?).map(ControlReply::Now),
            Action::Waiting(action) => action(&call()?),
        }
    }

    /// Returns the method and the path template, such as `GET /_mock/v1/worlds/{world}/keys`.
    fn template(&self) -> String {
        let prefix = match self.action {
            Action::Server(_) => BASE.to_owned(),
            Action::World(_) | Action::Waiting(_) => format!("{BASE}/worlds/{{world}}"),
        };
        format!("{} {prefix}{}", self.method, self.path)
    }
}

fn health(control: &Control, request: &Request) -> Result<Reply, ControlError> {
    let routes = ROUTES.iter().map(Route::template).collect();
    Ok(health::show(control, request, routes))
}
