//! A network between a client and a service that loses and delays requests and responses, and a service that
//! reorders, renumbers or changes links.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use mock_server::{Dialect, MockServer, ServiceHandle};
use profile_sdk::{Client, HttpService, Profile};
use serde_json::Value;
use tokio::runtime::{Builder, Runtime};
use tower::layer::layer_fn;
use tower::{ServiceExt as _, service_fn};
use unicode_normalization::UnicodeNormalization as _;
use url::Url;

use crate::owner_builder;

pub(crate) const HANDLE: &str = "demo";

type Request = http::Request<Bytes>;
type Response = http::Response<Full<Bytes>>;

/// The fate of a write.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum WriteFault {
    None,
    LostRequest,
    LostResponse,
    /// The client receives no response, and the request arrives before a later one.
    Late {
        requests: usize,
    },
}

/// The fate of a read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum ReadFault {
    None,
    Lost,
    /// The response is that of the read before.
    Lagging,
    WithoutLinks,
}

/// Behavior of a service that the specification does not exclude.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Habits {
    pub(crate) reorders_links: bool,
    pub(crate) reuses_ids: bool,
    pub(crate) alters: Option<Alteration>,
    /// Reports links with this text in their URL as created, but does not keep them.
    pub(crate) drops: Option<&'static str>,
}

/// A change that a service makes to titles and URLs when it stores them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Alteration {
    Trims,
    DropsFinalSlashes,
    TrimsAndDropsFinalSlashes,
    Normalizes,
    NormalizesUrls,
    LowerCases,
    Cuts,
}

impl Alteration {
    /// The changes after which a link is still similar.
    pub(crate) const LOOSE: [Self; 5] = [
        Self::Trims,
        Self::DropsFinalSlashes,
        Self::TrimsAndDropsFinalSlashes,
        Self::Normalizes,
        Self::NormalizesUrls,
    ];

    pub(crate) fn alter(self, name: &str, text: &str) -> String {
        match (self, name) {
            (Self::Trims, "title") => text.trim().to_owned(),
            (Self::DropsFinalSlashes, "url") => text.strip_suffix('/').unwrap_or(text).to_owned(),
            (Self::TrimsAndDropsFinalSlashes, "title") => Self::Trims.alter(name, text),
            (Self::TrimsAndDropsFinalSlashes, "url") => Self::DropsFinalSlashes.alter(name, text),
            (Self::Normalizes, _) => text.nfc().collect(),
            (Self::NormalizesUrls, "url") => {
                let url = Url::parse(text).unwrap();
                url.as_str().trim_end_matches('/').to_owned()
            }
            (Self::LowerCases, _) => text.to_lowercase(),
            (Self::Cuts, "title") => text.chars().take(3).collect(),
            (Self::Cuts, "url") => text.chars().take(10).collect(),
            _ => text.to_owned(),
        }
    }
}

/// The faults of the next requests, and what has been sent.
#[derive(Debug, Default)]
pub(crate) struct Traffic {
    habits: Habits,
    pub(crate) creations: usize,
    pub(crate) write_faults: VecDeque<WriteFault>,
    pub(crate) read_faults: VecDeque<ReadFault>,
    /// Late requests, with the number of requests before which they arrive.
    late: Vec<(usize, Request)>,
    last_read: Bytes,
    pub(crate) writes: usize,
}

/// A client of a service on a socket, and the network between them.
pub(crate) struct Setup {
    pub(crate) service: MockServer,
    pub(crate) client: Client,
    network: Network,
    pub(crate) runtime: Runtime,
}

#[derive(Clone)]
struct Network {
    http: HttpService,
    service: ServiceHandle,
    traffic: Arc<Mutex<Traffic>>,
}

impl Setup {
    pub(crate) fn start() -> Self {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let _guard = runtime.enter();
        let service = runtime.block_on(MockServer::start());
        let handle = (*service).clone();
        let seen = Arc::<Mutex<Option<Network>>>::default();
        let first = seen.clone();
        let layer = layer_fn(move |http: HttpService| {
            let network = Network {
                http,
                service: handle.clone(),
                traffic: Arc::default(),
            };
            *first.lock().unwrap() = Some(network.clone());
            service_fn(move |request| exchange(network.clone(), request))
        });
        let client = owner_builder(&service).layer(layer).build().unwrap();
        let network = seen.lock().unwrap().clone().unwrap();
        Self {
            service,
            client,
            network,
            runtime,
        }
    }

    pub(crate) fn traffic(&self) -> MutexGuard<'_, Traffic> {
        self.network.traffic.lock().unwrap()
    }

    /// Replaces the state of the service.
    pub(crate) fn reset(&self, state: &State) {
        *self.traffic() = Traffic {
            habits: state.habits,
            ..Traffic::default()
        };
        let reset = |world: &mut mock_server::World| {
            world.set_dialect(state.dialect.clone());
            let account = world.account_mut(HANDLE).unwrap();
            account.links.clear();
            account.profile.display_name = state.fields[0].to_owned();
            account.profile.bio = state.fields[1].to_owned();
            for (title, url) in &state.links {
                world.add_link(HANDLE, title, url).unwrap();
            }
        };
        self.service.update(reset).unwrap();
    }

    /// Returns the links in a form that can be compared.
    pub(crate) fn links(&self) -> Vec<(String, String)> {
        let world = self.service.world().unwrap();
        let links = world.account(HANDLE).unwrap().links.iter();
        comparable(links.map(|link| (link.title.clone(), link.url.clone())))
    }

    pub(crate) fn me(&self) -> Profile {
        let me = self.runtime.block_on(async { self.client.me().await });
        me.expect("a read without a fault")
    }

    /// Ends all faults, and delivers late requests.
    pub(crate) fn settle(&self) {
        let late = std::mem::take(&mut *self.traffic()).late;
        for (_, request) in late {
            // The service may reject it: the link may have been deleted since.
            self.runtime.block_on(self.network.send(request));
        }
    }
}

