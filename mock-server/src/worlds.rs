//! The worlds of one process, and their names in URLs and keys.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::engine::{
    self, ActiveKeys, Keys, Report, Request, SeededHash, UNKNOWN_WORLD, World, bearer_token,
};
use crate::faults::FaultRule;
use crate::input::InvalidInput;
use crate::journal::{Journal, JournalLimits, archive, request_line};
use crate::mutants::Mutant;
use crate::service::{Past, Service, StateError, StateFile, Store};
use crate::tasks::lock;

/// The worlds of one process. Each world is an isolated instance of the service with its own
/// accounts, keys, clock and faults.
///
/// The world `default` always exists and handles every request that does not select another world.
/// A request selects a world by its path, such as `/worlds/w1/api/v1/badges`, or by its key: the keys
/// of other worlds end with the name of the world, such as `mock_all_….w1`. Therefore two worlds
/// never share a key, even if their seeds are equal.
///
/// ```
/// use mock_server::{World, Worlds};
///
/// let worlds = Worlds::in_memory(World::new(7));
/// assert_eq!(worlds.keys(), World::new(7).keys());
/// ```
#[derive(Debug)]
pub struct Worlds {
    running: Mutex<Running>,
    /// The fault rules of new worlds.
    faults: Vec<FaultRule>,
    past: Arc<Past>,
    /// Held during a reset, which may wait for the lock of a state file.
    resetting: Mutex<()>,
}

#[derive(Debug, Default)]
struct Running {
    /// A reset replaces a service, and the deletion of its world removes it.
    services: BTreeMap<String, Arc<Service>>,
    /// The number of worlds created besides `default`, so that names are unique.
    created: u64,
    /// The number of seeds ever chosen.
    seeds: u64,
}

impl Worlds {
    /// Creates worlds in memory, with this world as `default`.
    pub fn in_memory(world: World) -> Self {
        Self::new(Service::in_memory(world))
    }

    /// Creates worlds with the world in a file as `default`. If the file is missing or empty, it
    /// starts with `new_world`. All other worlds are in memory.
    ///
    /// # Errors
    ///
    /// Returns [`StateError`] if the file cannot be replaced, or contains an invalid world, which is not
    /// changed.
    pub fn in_file(file: StateFile, new_world: World) -> Result<Self, StateError> {
        let service = Service::in_file(file.clone(), new_world)?;
        let checked = engine::check(&mut service.initial.clone());
        checked.map_err(|error| file.damaged(error))?;
        file.rewrite()?;
        Ok(Self::new(service))
    }

    /// Returns the keys of `demo` in the world `default`.
    pub fn keys(&self) -> Keys {
        self.default().keys.clone()
    }

    /// Changes the world `default` and the state to which `POST /reset` of the control API resets it.
    ///
    /// # Errors
    ///
    /// Returns [`StateError`] if the state file cannot be used; then nothing changes.
    pub fn update<T>(&mut self, change: impl FnOnce(&mut World) -> T) -> Result<T, StateError> {
        let service = self.default_mut();
        let changed = service.store.update(|world| (change(world), world.clone()));
        let (result, initial) = changed?;
        service.initial = initial;
        Ok(result)
    }

    /// Makes all worlds break a sentence of the specification.
    pub fn set_mutant(&mut self, mutant: Mutant) {
        self.default_mut().mutant = Some(mutant);
    }

    /// Lets web pages of this origin use all worlds, or of any origin with `*`; see
    /// [`MockServerBuilder::cors`](crate::MockServerBuilder::cors).
    ///
    /// # Errors
    ///
    /// Returns [`InvalidInput`] if `origin` is neither `*` nor an origin such as
    /// `http://localhost:3000`.
    pub fn add_cors(&mut self, origin: &str) -> Result<(), InvalidInput> {
        self.default_mut().cors.get_or_insert_default().add(origin)
    }

    /// Makes this host name one of the server's own. By default, only IP addresses and `localhost` are, since a web
    /// page can make any other name resolve to this machine.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidInput`] if `name` is not a host name without a port.
    pub fn allow_host(&mut self, name: &str) -> Result<(), InvalidInput> {
        self.default_mut().own_hosts.add(name)
    }

    /// Returns the service of the world that always exists.
    pub(crate) fn default(&self) -> Arc<Service> {
        self.find(DEFAULT).expect("it cannot be deleted")
    }

