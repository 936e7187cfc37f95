//! Properties of export and apply, against the reference service without a socket.

use mock_server::dialect::{Ids, WriteResponses};
use mock_server::{Dialect, Request, World, handle};
use profile_sdk::{ApiKey, Client, LinkId, LinkUrl, NewLink, Profile, ProfileField, ProfileUpdate};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::{Strategy, any, prop_assert_eq, proptest};
use proptest::sample::select;
use proptest::test_runner::{Config, RngSeed, TestCaseError};

use super::executor::{Job, Service, Unsuccessful};
use super::plan::Step;
use super::{FileLink, Owner, ProfileFile};
use crate::outcome::failure::{Failure, FailureKind};

const SERVICE: &str = "http://127.0.0.1:1";
const HANDLE: &str = "demo";

/// A fault of one request.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fault {
    None,
    /// The request does not arrive, and the client knows it.
    NotSent,
    /// The request does not arrive, or fails, and the client does not know.
    LostRequest,
    /// The request is carried out, and its response is lost.
    LostResponse,
}

/// A service without a socket, with faults for its next requests.
#[derive(Debug)]
struct Remote {
    world: World,
    client: Client,
    faults: Vec<Fault>,
    writes: usize,
}

impl Remote {
    fn new(links: &[(String, String)], fields: [&str; 2], dialect: Dialect) -> Self {
        let mut world = World::new(0);
        world.set_dialect(dialect);
        let account = world.account_mut(HANDLE).expect("the owner");
        account.links.clear();
        account.profile.display_name = fields[0].to_owned();
        account.profile.bio = fields[1].to_owned();
        for (title, url) in links {
            world.add_link(HANDLE, title, url).expect("the owner");
        }
        let key = ApiKey::new(world.keys().all.clone()).expect("a key");
        let client = Client::builder().base_url(SERVICE).api_key(key);
        let client = client.build().expect("a client");
        Self {
            client,
            world,
            faults: Vec::new(),
            writes: 0,
        }
    }

    /// Returns the titles and URLs of the links, sorted.
    fn links(&self) -> Vec<(String, String)> {
        let account = self.world.account(HANDLE).expect("the owner");
        let links = account.links.iter();
        let mut links: Vec<_> = links
            .map(|link| (link.title.clone(), link.url.clone()))
            .collect();
        links.sort();
        links
    }

    fn handle(&mut self, request: &profile_sdk::Request) -> Result<Vec<u8>, Unsuccessful> {
        let fault = match self.faults.is_empty() {
            true => Fault::None,
            false => self.faults.remove(0),
        };
        let unsuccessful = |is_unclear| Unsuccessful {
            failure: Box::new(Failure::new(FailureKind::NoResponse, format!("{fault:?}"))),
            is_unclear,
        };
        match fault {
            Fault::NotSent => return Err(unsuccessful(false)),
            Fault::LostRequest => return Err(unsuccessful(true)),
            Fault::None | Fault::LostResponse => {}
        }
        let key = self.world.keys().all;
        let sent = Request::new(request.method().as_str(), request.path())
            .header("Authorization", format!("Bearer {key}"))
            .header("Content-Type", "application/json")
            .body(request.body().unwrap_or_default());
        self.writes += usize::from(request.method().is_write());
        let reply = handle(&mut self.world, &sent);
        let is_success = matches!(reply.status, 200..=299);
        match (is_success, reply.status, fault) {
            (_, _, Fault::LostResponse) => Err(unsuccessful(true)),
            (true, ..) => Ok(reply.body),
            (_, 404, _) => Err(unsuccessful(true)),
            (_, status, _) => panic!("{request:?} was answered with {status}"),
        }
    }
}

impl Service for Remote {
    fn read(&mut self) -> Result<Profile, Failure> {
        let call = self.client.me();
        let request = call.request().expect("a request").clone();
        let body = self.handle(&request).map_err(|error| *error.failure)?;
        let mut body: serde_json::Value = serde_json::from_slice(&body).expect("JSON");
        Ok(serde_json::from_value(body["data"].take()).expect("a profile"))
    }

    fn send(&mut self, step: &Step) -> Result<(), Unsuccessful> {
        let request = step.request(&self.client)?;
        self.handle(&request).map(drop)
    }
}

/// Few different titles and URLs, so that links are often alike.
fn any_link() -> impl Strategy<Value = (String, String)> {
    let title = select(vec!["a", "b", "c", "", "two\nlines \"quoted\""]);
    let url = select(vec!["https://x", "https://y", "x:y", "https://x/\u{e9} ?"]);
    (title, url).prop_map(|(title, url)| (title.to_owned(), url.to_owned()))
}

fn any_links() -> impl Strategy<Value = Vec<(String, String)>> {
    vec(any_link(), 0..5)
}

fn any_text() -> impl Strategy<Value = &'static str> {
    select(vec!["", "a", "b\n\tc ", "\"\"\" \\ \u{1f680}"])
}

fn any_dialect() -> impl Strategy<Value = Dialect> {
    let ids = select(vec![Ids::String, Ids::Integer, Ids::Uuid]);
    let responses = select(vec![
        WriteResponses::Resource,
        WriteResponses::EmptyData,
        WriteResponses::NoContent,
    ]);
    (ids, responses).prop_map(|(ids, write_responses)| {
        let mut dialect = Dialect::default();
        dialect.ids = ids;
        dialect.write_responses = write_responses;
        dialect
    })
}

