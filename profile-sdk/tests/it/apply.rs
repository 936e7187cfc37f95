//! `Client::apply` and `sync` with lost and late requests, lost responses, reads that lag, and services
//! that reorder, renumber or change links.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use icu_normalizer::ComposingNormalizerBorrowed;
use mock_server::dialect::{Ids, LinkUrls, WriteResponses};
use mock_server::journal::RequestPattern;
use mock_server::wiremock::ResponseTemplate;
use mock_server::{Dialect, Fault, FaultRule, MockServer, ServiceHandle};
use profile_sdk::plan::{
    ApplyErrorReason, ApplyReport, DesiredLink, DesiredProfile, Plan, PlanOptions, Source, Step,
    Warning,
};
use profile_sdk::{
    ApiKey, Client, HttpService, Link, LinkUpdate, LinkUrl, Profile, ProfileUpdate, RetryPolicy,
    Scope,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::{Strategy, any, prop_assert, prop_assert_eq};
use proptest::sample::select;
use proptest::test_runner::TestCaseResult;
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};
use tower::layer::layer_fn;
use tower::{ServiceExt as _, service_fn};
use url::Url;

use crate::cases::runner;
use crate::mocked_service::respond_to_all;
use crate::{client_builder, connect_as_owner};

const HANDLE: &str = "demo";

type Request = http::Request<Bytes>;
type Response = http::Response<Full<Bytes>>;

/// The fate of a write.
#[derive(Debug, Clone, Copy, PartialEq)]
enum WriteFault {
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
enum ReadFault {
    None,
    Lost,
    /// The response is that of the read before.
    Lagging,
    WithoutLinks,
}

/// Behavior of a service that the specification does not exclude.
#[derive(Debug, Clone, Copy, Default)]
struct Habits {
    reorders_links: bool,
    reuses_ids: bool,
    alters: Option<Alteration>,
    /// Reports links with this text in their URL as created, but does not keep them.
    drops: Option<&'static str>,
}

/// A change that a service makes to titles and URLs when it stores them.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Alteration {
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
    const LOOSE: [Self; 5] = [
        Self::Trims,
        Self::DropsFinalSlashes,
        Self::TrimsAndDropsFinalSlashes,
        Self::Normalizes,
        Self::NormalizesUrls,
    ];

    fn alter(self, name: &str, text: &str) -> String {
        match (self, name) {
            (Self::Trims, "title") => text.trim().to_owned(),
            (Self::DropsFinalSlashes, "url") => text.strip_suffix('/').unwrap_or(text).to_owned(),
            (Self::TrimsAndDropsFinalSlashes, "title") => Self::Trims.alter(name, text),
            (Self::TrimsAndDropsFinalSlashes, "url") => Self::DropsFinalSlashes.alter(name, text),
            (Self::Normalizes, _) => ComposingNormalizerBorrowed::new_nfc()
                .normalize(text)
                .into_owned(),
            (Self::NormalizesUrls, "url") => Url::parse(text)
                .unwrap()
                .as_str()
                .trim_end_matches('/')
                .to_owned(),
            (Self::LowerCases, _) => text.to_lowercase(),
            (Self::Cuts, "title") => text.chars().take(3).collect(),
            (Self::Cuts, "url") => text.chars().take(10).collect(),
            _ => text.to_owned(),
        }
    }
}

/// The faults of the next requests, and what has been sent.
#[derive(Debug, Default)]
struct Traffic {
    habits: Habits,
    creations: usize,
    write_faults: VecDeque<WriteFault>,
    read_faults: VecDeque<ReadFault>,
    /// Late requests, with the number of requests before which they arrive.
    late: Vec<(usize, Request)>,
    last_read: Bytes,
    writes: usize,
}

/// A client of a service on a socket, and the network between them.
struct Setup {
    service: MockServer,
    client: Client,
    network: Network,
    runtime: Runtime,
}

#[derive(Clone)]
struct Network {
    http: HttpService,
    service: ServiceHandle,
    traffic: Arc<Mutex<Traffic>>,
}

impl Setup {
    fn start() -> Self {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let _guard = runtime.enter();
        let service = runtime.block_on(MockServer::start());
        let handle = (*service).clone();
        let seen = Arc::<Mutex<Option<Network>>>::default();
        let first = seen.clone();
        let client = client_builder(&service)
            .api_key(ApiKey::new(service.key()).unwrap())
            .layer(layer_fn(move |http: HttpService| {
                let network = Network {
                    http,
                    service: handle.clone(),
                    traffic: Arc::default(),
                };
                *first.lock().unwrap() = Some(network.clone());
                service_fn(move |request| exchange(network.clone(), request))
            }))
            .build()
            .unwrap();
        let network = seen.lock().unwrap().clone().unwrap();
        Self {
            service,
            client,
            network,
            runtime,
        }
    }