/// Sends a request through a network with faults.
async fn exchange(network: Network, request: Request) -> Result<Response, &'static str> {
    let traffic = &network.traffic;
    let lost = Err("lost");
    let arriving = traffic.lock().unwrap().arriving();
    for request in arriving {
        network.send(request).await;
    }
    if request.method() != http::Method::GET {
        let fault = traffic.lock().unwrap().next_write(request.method());
        return match fault {
            WriteFault::None => Ok(network.send(request).await),
            WriteFault::LostRequest => lost,
            WriteFault::LostResponse => {
                network.send(request).await;
                lost
            }
            WriteFault::Late { requests } => {
                traffic.lock().unwrap().late.push((requests, request));
                lost
            }
        };
    }
    let fault = traffic.lock().unwrap().read_faults.pop_front();
    let body = network.send(request).await.into_body();
    let body = body.collect().await.expect("a body in memory").to_bytes();
    let body = match traffic.lock().unwrap().habits.reorders_links {
        true => edit_json(&body, |json| {
            json["data"]["links"].as_array_mut().unwrap().reverse()
        }),
        false => body,
    };
    let last = std::mem::replace(&mut traffic.lock().unwrap().last_read, body.clone());
    match fault.unwrap_or(ReadFault::None) {
        ReadFault::None => Ok(Response::new(body.into())),
        ReadFault::Lost => lost,
        ReadFault::Lagging if last.is_empty() => Ok(Response::new(body.into())),
        ReadFault::Lagging => {
            traffic.lock().unwrap().last_read = last.clone();
            Ok(Response::new(last.into()))
        }
        ReadFault::WithoutLinks => {
            let remove = |json: &mut Value| json["data"].as_object_mut().unwrap().remove("links");
            let body = edit_json(&body, |json| drop(remove(json)));
            Ok(Response::new(body.into()))
        }
    }
}

fn edit_json(body: &Bytes, edit: impl FnOnce(&mut Value)) -> Bytes {
    let mut json = serde_json::from_slice(body).unwrap();
    edit(&mut json);
    json.to_string().into()
}

impl Network {
    async fn send(&self, mut request: Request) -> Response {
        let habits = self.traffic.lock().unwrap().habits;
        let is_creation = request.method() == http::Method::POST;
        let is_in_body = |text: &str| {
            let mut parts = request.body().windows(text.len());
            parts.any(|part| part == text.as_bytes())
        };
        if is_creation && habits.drops.is_some_and(is_in_body) {
            return Response::default();
        }
        if let Some(alteration) = habits.alters.filter(|_| is_in_body("title")) {
            *request.body_mut() = edit_json(request.body(), |json| {
                for name in ["title", "url"] {
                    json[name] = alteration.alter(name, json[name].as_str().unwrap()).into();
                }
            });
        }
        let response = self.http.clone().oneshot(request).await.unwrap();
        if is_creation && habits.reuses_ids {
            let reuse = |world: &mut mock_server::World| {
                let links = &mut world.account_mut(HANDLE).unwrap().links;
                let mut ids = (1..).map(|number| format!("link_{number}"));
                let free = ids.find(|id| links.iter().all(|link| link.id != *id));
                links.last_mut().unwrap().id = free.unwrap();
            };
            self.service.update(reuse).unwrap();
        }
        let (parts, body) = response.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        Response::from_parts(parts, body.into())
    }
}

impl Traffic {
    /// Returns the late requests that arrive now.
    fn arriving(&mut self) -> Vec<Request> {
        let mut arriving = Vec::new();
        for (requests, request) in std::mem::take(&mut self.late) {
            match requests {
                0 => arriving.push(request),
                left => self.late.push((left - 1, request)),
            }
        }
        arriving
    }

    fn next_write(&mut self, method: &http::Method) -> WriteFault {
        self.writes += 1;
        self.creations += usize::from(method == http::Method::POST);
        self.write_faults.pop_front().unwrap_or(WriteFault::None)
    }
}

/// The initial state of the service.
#[derive(Debug, Clone)]
pub(crate) struct State {
    pub(crate) links: Vec<(String, String)>,
    pub(crate) fields: [&'static str; 2],
    pub(crate) dialect: Dialect,
    pub(crate) habits: Habits,
}
/// Returns titles and parsed URLs, sorted.
pub(crate) fn comparable(links: impl Iterator<Item = (String, String)>) -> Vec<(String, String)> {
    let links = links.map(|(title, url)| (title, Url::parse(&url).unwrap().into()));
    let mut links: Vec<_> = links.collect();
    links.sort();
    links
}