    fn default_mut(&mut self) -> &mut Service {
        let running = self.running.get_mut();
        let running = running.unwrap_or_else(PoisonError::into_inner);
        let service = running.services.get_mut(DEFAULT).and_then(Arc::get_mut);
        service.expect("the worlds are not shared before they are served")
    }

    /// Adds fault rules to the world `default`, and to each world that is created later. If one is
    /// invalid, none is added.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidInput`] for the first invalid rule.
    pub fn add_faults(&mut self, rules: Vec<FaultRule>) -> Result<(), InvalidInput> {
        self.default().add_faults(rules.clone())?;
        self.faults.extend(rules);
        Ok(())
    }

    /// Returns the report of all worlds together, including deleted worlds and what a reset cleared.
    pub fn report(&self) -> Report {
        let mut all = Report::default();
        for service in lock(&self.running).services.values() {
            all.merge(&service.report());
        }
        all.merge(&lock(&self.past.report));
        all
    }

    /// Keeps the requests of worlds that are deleted or reset for [`har`](Self::har), in at most the memory of the
    /// journal of `default`.
    pub fn keep_requests(&self) {
        let limits = self.default().journal.limits();
        lock(&self.past.journals).max_bytes = limits.bytes;
    }

    /// Returns the journals of all worlds as an HTTP Archive (HAR 1.2). `url` is that of the server, for requests
    /// without a host.
    pub fn har(&self, url: &str) -> serde_json::Value {
        let mut worlds = lock(&self.past.journals).requests();
        for name in self.names() {
            if let Some(service) = self.find(&name) {
                worlds.push(service.journal.in_world(&name));
            }
        }
        archive(&worlds, url)
    }

    /// Sets the limits of the journal of `default`, which new worlds have too.
    pub fn set_journal_limits(&self, limits: JournalLimits) {
        self.default().journal.set_limits(limits);
    }

    fn new(default: Service) -> Self {
        let past = default.past.clone();
        let running = Running {
            services: [(DEFAULT.to_owned(), Arc::new(default))].into(),
            ..Running::default()
        };
        Self {
            past,
            running: Mutex::new(running),
            faults: Vec::new(),
            resetting: Mutex::default(),
        }
    }

    /// Returns the service of the world in the path of a request, or else in its key, and removes
    /// the name of the world from both.
    ///
    /// # Errors
    ///
    /// Returns the name of the world in the path if it does not exist.
    pub(crate) fn route(&self, request: &mut Request) -> Result<Arc<Service>, String> {
        let rest = request.path.strip_prefix(PATH_PREFIX);
        let Some((world, _)) = rest.and_then(|rest| rest.split_once('/')) else {
            let service = self.route_by_key(request);
            return Ok(service.unwrap_or_else(|| self.default()));
        };
        let world = world.to_owned();
        let Some(service) = self.find(&world) else {
            self.advise_unknown(request, &world);
            return Err(world);
        };
        let path = request.path[PATH_PREFIX.len() + world.len()..].to_owned();
        request.sent = Some(request.target().into());
        request.path = path;
        if let Some(header) = authorization(request)
            && let Some(token) = bearer_token(header)
        {
            *header = format!("Bearer {}", plain_key(&world, token));
        }
        Ok(service)
    }

    fn route_by_key(&self, request: &mut Request) -> Option<Arc<Service>> {
        let header = authorization(request)?;
        let (key, world) = bearer_token(header)?.rsplit_once(SEPARATOR)?;
        let (key, world) = (key.to_owned(), world.to_owned());
        if let Some(service) = self.find(&world).filter(|_| world != DEFAULT) {
            *header = format!("Bearer {key}");
            return Some(service);
        }
        let number = world.strip_prefix('w').map(str::parse::<u64>);
        request.is_lost = matches!(number, Some(Ok(_)));
        if request.is_lost {
            self.advise_unknown(request, &world);
        }
        None
    }

    fn advise_unknown(&self, request: &Request, world: &str) {
        let other_keys = self.other_keys();
        let world = request.secrets(&other_keys).redact(world);
        let line = request_line(request, &other_keys);
        let first = format!("{line}: unknown world {world}");
        let mut report = lock(&self.past.report);
        report.advise(UNKNOWN_WORLD, first);
        // The world `default` counts the others.
        report.requests += u64::from(!request.is_lost);
    }

    /// Returns the keys of the default world that were not generated, for requests without a world. Those of a
    /// state file, which another process may have locked, are the ones at the start.
    pub(crate) fn other_keys(&self) -> Vec<String> {
        let default = self.default();
        match default.store.is_slow {
            true => default.initial.other_keys(),
            false => default.store.read(World::other_keys).unwrap_or_default(),
        }
    }