fn any_file() -> impl Strategy<Value = ProfileFile> {
    let source = select(vec![None, Some(HANDLE), Some("grace")]);
    let id = option::of(select(vec!["link_1", "link_4", "link_5", "5", "6"]));
    let links = option::of(vec((id, any_link()), 0..5));
    let fields = option::of((any_text(), any_text()));
    (source, links, fields).prop_map(|(handle, links, fields)| {
        let mut update = ProfileUpdate::new();
        if let Some((name, bio)) = fields {
            update.set(ProfileField::DisplayName, name).expect("a name");
            update.set(ProfileField::Bio, bio).expect("a bio");
        }
        let mut seen = Vec::new();
        let links = links.map(|links| {
            let links = links.into_iter().map(|(id, (title, url))| {
                let id = id.filter(|id| !seen.contains(id));
                seen.extend(id);
                let url = LinkUrl::new(url).expect("a URL");
                FileLink {
                    id: id.map(|id| LinkId::new(id).expect("an ID")),
                    link: NewLink::new(title, url),
                }
            });
            links.collect()
        });
        ProfileFile {
            source: handle.map(|handle| Owner {
                service: SERVICE.to_owned(),
                handle: Some(handle.to_owned()),
            }),
            fields: update,
            links,
        }
    })
}

fn any_remote() -> impl Strategy<Value = Remote> {
    (any_links(), any_text(), any_text(), any_dialect())
        .prop_map(|(links, name, bio, dialect)| Remote::new(&links, [name, bio], dialect))
}

fn any_fault() -> impl Strategy<Value = Fault> {
    select(vec![
        Fault::None,
        Fault::None,
        Fault::NotSent,
        Fault::LostRequest,
        Fault::LostResponse,
    ])
}

fn config() -> Config {
    Config {
        cases: 1000,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(0),
        ..Config::default()
    }
}

/// Plans and applies, as one run of the program.
fn apply(file: &ProfileFile, prune: bool, remote: &mut Remote) -> Result<(), Failure> {
    let job = Job {
        file,
        service: SERVICE,
        prune,
    };
    let plan = job.plan(&remote.read()?)?;
    job.carry_out(&plan.steps, remote, |_| {})
}

/// Checks that the profile has the fields of the file, and that another run sends nothing.
fn check_converged(
    file: &ProfileFile,
    prune: bool,
    remote: &mut Remote,
) -> Result<(), TestCaseError> {
    let profile = remote.read().expect("a profile");
    for field in ProfileField::ALL {
        if let Some(text) = file.fields.get(*field) {
            prop_assert_eq!(profile.get(*field).unwrap_or_default(), text);
        }
    }
    let writes = remote.writes;
    apply(file, prune, remote).expect("nothing to do");
    prop_assert_eq!(remote.writes, writes);
    Ok(())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn applying_an_export_sends_nothing(mut remote in any_remote(), prune in any::<bool>()) {
        let profile = remote.read().expect("a profile");
        let (written, warnings) = ProfileFile::of(&profile, SERVICE);
        prop_assert_eq!(warnings, Vec::<String>::new());
        let file = ProfileFile::parse("a file", &written.to_toml()).expect("a file");
        prop_assert_eq!(&file, &written);
        apply(&file, prune, &mut remote).expect("nothing to do");
        prop_assert_eq!(remote.writes, 0);
    }

    #[test]
    fn applying_converges(
        mut remote in any_remote(),
        file in any_file(),
        prune in any::<bool>(),
    ) {
        let before = remote.links();
        if apply(&file, prune, &mut remote).is_err() {
            // The matches are ambiguous.
            prop_assert_eq!(remote.writes, 0);
            return Ok(());
        }
        check_converged(&file, prune, &mut remote)?;
        let mut wanted: Vec<_> = match &file.links {
            None => before,
            Some(links) => {
                let texts = links.iter().map(|link| &link.link);
                texts.map(|link| (link.title.clone(), link.url.to_string())).collect()
            }
        };
        wanted.sort();
        let mut links = remote.links();
        if file.links.is_none() || prune {
            prop_assert_eq!(links, wanted);
        } else {
            for link in wanted {
                let index = links.iter().position(|other| *other == link);
                links.remove(index.expect("a link of the file"));
            }
        }
    }

    #[test]
    fn repeated_runs_converge_despite_faults(
        links in any_links(),
        dialect in any_dialect(),
        file in any_file(),
        prune in any::<bool>(),
        faults in vec(any_fault(), 0..20),
    ) {
        let mut expected = Remote::new(&links, ["x", "y"], dialect.clone());
        if apply(&file, prune, &mut expected).is_err() {
            return Ok(());
        }
        let mut remote = Remote::new(&links, ["x", "y"], dialect);
        remote.faults = faults;
        // Each failed run uses up a fault.
        let runs = (0..=20).find(|_| apply(&file, prune, &mut remote).is_ok());
        assert!(runs.is_some(), "it does not converge");
        remote.faults.clear();
        check_converged(&file, prune, &mut remote)?;
        prop_assert_eq!(remote.links(), expected.links());
    }
}
