//! The routes of the control API: one row for each thing that it can do.

use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::refusal::ControlRefusal;
use super::{BASE, BODY_LIMIT, Control, clock, faults, health, keys, state, worlds};
use crate::engine::{Reply, Request};
use crate::service::Service;

/// One thing that the control API can do.
struct Route {
    method: &'static str,
    /// What follows [`BASE`], or, for an action on a world, what follows its name.
    path: &'static str,
    action: Action,
}

enum Action {
    /// Concerns the server.
    Server(fn(&Control, &Request) -> Result<Reply, ControlRefusal>),
    /// Concerns one world.
    World(fn(&WorldCall) -> Result<Reply, ControlRefusal>),
}

/// A request that concerns one world.
pub(super) struct WorldCall<'a> {
    pub(super) control: &'a Control,
    pub(super) name: &'a str,
    pub(super) service: Arc<Service>,
    pub(super) request: &'a Request,
}

const fn on_server(
    method: &'static str,
    path: &'static str,
    action: fn(&Control, &Request) -> Result<Reply, ControlRefusal>,
) -> Route {
    let action = Action::Server(action);
    Route {
        method,
        path,
        action,
    }
}

const fn on_world(
    method: &'static str,
    path: &'static str,
    action: fn(&WorldCall) -> Result<Reply, ControlRefusal>,
) -> Route {
    let action = Action::World(action);
    Route {
        method,
        path,
        action,
    }
}

static ROUTES: [Route; 15] = [
    on_server("GET", "/health", health::show),
    on_server("POST", "/worlds", worlds::create),
    on_world("DELETE", "", worlds::delete),
    on_world("GET", "/state", state::show),
    on_world("PUT", "/state", state::replace),
    on_world("POST", "/reset", state::reset),
    on_world("GET", "/keys", keys::show),
    on_world("POST", "/keys", keys::create),
    on_world("DELETE", "/keys", keys::delete),
    on_world("GET", "/clock", clock::show),
    on_world("PUT", "/clock", clock::set),
    on_world("POST", "/clock/advance", clock::advance),
    on_world("GET", "/faults", faults::list),
    on_world("POST", "/faults", faults::add),
    on_world("DELETE", "/faults", faults::clear),
];

/// Finds the route of a request and takes it.
pub(super) fn answer(control: &Control, request: &Request) -> Result<Reply, ControlRefusal> {
    let length = request.body_length();
    if length > BODY_LIMIT {
        return Err(ControlRefusal::BodyTooLarge { length });
    }
    let path = request.path.strip_prefix(BASE).unwrap_or_default();
    let mut allowed = Vec::new();
    for route in &ROUTES {
        let Some(world) = route.world_in(path) else {
            continue;
        };
        if route.method == request.method {
            return route.take(control, world, request);
        }
        allowed.push(route.method);
    }
    if allowed.is_empty() {
        let path = request.path.clone();
        let known = format!("{}{BASE}/health", control.url);
        return Err(ControlRefusal::UnknownPath { path, known });
    }
    let method = request.method.clone();
    Err(ControlRefusal::MethodNotAllowed { method, allowed })
}

impl Route {
    /// The name of the world in a path of this route; empty for a route that has none.
    fn world_in<'a>(&self, path: &'a str) -> Option<&'a str> {
        match self.action {
            Action::Server(_) => (path == self.path).then_some(""),
            Action::World(_) => {
                let name = path.strip_prefix("/worlds/")?.strip_suffix(self.path)?;
                (!name.is_empty() && !name.contains('/')).then_some(name)
            }
        }
    }

    fn take(
        &self,
        control: &Control,
        name: &str,
        request: &Request,
    ) -> Result<Reply, ControlRefusal> {
        match self.action {
            Action::Server(action) => action(control, request),
            Action::World(action) => {
                let unknown = || ControlRefusal::UnknownWorld {
                    name: name.to_owned(),
                };
                let service = control.worlds.find(name).ok_or_else(unknown)?;
                action(&WorldCall {
                    control,
                    name,
                    service,
                    request,
                })
            }
        }
    }
}

impl Route {
    /// The route as people write it.
    fn written(&self) -> String {
        let prefix = match self.action {
            Action::Server(_) => BASE.to_owned(),
            Action::World(_) => format!("{BASE}/worlds/{{world}}"),
        };
        format!("{} {prefix}{}", self.method, self.path)
    }
}

/// All routes as people write them.
pub(super) fn written() -> Vec<String> {
    ROUTES.iter().map(Route::written).collect()
}

/// The body of a request as JSON. The content type does not matter here, so that `curl -d` is
/// enough.
pub(super) fn read<T: DeserializeOwned>(request: &Request) -> Result<T, ControlRefusal> {
    Ok(serde_json::from_slice(&request.body)?)
}

/// A reply with JSON in it.
pub(super) fn json(status: u16, body: &impl Serialize) -> Reply {
    let body = serde_json::to_vec(body).expect("texts, numbers and lists become JSON");
    let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
    Reply {
        status,
        headers,
        body,
    }
}

/// The reply of an action that has nothing to tell.
pub(super) fn done() -> Reply {
    Reply {
        status: 204,
        headers: Vec::new(),
        body: Vec::new(),
    }
}