    fn traffic(&self) -> MutexGuard<'_, Traffic> {
        self.network.traffic.lock().unwrap()
    }

    /// Replaces the state of the service.
    fn reset(&self, state: &State) {
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
    fn links(&self) -> Vec<(String, String)> {
        let world = self.service.world().unwrap();
        let links = world.account(HANDLE).unwrap().links.iter();
        comparable(links.map(|link| (link.title.clone(), link.url.clone())))
    }

    fn me(&self) -> Profile {
        let me = self.runtime.block_on(async { self.client.me().await });
        me.expect("a read without a fault")
    }

    /// Ends all faults, and delivers late requests.
    fn settle(&self) {
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
            Ok(Response::new(
                edit_json(&body, |json| drop(remove(json))).into(),
            ))
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
            request
                .body()
                .windows(text.len())
                .any(|part| part == text.as_bytes())
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
struct State {
    links: Vec<(String, String)>,
    fields: [&'static str; 2],
    dialect: Dialect,
    habits: Habits,
}

/// Returns titles and parsed URLs, sorted.
fn comparable(links: impl Iterator<Item = (String, String)>) -> Vec<(String, String)> {
    let mut links: Vec<_> = links
        .map(|(title, url)| (title, Url::parse(&url).unwrap().into()))
        .collect();
    links.sort();
    links
}

/// Few different titles and URLs, so that links are often alike.
fn any_link() -> impl Strategy<Value = (String, String)> {
    let title = select(vec!["a", "b", "c", "", "two\nlines \"quoted\""]);
    let url = select(vec![
        "https://x",
        "https://x/",
        "https://y",
        "x:y",
        "https://x/\u{e9} ?",
    ]);
    (title, url).prop_map(|(title, url)| (title.to_owned(), url.to_owned()))
}

fn any_link_with_spaces() -> impl Strategy<Value = (String, String)> {
    let spaces = select(vec!["", " "]);
    (spaces, any_link()).prop_map(|(spaces, (title, url))| (title + spaces, url))
}

fn any_text() -> impl Strategy<Value = &'static str> {
    select(vec!["", "a", "b\n\tc ", "\"\"\" \\ \u{1f680}"])
}

fn any_state() -> impl Strategy<Value = State> {
    let ids = select(vec![Ids::String, Ids::Integer, Ids::Uuid]);
    let responses = select(vec![
        WriteResponses::Resource,
        WriteResponses::EmptyData,
        WriteResponses::NoContent,
    ]);
    let urls = select(vec![LinkUrls::AsSent, LinkUrls::Parsed]);
    let dialect = (ids, responses, urls).prop_map(|(ids, write_responses, link_urls)| {
        let mut dialect = Dialect::default();
        dialect.ids = ids;
        dialect.write_responses = write_responses;
        dialect.link_urls = link_urls;
        dialect
    });
    let fields = [any_text(), any_text()];
    let habits = (any::<bool>(), any::<bool>()).prop_map(|(reorders_links, reuses_ids)| Habits {
        reorders_links,
        reuses_ids,
        ..Habits::default()
    });
    let state = (vec(any_link(), 0..5), fields, dialect, habits);
    state.prop_map(|(links, fields, dialect, habits)| State {
        links,
        fields,
        dialect,
        habits,
    })
}

fn any_faults() -> impl Strategy<Value = (Vec<WriteFault>, Vec<ReadFault>)> {
    let write_fault = select(vec![
        WriteFault::None,
        WriteFault::LostRequest,
        WriteFault::LostResponse,
        WriteFault::Late { requests: 0 },
        WriteFault::Late { requests: 1 },
        WriteFault::Late { requests: 3 },
    ]);
    let read_fault = select(vec![
        ReadFault::None,
        ReadFault::None,
        ReadFault::Lost,
        ReadFault::Lagging,
        ReadFault::WithoutLinks,
    ]);
    (vec(write_fault, 0..10), vec(read_fault, 0..6))
}

/// A desired link, whose ID may be that of a current link, given by its position.
type WantedLink = (Option<usize>, (String, String));

fn any_desired() -> impl Strategy<Value = Desired> {
    let links = option::of(vec((option::of(0..5_usize), any_link()), 0..5));
    let source = option::of(select(vec![HANDLE, "grace"]));
    let fields = option::of([any_text(), any_text()]);
    (links, source, fields).prop_map(|(links, source, fields)| Desired {
        links,
        source,
        fields,
    })
}

#[derive(Debug, Clone)]
struct Desired {
    links: Option<Vec<WantedLink>>,
    source: Option<&'static str>,
    fields: Option<[&'static str; 2]>,
}

impl Desired {
    fn of_links(links: Vec<(String, String)>) -> Self {
        Self {
            links: Some(links.into_iter().map(|link| (None, link)).collect()),
            source: None,
            fields: None,
        }
    }

    fn resolve(&self, setup: &Setup, current: &Profile) -> DesiredProfile {
        let ids: Vec<_> = current
            .links
            .iter()
            .flatten()
            .map(|link| link.id.clone())
            .collect();
        let mut desired = DesiredProfile::default();
        desired.source = self.source.map(|handle| {
            let mut source = Source::new(handle.parse().unwrap());
            source.service = Some(setup.client.base_url().to_owned());
            source
        });
        if let Some([name, bio]) = self.fields {
            let update = ProfileUpdate::new().display_name(name.parse().unwrap());
            desired.profile = update.bio(bio.parse().unwrap());
        }
        desired.links = self.links.as_ref().map(|links| {
            let links = links.iter().map(|(id, (title, url))| {
                let mut link = DesiredLink::new(title, LinkUrl::new(url).unwrap());
                link.id = id.and_then(|index| ids.get(index).cloned().flatten());
                link
            });
            links.collect()
        });
        desired
    }

    fn links(&self) -> Option<Vec<(String, String)>> {
        let links = self.links.as_ref()?.iter();
        Some(comparable(links.map(|(_, link)| link.clone())))
    }
}

fn check<T: std::fmt::Debug>(
    cases: impl Strategy<Value = T>,
    test: impl Fn(&Setup, T) -> TestCaseResult,
) {
    let setup = Setup::start();
    let result = runner(1000).run(&cases, |case| test(&setup, case));
    result.unwrap_or_else(|failure| panic!("{failure}"));
}

/// Plans, and takes the plan through JSON.
fn plan(setup: &Setup, current: &Profile, desired: &DesiredProfile, prune: bool) -> Plan {
    let service = setup.client.base_url();
    let options = PlanOptions::new().service(service).prune(prune);
    let plan = Plan::new(current, desired, options);
    let read = serde_json::from_str(&serde_json::to_string(&plan).unwrap()).unwrap();
    assert_eq!(plan, read);
    read
}

/// Plans and applies without faults, and checks that nothing is left to do.
fn check_converges(setup: &Setup, desired: &DesiredProfile, prune: bool) -> TestCaseResult {
    let plan = plan(setup, &setup.me(), desired, prune);
    let apply = || setup.runtime.block_on(setup.client.apply(&plan));
    let report = apply().expect("no faults");
    prop_assert_eq!(&report.done, plan.steps());
    let writes = setup.traffic().writes;
    let left = setup.client.sync(desired, PlanOptions::new().prune(prune));
    let left = setup.runtime.block_on(left).expect("no faults");
    prop_assert_eq!(left, ApplyReport::default());
    let again = apply().expect("no faults");
    prop_assert_eq!(&again.done, plan.steps());
    prop_assert_eq!(setup.traffic().writes, writes);
    Ok(())
}

/// Checks that the links are the desired ones, and without `prune` those that existed before.
fn check_links(setup: &Setup, before: &State, desired: &Desired, prune: bool) -> TestCaseResult {
    let mut links = setup.links();
    let before = comparable(before.links.iter().cloned());
    match desired.links() {
        None => prop_assert_eq!(links, before),
        Some(wanted) if prune => prop_assert_eq!(links, wanted),
        Some(wanted) => {
            for link in wanted {
                let index = links.iter().position(|other| *other == link);
                prop_assert!(index.is_some(), "{link:?} is missing");
                links.remove(index.unwrap());
            }
        }
    }
    Ok(())
}

#[test]
fn an_exported_profile_is_as_desired() {
    check((any_state(), any::<bool>()), |setup, (state, prune)| {
        setup.reset(&state);
        let me = setup.me();
        let exported = DesiredProfile::from(&me);
        let plan = plan(setup, &me, &exported, prune);
        prop_assert!(plan.is_empty(), "{plan}");
        prop_assert_eq!(plan.unchanged_links(), state.links.len());
        let text = serde_json::to_string(&exported).unwrap();
        prop_assert_eq!(
            serde_json::from_str::<DesiredProfile>(&text).unwrap(),
            exported
        );
        Ok(())
    });
}

#[test]
fn after_applying_nothing_is_left_to_do() {
    let cases = (any_state(), any_desired(), any::<bool>());
    check(cases, |setup, (state, desired, prune)| {
        setup.reset(&state);
        check_converges(setup, &desired.resolve(setup, &setup.me()), prune)?;
        check_links(setup, &state, &desired, prune)
    });
}

#[test]
fn faults_duplicate_and_lose_nothing() {
    let cases = (any_state(), any_desired(), any::<[bool; 2]>(), any_faults());
    check(cases, |setup, case| {
        let (state, desired, [prune, is_sync], (writes, reads)) = case;
        setup.reset(&state);
        let me = setup.me();
        let wanted = desired.resolve(setup, &me);
        let plan = plan(setup, &me, &wanted, prune);
        setup.traffic().write_faults = writes.into();
        setup.traffic().read_faults = reads.into();
        let sync = setup.client.sync(&wanted, PlanOptions::new().prune(prune));
        let result = match is_sync {
            true => setup.runtime.block_on(sync),
            false => setup.runtime.block_on(setup.client.apply(&plan)),
        };
        let sent = setup.traffic().writes;
        setup.settle();
        let report = match result {
            Ok(report) => {
                prop_assert_eq!(&report.done, plan.steps());
                report
            }
            Err(error) => {
                if let ApplyErrorReason::LinksNotListed = error.reason {
                    prop_assert_eq!(sent, 0);
                }
                if error.report.unknown.is_some() {
                    prop_assert!(!error.is_retryable());
                }
                error.report
            }
        };
        // All steps are in the report.
        let unknown = report.unknown.as_deref();
        let reported: Vec<_> = report
            .done
            .iter()
            .chain(unknown)
            .chain(&report.not_done)
            .collect();
        if !is_sync {
            prop_assert_eq!(reported, plan.steps().iter().collect::<Vec<_>>());
        }
        // The service is as after the steps that are done, with or without the unknown one.
        let links = setup.links();
        let done = links_after(&me, report.done.iter());
        let with_unknown = links_after(&me, report.done.iter().chain(unknown));
        prop_assert!(
            links == done || links == with_unknown,
            "{links:?} after {report:?}"
        );
        // Once the service has settled, the next run does the rest.
        check_converges(setup, &wanted, prune)?;
        check_links(setup, &state, &desired, prune)
    });
}

#[test]
fn links_that_do_not_stay_are_reported_and_not_duplicated() {
    let links = vec((option::of(0..1_usize), any_link_with_spaces()), 0..5);
    let drops = option::of(select(vec!["https://y"]));
    let cases = (any_state(), links, any::<[bool; 2]>(), drops);
    check(
        cases,
        |setup, (mut state, links, [prune, trims_titles], drops)| {
            state.habits.alters = trims_titles.then_some(Alteration::Trims);
            state.habits.drops = drops;
            setup.reset(&state);
            let desired = Desired {
                links: Some(links),
                source: None,
                fields: None,
            };
            let wanted = desired.resolve(setup, &setup.me());
            let sync = || {
                let sync = setup.client.sync(&wanted, PlanOptions::new().prune(prune));
                setup.runtime.block_on(sync).expect("no faults")
            };
            let plan = plan(setup, &setup.me(), &wanted, prune);
            sync();
            let after = setup.links();
            setup.traffic().creations = 0;
            let _ = setup.runtime.block_on(setup.client.apply(&plan));
            prop_assert_eq!(setup.links(), after.clone(), "the same plan");
            setup.traffic().creations = 0;
            let report = sync();
            prop_assert_eq!(setup.links(), after.clone());
            // Only links that were dropped are created again.
            let dropped = desired.links().unwrap().into_iter();
            let dropped = dropped.filter(|(_, url)| drops.is_some_and(|text| url.contains(text)));
            prop_assert!(setup.traffic().creations <= dropped.count());
            let is_reported = |(title, _): &(String, String)| {
                after.iter().any(|(current, _)| current == title)
                    || report
                        .done
                        .iter()
                        .any(|step| step.to_string().contains(&format!("{title:?}")))
            };
            prop_assert!(
                desired.links().unwrap().iter().all(is_reported),
                "{report:?}"
            );
            Ok(())
        },
    );
}

/// Titles and URLs that services change when they store them.
fn any_alterable_link() -> impl Strategy<Value = (String, String)> {
    let title = select(vec![
        "a", "a ", " a", "Title", "title", "e\u{301}", "\u{e9} ",
    ]);
    let url = select(vec![
        "https://x/y",
        "https://x/y/",
        "https://x",
        "HTTPS://X/y",
        "https://x/e\u{301}/",
        "Foo://Host/Path/",
    ]);
    (title, url).prop_map(|(title, url)| (title.to_owned(), url.to_owned()))
}

#[test]
fn links_that_a_service_changes_are_neither_created_again_nor_deleted() {
    let links = || vec(any_alterable_link(), 0..5);
    let alteration = select(Alteration::LOOSE.to_vec());
    let cases = (any_state(), links(), links(), any::<bool>(), alteration);
    check(
        cases,
        |setup, (mut state, current, wanted, prune, alteration)| {
            state.links = current;
            state.habits.alters = Some(alteration);
            setup.reset(&state);
            let wanted = Desired::of_links(wanted).resolve(setup, &setup.me());
            let sync = || {
                let sync = setup.client.sync(&wanted, PlanOptions::new().prune(prune));
                setup.runtime.block_on(sync).expect("no faults")
            };
            sync();
            let links = setup.links();
            for _ in 0..2 {
                let report = sync();
                let is_edit = |step: &Step| matches!(step, Step::EditLink { .. });
                prop_assert!(report.done.iter().all(is_edit), "{report}");
                prop_assert_eq!(setup.links().len(), links.len());
                if state.dialect.write_responses == WriteResponses::Resource {
                    prop_assert!(report.done.len() <= report.warnings.len(), "{report}");
                }
            }
            Ok(())
        },
    );
}

#[test]
fn texts_that_a_service_changes_are_reported() {
    let links = vec(any_alterable_link(), 0..5);
    let alterations = [Alteration::LowerCases, Alteration::Cuts];
    let alterations = [&Alteration::LOOSE[..], &alterations].concat();
    let cases = (any_state(), links, select(alterations));
    check(cases, |setup, (mut state, wanted, alteration)| {
        state.habits.alters = Some(alteration);
        state.dialect.write_responses = WriteResponses::Resource;
        setup.reset(&state);
        let wanted = Desired::of_links(wanted).resolve(setup, &setup.me());
        for _ in 0..2 {
            let before = setup.me().links.unwrap();
            let sync = setup.client.sync(&wanted, PlanOptions::new());
            let report = setup.runtime.block_on(sync).expect("no faults");
            let expected = report.done.iter().flat_map(|step| match step {
                Step::CreateLink { to, .. } | Step::EditLink { to, .. } => {
                    [("title", to.title.clone()), ("url", to.url.to_string())].to_vec()
                }
                _ => Vec::new(),
            });
            let stored = |name: &str, sent: &str| match (alteration.alter(name, sent), name) {
                (stored, "url") if state.dialect.link_urls == LinkUrls::Parsed => {
                    Url::parse(&stored).unwrap().into()
                }
                (stored, _) => stored,
            };
            let expected = expected.map(|(name, sent)| (name, stored(name, &sent), sent));
            let expected = expected.filter(|(name, stored, sent)| match *name {
                "url" => Url::parse(sent) != Url::parse(stored),
                _ => sent != stored,
            });
            let warnings = report.warnings.iter().filter_map(|warning| match warning {
                Warning::AlteredText {
                    link,
                    field,
                    sent,
                    stored,
                    ..
                } => {
                    assert!(link.is_some());
                    Some((&**field, stored.clone(), sent.clone()))
                }
                _ => None,
            });
            let altered: Vec<_> = warnings.collect();
            prop_assert_eq!(altered, expected.collect::<Vec<_>>());
            // Other links are not touched.
            let after = setup.me().links.unwrap();
            let is_edited = |link: &Link| {
                report.done.iter().any(|step| {
                    matches!(step, Step::EditLink { id, .. } if link.id.as_ref() == Some(id))
                })
            };
            for link in before.iter().filter(|link| !is_edited(link)) {
                prop_assert!(after.contains(link), "{link:?} {report}");
            }
        }
        Ok(())
    });
}

/// Three copies from earlier runs at a service that trims.
#[tokio::test]
async fn copies_of_a_changed_link_are_not_multiplied() {
    for prune in [false, true] {
        let service = MockServer::start().await;
        let client = connect_as_owner(&service);
        let add = |world: &mut mock_server::World| {
            world.account_mut(HANDLE).unwrap().links.clear();
            for _ in 0..3 {
                world
                    .add_link(HANDLE, "Blog", "https://a.example/x")
                    .unwrap();
            }
        };
        service.update(add).unwrap();
        let mut desired = DesiredProfile::default();
        let url = LinkUrl::new("https://a.example/x/").unwrap();
        desired.links = Some(vec![DesiredLink::new("Blog ", url)]);
        let options = PlanOptions::new().prune(prune);
        let plan = Plan::new(&client.me().await.unwrap(), &desired, options);
        let deletions = "delete link link_7: \"Blog\" (\"https://a.example/x\")\n\
                         delete link link_8: \"Blog\" (\"https://a.example/x\")\n";
        let edit = "edit link link_6: \"Blog\" (\"https://a.example/x\") to \"Blog \" \
                    (\"https://a.example/x/\")\n";
        let expected = format!("{edit}{}", if prune { deletions } else { "" });
        assert_eq!(plan.to_string(), expected);
    }
}

/// The response to the creation of a link is lost at a service that trims titles.
#[test]
fn a_changed_link_counts_as_created_if_its_id_is_new() {
    let setup = Setup::start();
    let link = |title: &str| (title.to_owned(), "https://a.example/x".to_owned());
    let (none, lost, request_lost) = (
        WriteFault::None,
        WriteFault::LostResponse,
        WriteFault::LostRequest,
    );
    for (current, wanted, faults, done) in [
        (vec![], vec![" A"], vec![lost], 1),
        (vec![], vec![" A"], vec![request_lost], 0),
        // Of two similar ones, the second is lost.
        (vec![], vec!["A ", " A"], vec![none, request_lost], 1),
        (vec![], vec!["A ", " A"], vec![none, lost], 2),
        // The profile has a similar link that is desired, too.
        (vec!["A"], vec!["A", " A"], vec![request_lost], 0),
        (vec!["A"], vec!["A", " A"], vec![lost], 1),
    ] {
        let mut state = State {
            links: current.iter().map(|title| link(title)).collect(),
            fields: ["", ""],
            dialect: Dialect::default(),
            habits: Habits::default(),
        };
        state.habits.alters = Some(Alteration::Trims);
        setup.reset(&state);
        let desired = Desired::of_links(wanted.iter().map(|title| link(title)).collect());
        let desired = desired.resolve(&setup, &setup.me());
        setup.traffic().write_faults = faults.clone().into();
        let sync = setup.client.sync(&desired, PlanOptions::new());
        let report = match setup.runtime.block_on(sync) {
            Ok(report) => report,
            Err(error) => {
                assert!(error.report.unknown.is_some(), "{error}");
                error.report
            }
        };
        assert_eq!(report.done.len(), done, "{wanted:?} {faults:?} {report}");
        let links = setup.me().links.unwrap();
        assert_eq!(report.warnings.len(), done);
        for (warning, sent) in report.warnings.iter().zip(&wanted[current.len()..]) {
            let is_named = |link: &&Link| {
                let id = link.id.as_ref().unwrap();
                let text = format!("the service stored the title of link {id} {sent:?} as \"A\"");
                warning.to_string() == text
            };
            assert_eq!(links.iter().filter(is_named).count(), 1, "{warning}");
        }
    }
}

/// Returns the links after these steps in a form that can be compared.
fn links_after<'a>(
    before: &Profile,
    steps: impl Iterator<Item = &'a Step>,
) -> Vec<(String, String)> {
    let mut links = before.links.clone().unwrap();
    for step in steps {
        match step {
            Step::CreateLink { to, .. } => {
                let mut link = profile_sdk::Link::default();
                link.title = Some(to.title.clone());
                link.url = Some(to.url.to_string());
                links.push(link);
            }
            Step::EditLink { id, to, .. } => {
                let edited = links
                    .iter_mut()
                    .find(|link| link.id.as_ref() == Some(id))
                    .unwrap();
                edited.title = Some(to.title.clone());
                edited.url = Some(to.url.to_string());
            }
            Step::DeleteLink { id, .. } => links.retain(|link| link.id.as_ref() != Some(id)),
            _ => {}
        }
    }
    let links = links.into_iter();
    comparable(links.map(|link| (link.title.unwrap(), link.url.unwrap())))
}

/// Returns a plan for new links with these titles, and the client for it.
async fn plan_of_new_links(service: &MockServer, titles: &[&str]) -> (Client, Plan) {
    let client = connect_as_owner(service);
    let mut desired = DesiredProfile::default();
    let url = LinkUrl::new("https://new.example").unwrap();
    let links = titles
        .iter()
        .map(|title| DesiredLink::new(*title, url.clone()));
    desired.links = Some(links.collect());
    let plan = Plan::new(&client.me().await.unwrap(), &desired, PlanOptions::new());
    (client, plan)
}

fn add_fault(service: &MockServer, rule: FaultRule) {
    service.add_fault(rule).unwrap();
}

fn writes(service: &MockServer) -> usize {
    let requests = service.journal().requests().into_iter();
    requests.filter(|request| request.method != "GET").count()
}

#[tokio::test]
async fn a_creation_whose_response_was_lost_is_looked_up() {
    let service = MockServer::start().await;
    let (client, plan) = plan_of_new_links(&service, &["One", "Two"]).await;
    let lost = FaultRule::new(Fault::status(500))
        .matching(RequestPattern::any().method("POST"))
        .times(1);
    add_fault(&service, lost.after_write());
    let mut done = Vec::new();
    let report = client
        .apply_with(&plan, |step| done.push(step.clone()))
        .await;
    assert_eq!(report.unwrap().done, done);
    assert_eq!(done, plan.steps());
    assert_eq!(writes(&service), 2);
}

#[tokio::test]
async fn a_creation_after_a_303_is_looked_up() {
    let service = MockServer::start().await;
    let (client, plan) = plan_of_new_links(&service, &["One"]).await;
    let location = "/api/v1/me/links/1".to_owned();
    let see_other = FaultRule::new(Fault::Redirect {
        status: 303,
        location,
    });
    let see_other = see_other.matching(RequestPattern::any().method("POST"));
    add_fault(&service, see_other.clone().times(1));
    let error = client.apply(&plan).await.unwrap_err();
    assert_eq!(error.report.unknown.as_deref(), Some(&plan.steps()[0]));
    add_fault(&service, see_other.times(1).after_write());
    assert_eq!(client.apply(&plan).await.unwrap().done, plan.steps());
    assert_eq!(writes(&service), 2);
}

/// Of four equal links, one exists, one is the result of an edit, and two are created. The last request
/// is lost.
#[tokio::test]
async fn a_creation_is_done_only_if_all_equal_links_exist() {
    let service = MockServer::start().await;
    let client = connect_as_owner(&service);
    let add_links = |world: &mut mock_server::World| {
        world.add_link(HANDLE, "A", "https://a/").unwrap();
        world.add_link(HANDLE, "B", "https://a").unwrap();
    };
    service.update(add_links).unwrap();
    let wanted = ["https://a", "https://a/", "https://a", "https://a/"];
    let wanted = wanted.map(|url| DesiredLink::new("A", LinkUrl::new(url).unwrap()));
    let mut desired = DesiredProfile::default();
    desired.links = Some(wanted.to_vec());
    let plan = Plan::new(&client.me().await.unwrap(), &desired, PlanOptions::new());
    let lost = FaultRule::new(Fault::status(500))
        .matching(RequestPattern::any().method("POST"))
        .skip(1);
    add_fault(&service, lost.times(1));
    let report = client.apply(&plan).await.unwrap_err().report;
    assert_eq!(report.done, plan.steps()[..2]);
    assert_eq!(report.unknown.as_deref(), Some(&plan.steps()[2]));
}

#[tokio::test]
async fn a_creation_that_does_not_show_is_unknown_and_ends_the_run() {
    let service = MockServer::start().await;
    let (client, plan) = plan_of_new_links(&service, &["One", "Two", "Three"]).await;
    let lost = FaultRule::new(Fault::status(500))
        .matching(RequestPattern::any().method("POST"))
        .skip(1);
    add_fault(&service, lost.times(1));
    let error = client.apply(&plan).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "POST /api/v1/me/links: 500: the service failed: this response comes from a fault \
         rule (fault); the change may have been applied; the result of this step is unknown: \
         create link \"Two\" (\"https://new.example\"); wait and look at the profile before you \
         plan again; 1 of 3 steps is done"
    );
    assert_eq!(
        error.report.to_string(),
        "created link \"One\" (\"https://new.example\")\n\
         unknown: create link \"Two\" (\"https://new.example\")\n\
         not done: create link \"Three\" (\"https://new.example\")\n"
    );
    assert!(!error.is_retryable());
    let report = serde_json::from_str(&serde_json::to_string(&error.report).unwrap());
    assert_eq!(error.report, report.unwrap());
    assert_eq!(error.report.done, plan.steps()[..1]);
    assert_eq!(error.report.unknown.as_deref(), Some(&plan.steps()[1]));
    assert_eq!(error.report.not_done, plan.steps()[2..]);
    assert_eq!(writes(&service), 2);
}

#[tokio::test]
async fn a_rejected_step_ends_the_run_and_the_next_run_does_the_rest() {
    let service = MockServer::start().await;
    let (client, plan) = plan_of_new_links(&service, &["One", "Two"]).await;
    let rejected = FaultRule::new(Fault::status(422))
        .matching(RequestPattern::any().method("POST"))
        .skip(1);
    add_fault(&service, rejected.times(1));
    let error = client.apply(&plan).await.unwrap_err();
    assert!(
        error.to_string().ends_with("; 1 of 2 steps is done"),
        "{error}"
    );
    assert_eq!(error.report.unknown, None);
    assert_eq!(error.report.not_done, plan.steps()[1..]);
    assert_eq!(client.apply(&plan).await.unwrap().done, plan.steps());
    assert_eq!(writes(&service), 3);
}

#[tokio::test]
async fn a_sync_that_failed_before_an_unclear_step_is_retryable() {
    let service = MockServer::start().await;
    let builder = client_builder(&service).retry(RetryPolicy::none());
    let key = ApiKey::new(service.key()).unwrap();
    let client = builder.api_key(key).build().unwrap();
    let wanted = r#"{"links": [{"title": "A", "url": "x:a"}, {"title": "B", "url": "x:b"}]}"#;
    let wanted: DesiredProfile = serde_json::from_str(wanted).unwrap();
    let sync = || client.sync(&wanted, PlanOptions::new());
    add_fault(&service, FaultRule::new(Fault::status(503)).times(1));
    let error = sync().await.unwrap_err();
    assert!(
        error.is_retryable() && !error.to_string().contains("steps"),
        "{error}"
    );
    let limited =
        FaultRule::new(Fault::rate_limited("7")).matching(RequestPattern::any().method("POST"));
    add_fault(&service, limited.skip(1).times(1));
    let error = sync().await.unwrap_err();
    assert!(
        error.is_retryable() && error.to_string().ends_with("1 of 2 steps is done"),
        "{error}"
    );
    assert_eq!(error.retry_after(), Some(Duration::from_secs(7)));
    assert_eq!(sync().await.unwrap().done, error.report.not_done);
    assert_eq!(writes(&service), 3);
}

#[tokio::test]
async fn only_a_scope_that_is_certainly_missing_stops_a_sync() {
    for (scopes, missing) in [
        (json!(["profile:write"]), Some(Scope::LinksWrite)),
        (
            json!("analytics:read profile:write"),
            Some(Scope::LinksWrite),
        ),
        (json!([]), Some(Scope::LinksWrite)),
        (json!(["links:write"]), None),
        (json!(["*"]), None),
        (json!(["profile:write", "links:*"]), None),
        (json!([{"name": "links:write"}]), None),
        (json!({"links:write": true}), None),
        (json!(null), None),
    ] {
        let service = crate::mocked_service::MockServer::start().await;
        let profile = json!({"data": {"links": [], "key": {"scopes": scopes}}});
        let response = ResponseTemplate::new(200).set_body_json(profile);
        respond_to_all(&service, response).await;
        let mut desired = DesiredProfile::default();
        desired.links = Some(vec![DesiredLink::new("A", LinkUrl::new("x:a").unwrap())]);
        let client = connect_as_owner(&service);
        let synced = client.sync(&desired, PlanOptions::new()).await;
        let sent = service.wiremock().received_requests().await.unwrap().len();
        match (synced, missing) {
            (Ok(report), None) => assert_eq!((report.done.len(), sent), (1, 2)),
            (Err(error), Some(scope)) => {
                assert_eq!((error.report.not_done.len(), sent), (1, 1));
                let expected = "the key lacks the scope links:write; nothing was sent; use a key with this scope";
                assert_eq!(error.to_string(), expected);
                assert!(
                    matches!(error.reason, ApplyErrorReason::MissingScope(lacked) if lacked == scope)
                );
            }
            (synced, _) => panic!("{scopes}: {synced:?}"),
        }
    }
}

#[tokio::test]
async fn one_client_applies_one_plan_at_a_time() {
    let service = MockServer::start().await;
    let titles = ["1", "2", "3", "4", "5", "6", "7"];
    let (client, plan) = plan_of_new_links(&service, &titles).await;
    let clone = client.clone();
    let (one, other) = tokio::join!(client.apply(&plan), clone.apply(&plan));
    assert_eq!(one.unwrap().done, plan.steps());
    assert_eq!(other.unwrap().done, plan.steps());
    assert_eq!(writes(&service), titles.len());
}

#[tokio::test]
async fn a_dropped_run_can_be_continued() {
    let service = MockServer::start().await;
    let (client, plan) = plan_of_new_links(&service, &["One", "Two", "Three"]).await;
    let slow = FaultRule::new(Fault::delay(Duration::from_millis(60_000)))
        .matching(RequestPattern::any().method("POST"))
        .skip(1);
    add_fault(&service, slow.times(1));
    let creations = service.expect("POST", "/me/links");
    tokio::select! {
        report = client.apply(&plan) => panic!("{report:?}"),
        _ = creations.arrives(2, Duration::from_secs(10)) => {}
    }
    assert_eq!(writes(&service), 2);
    let (client, plan) = plan_of_new_links(&service, &["One", "Two", "Three"]).await;
    let done = client.apply(&plan).await.unwrap().done;
    assert_eq!(done, plan.steps());
    let links = client.me().await.unwrap().links.unwrap();
    for title in ["One", "Two", "Three"] {
        let is_new = |link: &&Link| link.title.as_deref() == Some(title);
        assert_eq!(links.iter().filter(is_new).count(), 1, "{title}");
    }
}

#[tokio::test]
async fn without_a_list_of_links_nothing_is_sent() {
    let service = MockServer::start().await;
    let (client, plan) = plan_of_new_links(&service, &["One"]).await;
    service.set_dialect(Dialect::minimal()).unwrap();
    let (_, planned_without) = plan_of_new_links(&service, &["One"]).await;
    assert!(planned_without.lacks_links());
    for plan in [plan, planned_without] {
        let error = client.apply(&plan).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "the service does not list the links of the profile, so they cannot be compared; \
             nothing was sent; leave the links out, or edit them one by one"
        );
        assert_eq!(error.report.not_done, plan.steps());
    }
    assert_eq!(writes(&service), 0);
}

#[tokio::test]
async fn an_outdated_plan_is_not_applied() {
    let service = MockServer::start().await;
    let client = connect_as_owner(&service);
    let me = client.me().await.unwrap();
    let mut desired = DesiredProfile::default();
    desired.profile.bio = Some("New".parse().unwrap());
    desired.links = Some(Vec::new());
    let plan = Plan::new(&me, &desired, PlanOptions::new().prune(true));
    let id = me.links.unwrap()[0].id.clone().unwrap();
    client
        .update_link(&id, &LinkUpdate::new().title("Other"))
        .await
        .unwrap();
    let error = client.apply(&plan).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the profile has changed since the plan was made; nothing was sent; \
         read the profile and plan again"
    );
    assert_eq!(writes(&service), 1);
}
