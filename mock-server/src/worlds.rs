//! The worlds of one process, and their names in URLs and keys.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use crate::engine::{
    self, ActiveKeys, Dialect, Keys, Report, Request, SeededHash, World, bearer_token,
};
use crate::faults::FaultRule;
use crate::input::InvalidInput;
use crate::journal::{JournalLimits, archive};
use crate::mutants::Mutant;
use crate::service::{Cors, Service, StateError, StateFile};

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
/// assert_eq!(worlds.keys(), &World::new(7).keys());
/// ```
#[derive(Debug)]
pub struct Worlds {
    default: Arc<Service>,
    others: RwLock<Others>,
    /// The fault rules of new worlds.
    faults: Vec<FaultRule>,
}

#[derive(Debug, Default)]
struct Others {
    services: BTreeMap<String, Arc<Service>>,
    /// The number of worlds ever created, so that names are unique.
    created: u64,
    /// The number of seeds ever chosen.
    seeds: u64,
    /// The report of deleted worlds.
    deleted: Report,
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
    /// Returns [`StateError`] if the file cannot be used or contains an invalid world. The file is
    /// not changed.
    pub fn in_file(file: StateFile, new_world: World) -> Result<Self, StateError> {
        let path = file.path().to_owned();
        let service = Service::in_file(file, new_world)?;
        match engine::check(&mut service.initial.clone()) {
            Ok(()) => Ok(Self::new(service)),
            Err(reason) => Err(StateError::Damaged {
                path,
                reason: reason.to_string(),
            }),
        }
    }

    /// Returns the keys of `demo` in the world `default`.
    pub fn keys(&self) -> &Keys {
        &self.default.keys
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
    pub fn set_cors(&mut self, origin: &str) -> Result<(), InvalidInput> {
        self.default_mut().cors = Some(Cors::new(origin)?);
        Ok(())
    }

    pub(crate) fn cors(&self) -> Option<&Cors> {
        self.default.cors.as_ref()
    }

    fn default_mut(&mut self) -> &mut Service {
        let service = Arc::get_mut(&mut self.default);
        service.expect("the worlds are not shared before they are served")
    }

    /// Adds fault rules to the world `default`, and to each world that is created later. If one is
    /// invalid, none is added.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidInput`] for the first invalid rule.
    pub fn add_faults(&mut self, rules: Vec<FaultRule>) -> Result<(), InvalidInput> {
        self.default.add_faults(rules.clone())?;
        self.faults.extend(rules);
        Ok(())
    }

    /// Returns the report of all worlds together, including deleted worlds and what a reset cleared.
    pub fn report(&self) -> Report {
        let mut all = self.default.full_report();
        let others = self.others.read().unwrap_or_else(PoisonError::into_inner);
        all.merge(&others.deleted);
        for service in others.services.values() {
            all.merge(&service.full_report());
        }
        all
    }

    /// Returns the journals of all worlds as an HTTP Archive (HAR 1.2).
    pub fn har(&self) -> String {
        let names = self.names().into_iter();
        let journals = names.filter_map(|name| {
            let service = self.find(&name)?;
            Some((name, service.journal.requests()))
        });
        let archive = archive(&journals.collect::<Vec<_>>());
        format!("{archive:#}")
    }

    /// Sets the limits of the journal of `default`, which new worlds have too.
    pub fn set_journal_limits(&self, limits: JournalLimits) {
        self.default.journal.set_limits(limits);
    }

    /// Returns the initial dialect of `default`, which new worlds have by default.
    pub(crate) fn initial_dialect(&self) -> &Dialect {
        self.default.initial.dialect()
    }

    fn new(default: Service) -> Self {
        Self {
            default: Arc::new(default),
            others: RwLock::default(),
            faults: Vec::new(),
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
        let Some((world, rest)) = rest.and_then(|rest| rest.split_once('/')) else {
            let service = self.route_by_key(request);
            return Ok(service.unwrap_or_else(|| self.default.clone()));
        };
        let (world, path) = (world.to_owned(), format!("/{rest}"));
        let Some(service) = self.find(&world) else {
            return Err(world);
        };
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
        let service = self.other(world)?;
        *header = format!("Bearer {key}");
        Some(service)
    }

    /// Returns the service of the world with this name.
    pub(crate) fn find(&self, name: &str) -> Option<Arc<Service>> {
        match name {
            DEFAULT => Some(self.default.clone()),
            other => self.other(other),
        }
    }

    fn other(&self, name: &str) -> Option<Arc<Service>> {
        let others = self.others.read().unwrap_or_else(PoisonError::into_inner);
        others.services.get(name).cloned()
    }

    /// Returns a seed for a new world, which depends on the seed of `default` and the number of earlier
    /// seeds. It has at most 53 bits, so that clients in JavaScript read it exactly.
    pub(crate) fn next_seed(&self) -> u64 {
        let mut others = self.others.write().unwrap_or_else(PoisonError::into_inner);
        others.seeds += 1;
        let seed = SeededHash::new(self.default.initial.seed()).mix_str("world");
        seed.mix(others.seeds).value() >> 11
    }

    /// Adds a world in memory and returns its name. It has the journal limits and origins of
    /// `default`.
    pub(crate) fn create(&self, world: World) -> String {
        let mut service = Service::in_memory(world);
        service.journal.set_limits(self.default.journal.limits());
        service.cors = self.default.cors.clone();
        service.mutant = self.default.mutant;
        let added = service.add_faults(self.faults.clone());
        added.expect("the rules were validated when they were added");
        let service = Arc::new(service);
        let mut others = self.others.write().unwrap_or_else(PoisonError::into_inner);
        others.created += 1;
        let name = format!("w{}", others.created);
        others.services.insert(name.clone(), service);
        name
    }

    /// Returns the names of all worlds: `default`, then the others in the order of their creation.
    pub(crate) fn names(&self) -> Vec<String> {
        let others = self.others.read().unwrap_or_else(PoisonError::into_inner);
        let mut names: Vec<_> = others.services.keys().cloned().collect();
        // The sort is stable and puts `w10` after `w9`.
        names.sort_by_key(|name| name.len());
        names.insert(0, DEFAULT.to_owned());
        names
    }

    /// Deletes a world and returns `true` if it existed. Requests in progress are completed.
    pub(crate) fn delete(&self, name: &str) -> bool {
        let mut others = self.others.write().unwrap_or_else(PoisonError::into_inner);
        let removed = others.services.remove(name);
        if let Some(service) = &removed {
            service.closed.start();
            others.deleted.merge(&service.full_report());
        }
        removed.is_some()
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
    use super::*;
    use crate::worlds::qualified_key;

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
                .transact(|world| (world.remove_key(plain_key(name, &key)), true))
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
}
