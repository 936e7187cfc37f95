//! The routes of the control API: one row for each thing that it can do.

use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::refusal::ControlRefusal;
use super::{Answer, BASE, BODY_LIMIT, Control};
use super::{
    clock, dialect, documents, faults, health, keys, requests, state, verdicts, webhook, worlds,
};
use crate::engine::{Reply, Request};
use crate::misfit;
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
    Server(OnServer),
    /// Concerns one world.
    World(OnWorld),
    /// Concerns one world, and may take its time.
    Waiting(Waiting),
}

/// A request that concerns one world.
pub(super) struct WorldCall<'a> {
    pub(super) control: &'a Control,
    pub(super) name: &'a str,
    pub(super) service: Arc<Service>,
    pub(super) request: &'a Request,
}

type OnServer = fn(&Control, &Request) -> Result<Reply, ControlRefusal>;
type OnWorld = fn(&WorldCall) -> Result<Reply, ControlRefusal>;
type Waiting = fn(&WorldCall) -> Result<Answer, ControlRefusal>;

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

static ROUTES: [Route; 35] = [
    on_server("GET", "/health", health::show),
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
    on_world("GET", "/requests", requests::list),
    on_world("DELETE", "/requests", requests::clear),
    waiting("POST", "/requests/wait", requests::wait),
    on_world("POST", "/requests/verify", requests::verify),
    on_world("GET", "/violations", verdicts::violations),
    on_world("DELETE", "/violations", verdicts::forgive),
    on_world("GET", "/coverage", verdicts::coverage),
    on_world("GET", "/webhook", webhook::show),
    on_world("PUT", "/webhook", webhook::change),
    waiting("POST", "/webhook/emit", webhook::emit),
    on_world("GET", "/webhook/deliveries", webhook::deliveries),
    waiting("POST", "/webhook/redeliver", webhook::redeliver),
    on_world("GET", "/webhook/sink", webhook::show_sink),
    on_world("PUT", "/webhook/sink", webhook::change_sink),
];

/// Finds the route of a request and takes it.
pub(super) fn answer(control: &Control, request: &Request) -> Result<Answer, ControlRefusal> {
    let length = request.body_length();
    if length > BODY_LIMIT {
        return Err(ControlRefusal::BodyTooLarge { length });
    }
    // What is not below the base is a document at the root.
    let path = request.path.strip_prefix(BASE).unwrap_or(&request.path);
    // Nothing but the body of the answer is left out, which the transport does.
    let method = match &*request.method {
        "HEAD" => "GET",
        other => other,
    };
    let mut allowed = Vec::new();
    for route in &ROUTES {
        let Some(world) = route.world_in(path) else {
            continue;
        };
        if route.method == method {
            return route.take(control, world, request);
        }
        allowed.push(route.method);
        if route.method == "GET" {
            allowed.push("HEAD");
        }
    }
    if allowed.is_empty() {
        let path = request.path.clone();
        let known = format!("{}{BASE}/health", control.url(request));
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
            Action::World(_) | Action::Waiting(_) => {
                let name = path.strip_prefix("/worlds/")?.strip_suffix(self.path)?;
                (!name.is_empty() && !name.contains('/')).then_some(name)
            }
        }
    }

    fn take(
        &self,
        control: &Control,
        world: &str,
        request: &Request,
    ) -> Result<Answer, ControlRefusal> {
        let call = || WorldCall::new(control, world, request);
        match self.action {
            Action::Server(action) => action(control, request).map(Answer::Now),
            Action::World(action) => action(&call()?).map(Answer::Now),
            Action::Waiting(action) => action(&call()?),
        }
    }

    /// The route as people write it.
    fn written(&self) -> String {
        let prefix = match self.action {
            Action::Server(_) => BASE.to_owned(),
            Action::World(_) | Action::Waiting(_) => format!("{BASE}/worlds/{{world}}"),
        };
        format!("{} {prefix}{}", self.method, self.path)
    }
}

impl<'a> WorldCall<'a> {
    fn new(
        control: &'a Control,
        name: &'a str,
        request: &'a Request,
    ) -> Result<Self, ControlRefusal> {
        let service = control.worlds.find(name);
        let unknown = || ControlRefusal::UnknownWorld {
            name: name.to_owned(),
        };
        Ok(Self {
            control,
            name,
            service: service.ok_or_else(unknown)?,
            request,
        })
    }
}

/// All routes as people write them.
pub(super) fn written() -> Vec<String> {
    ROUTES.iter().map(Route::written).collect()
}

/// The body of a request, a JSON object. The content type does not matter here, so that `curl -d`
/// is enough.
pub(super) fn read<T: DeserializeOwned>(request: &Request) -> Result<T, ControlRefusal> {
    Ok(misfit::object(&request.body)?)
}

/// A reply with JSON in it.
pub(super) fn json(status: u16, body: &impl Serialize) -> Reply {
    json_text(
        status,
        serde_json::to_vec(body).expect("texts, numbers and lists become JSON"),
    )
}

/// A reply with a text that is JSON.
pub(super) fn json_text(status: u16, body: impl Into<Vec<u8>>) -> Reply {
    let body = body.into();
    let headers = vec![("content-type".into(), "application/json".into())];
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