    /// Returns the service of the world with this name.
    pub(crate) fn find(&self, name: &str) -> Option<Arc<Service>> {
        lock(&self.running).services.get(name).cloned()
    }

    /// Returns a seed for a new world, which depends on the seed of `default` and the number of earlier
    /// seeds. It has at most 53 bits, so that clients in JavaScript read it exactly.
    pub(crate) fn next_seed(&self) -> u64 {
        let seed = SeededHash::new(self.default().initial.seed()).mix_str("world");
        let mut running = lock(&self.running);
        running.seeds += 1;
        seed.mix(running.seeds).value() >> 11
    }

    /// Adds a world in memory and returns its name. It has the journal limits and origins of
    /// `default`.
    pub(crate) fn create(&self, world: World) -> String {
        let store = Store::in_memory(world.clone());
        let service = self.default().beside(store, world, Journal::new());
        let added = service.add_faults(self.faults.clone());
        added.expect("the rules were validated when they were added");
        let mut running = lock(&self.running);
        running.created += 1;
        let name = format!("w{}", running.created);
        running.services.insert(name.clone(), Arc::new(service));
        name
    }

    /// Returns the names of all worlds: `default`, then the others in the order of their creation.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<_> = lock(&self.running).services.keys().cloned().collect();
        // The sort is stable and puts `w10` after `w9`.
        names.sort_by_key(|name| (name != DEFAULT, name.len()));
        names
    }

    /// Restores the initial world and removes its faults, journal and report. What is under way is completed in
    /// the world before.
    pub(crate) fn reset(&self, name: &str) -> Result<(), StateError> {
        let _only_one = lock(&self.resetting);
        // It may have been deleted meanwhile, also below.
        let Some(old) = self.find(name) else {
            return Ok(());
        };
        let new = Arc::new(old.restart()?);
        if let Some(service) = lock(&self.running).services.get_mut(name) {
            *service = new;
        }
        old.end(name);
        Ok(())
    }

    /// Deletes a world and returns `true` if it existed. What is under way is completed.
    pub(crate) fn delete(&self, name: &str) -> bool {
        let removed = lock(&self.running).services.remove(name);
        removed.inspect(|service| service.end(name)).is_some()
    }
}

fn authorization(request: &mut Request) -> Option<&mut String> {
    let mut headers = request.headers.iter_mut();
    let found = headers.find(|(name, _)| name.eq_ignore_ascii_case("authorization"));
    found.map(|(_, value)| value)
}

/// The name of the world that always exists.
pub(crate) const DEFAULT: &str = "default";

/// The path prefix of the worlds.
const PATH_PREFIX: &str = "/worlds/";

/// The separator between a key and the name of its world.
const SEPARATOR: char = '.';

/// Returns the base URL of a world.
pub(crate) fn world_url(server: &str, world: &str) -> String {
    format!("{server}{PATH_PREFIX}{world}")
}

/// Appends the name of the world to one of its keys, except for the world `default`.
pub(crate) fn qualified_key(world: &str, key: &str) -> String {
    match world {
        DEFAULT => key.to_owned(),
        other => format!("{key}{SEPARATOR}{other}"),
    }
}

/// Removes the name of the world from a key.
pub(crate) fn plain_key<'a>(world: &str, key: &'a str) -> &'a str {
    match key.rsplit_once(SEPARATOR) {
        Some((inner, name)) if name == world => inner,
        _ => key,
    }
}

/// Appends the name of the world to its keys, except for the world `default`.
pub(crate) fn qualified_keys(world: &str, mut keys: ActiveKeys) -> ActiveKeys {
    for key in keys.values_mut().flatten() {
        *key = qualified_key(world, key);
    }
    keys
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::engine::{Endpoint, Reply};
    use crate::faults::{Fault, PlannedReply};
    use crate::service::Exchange;

    fn status(worlds: &Worlds, key: &str) -> u16 {
        let mut request =
            Request::new("GET", "/api/v1/me").header("Authorization", format!("Bearer {key}"));
        let service = worlds.route(&mut request).unwrap();
        service
            .store
            .handle(&request, None, false)
            .unwrap()
            .processed
            .reply
            .status
    }

    #[test]
    fn worlds_with_the_same_seed_have_different_keys() {
        let worlds = Worlds::in_memory(World::new(7));
        let names = [
            DEFAULT.to_owned(),
            worlds.create(World::new(7)),
            worlds.create(World::new(7)),
        ];
        for name in &names {
            let service = worlds.find(name).unwrap();
            let key = qualified_key(name, &service.keys.all);
            assert_eq!(status(&worlds, &key), 200);
            service
                .store
                .update(|world| world.keys.remove(plain_key(name, &key)))
                .unwrap();
            assert_eq!(status(&worlds, &key), 401);
        }
    }

    #[test]
    fn rejects_the_keys_of_a_deleted_world() {
        let worlds = Worlds::in_memory(World::new(7));
        let name = worlds.create(World::new(7));
        let key = qualified_key(&name, &World::new(7).keys().all);
        assert_eq!(status(&worlds, &key), 200);
        assert!(worlds.delete(&name));
        assert_eq!(status(&worlds, &key), 401);
        assert_ne!(worlds.create(World::new(7)), name);
    }

    /// A world between its creation or a reset and the next reset or its deletion.
    #[derive(Default)]
    struct Expected {
        name: String,
        bio: String,
        violations: u64,
        calls: u64,
        entries: usize,
        is_over: bool,
    }

    /// A request that a fault holds.
    struct Held {
        exchange: Exchange,
        request: Request,
        stage: u64,
        /// The new bio, or `None` for a violation.
        bio: Option<String>,
        world: usize,
    }

    /// Worlds, and what they should contain.
    struct Model {
        worlds: Worlds,
        expected: Vec<Expected>,
        held: Vec<Held>,
        random: SeededHash,
    }

    impl Model {
        fn pick(&mut self, bound: usize) -> usize {
            self.random = self.random.mix(0);
            self.random.below(bound as u64) as usize
        }

        fn begin_world(&mut self, name: &str) {
            let world = World::new(7);
            self.expected.push(Expected {
                name: name.to_owned(),
                bio: world.account("demo").unwrap().profile.bio.clone(),
                ..Expected::default()
            });
        }

        /// Changes something at random.
        fn step(&mut self, number: usize) {
            let worlds = (0..self.expected.len()).filter(|world| !self.expected[*world].is_over);
            let alive: Vec<_> = worlds.collect();
            let world = alive[self.pick(alive.len())];
            let name = self.expected[world].name.clone();
            let service = self.worlds.find(&name).unwrap();
            let held = self.held.len();
            match self.pick(16) {
                0 if alive.len() < 4 => {
                    let name = self.worlds.create(World::new(7));
                    self.begin_world(&name);
                }
                1 if name != DEFAULT => {
                    assert!(self.worlds.delete(&name));
                    self.expected[world].is_over = true;
                }
                2 | 3 => {
                    self.worlds.reset(&name).unwrap();
                    self.expected[world].is_over = true;
                    self.begin_world(&name);
                }
                4 => {
                    let mut new = World::new(7);
                    let bio = format!("put {number}");
                    new.account_mut("demo")
                        .unwrap()
                        .profile
                        .bio
                        .clone_from(&bio);
                    service.replace(new).unwrap();
                    self.expected[world].bio = bio;
                }
                5 => {
                    service.clear_violations();
                    self.expected[world].violations = 0;
                }
                6 => {
                    service.journal.clear();
                    self.expected[world].entries = 0;
                }
                7..11 if held > 0 => {
                    let place = self.pick(held);
                    self.release(place);
                }
                11 if held > 0 => {
                    let place = self.pick(held);
                    self.abandon(place);
                }
                _ => self.begin_request(world, number),
            }
        }

        /// Begins a request in a world: it is only planned, received, handled, or answered.
        fn begin_request(&mut self, world: usize, number: usize) {
            let bio = (self.pick(3) > 0).then(|| format!("bio {number}"));
            let body = match &bio {
                Some(bio) => format!(r#"{{"bio": "{bio}"}}"#),
                None => r#"{"nickname": 1}"#.to_owned(),
            };
            let path = format!("/worlds/{}/api/v1/me/profile", self.expected[world].name);
            let mut request = Request::new("PATCH", &path)
                .header(
                    "Authorization",
                    format!("Bearer {}", World::new(7).keys().all),
                )
                .header("Content-Type", "application/json")
                .body(body);
            let service = self.worlds.route(&mut request).unwrap();
            let stage = self.pick(4) as u64;
            let delay = FaultRule::new(Fault::delay(Duration::from_secs(3600))).times(1);
            if stage != 3 {
                let delay = if stage == 2 {
                    delay.after_write()
                } else {
                    delay
                };
                service.add_faults(vec![delay]).unwrap();
            }
            let exchange = Exchange::plan(service, &request);
            let mut held = Held {
                exchange,
                request,
                stage,
                bio,
                world,
            };
            match stage {
                0 => {}
                1 => {
                    held.exchange.receive(&held.request);
                    self.expected[world].entries += 1;
                }
                _ => self.handle(&mut held),
            }
            if stage != 3 {
                self.held.push(held);
            }
        }

        fn handle(&mut self, held: &mut Held) {
            let expected = &mut self.expected[held.world];
            let (planned, _) = held.exchange.handle(held.request.clone());
            let status = if held.bio.is_some() { 200 } else { 422 };
            assert_eq!(planned.code, status);
            expected.calls += 1;
            match &held.bio {
                Some(bio) => expected.bio.clone_from(bio),
                None => expected.violations += 1,
            }
            expected.entries += usize::from(held.stage != 1);
        }

        fn release(&mut self, place: usize) {
            let mut held = self.held.swap_remove(place);
            match held.stage {
                2 => held
                    .exchange
                    .conclude(&PlannedReply::new(Reply::empty(200))),
                _ => self.handle(&mut held),
            }
        }

        fn abandon(&mut self, place: usize) {
            let held = self.held.swap_remove(place);
            if held.stage == 1 {
                let expected = &mut self.expected[held.world];
                expected.calls += 1;
                expected.violations += u64::from(held.bio.is_none());
            }
        }

        fn check(&self) {
            for one in self.expected.iter().filter(|one| !one.is_over) {
                let service = self.worlds.find(&one.name).unwrap();
                let world = service.store.world().unwrap();
                assert_eq!(world.account("demo").unwrap().profile.bio, one.bio);
                assert_eq!(counts(&service.report()), (one.violations, one.calls));
                assert_eq!(service.journal.requests().len(), one.entries);
            }
            let sum = |part: fn(&Expected) -> u64| self.expected.iter().map(part).sum::<u64>();
            let sums = (sum(|one| one.violations), sum(|one| one.calls));
            assert_eq!(counts(&self.worlds.report()), sums);
        }

        /// Checks that the archive has all requests that were not cleared.
        fn check_archive(&self) {
            let archive = self.worlds.har("http://mock");
            let archived = archive["log"]["entries"].as_array().unwrap().len();
            assert_eq!(
                archived,
                self.expected.iter().map(|one| one.entries).sum::<usize>()
            );
        }
    }

    fn counts(report: &Report) -> (u64, u64) {
        let calls = report.coverage.endpoint(Endpoint::EditProfile).calls;
        (report.rules().map(|rule| rule.count).sum(), calls)
    }

    #[tokio::test]
    async fn a_reset_cancels_a_late_request() {
        let worlds = Worlds::in_memory(World::new(7));
        let late = FaultRule::new(Fault::status(503)).late_write(Duration::ZERO);
        worlds.default().add_faults(vec![late]).unwrap();
        let request = Request::new("DELETE", "/api/v1/me/links/link_1")
            .header("Authorization", format!("Bearer {}", worlds.keys().all));
        let mut exchange = Exchange::plan(worlds.default(), &request);
        let (planned, _) = exchange.handle(request);
        let ended = exchange.service.ended.started();
        let (_, carry_out) = exchange.take_late(&planned).unwrap();
        worlds.reset(DEFAULT).unwrap();
        ended.await;
        // It is carried out only in the world before.
        carry_out();
        assert_eq!(worlds.default().store.world().unwrap(), World::new(7));
    }

    #[test]
    fn what_is_under_way_ends_in_the_world_in_which_it_began() {
        let directory = tempfile::tempdir().unwrap();
        for seed in 0..80 {
            let worlds = match seed % 10 {
                0 => {
                    let file = StateFile::new(directory.path().join(seed.to_string()));
                    Worlds::in_file(file, World::new(7)).unwrap()
                }
                _ => Worlds::in_memory(World::new(7)),
            };
            worlds.keep_requests();
            let random = SeededHash::new(seed);
            let (expected, held) = (Vec::new(), Vec::new());
            let mut model = Model {
                worlds,
                expected,
                held,
                random,
            };
            model.begin_world(DEFAULT);
            for number in 0..60 {
                model.step(number);
                model.check();
            }
            model.check_archive();
        }
    }
}
