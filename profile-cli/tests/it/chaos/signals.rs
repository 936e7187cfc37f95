//! Sends signals to random writes of the program under random faults, and compares what it says with the state and
//! the journal of the service.

use std::env;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use mock_server::journal::{RecordedRequest, RequestOutcome};
use mock_server::{Account, MockServer};
use serde_json::Value;

use super::expected_state::Outcome;
use super::faults::FaultSequence;
use super::random::Random;
use super::{SEED, SEED_VARIABLE};
use crate::program::{Fixture, Run, Running, Signal};

/// The number of runs, unless it is set in the environment.
const RUNS: usize = 150;
const RUNS_VARIABLE: &str = "PROFILE_CHAOS_RUNS";

/// Maximum time until a moment that does not come.
const PATIENCE: Duration = Duration::from_secs(20);
const POLL: Duration = Duration::from_micros(500);

/// A command that writes, and its changes in the order of their requests.
#[derive(Debug)]
struct Command {
    arguments: Vec<String>,
    editor: String,
    changes: Vec<Change>,
}

/// A change of the account `demo`.
#[derive(Debug)]
enum Change {
    Field(&'static str, String),
    NewLink(String),
    NewPost(String),
    Title(&'static str, String),
    NoLink(&'static str),
    NoPost(&'static str),
}

impl Change {
    /// Returns how often the state has the change.
    fn count(&self, account: &Account) -> usize {
        let titles = |wanted: &str| {
            let links = account.links.iter();
            links.filter(|link| link.title == wanted).count()
        };
        match self {
            Self::Field(field, value) => {
                let profile = serde_json::to_value(&account.profile).unwrap();
                usize::from(profile[*field] == **value)
            }
            Self::NewLink(title) | Self::Title(_, title) => titles(title),
            Self::NewPost(text) => {
                let posts = account.posts.iter();
                posts.filter(|post| post.body == *text).count()
            }
            Self::NoLink(id) => usize::from(account.links.iter().all(|link| link.id != *id)),
            Self::NoPost(id) => usize::from(account.posts.iter().all(|post| post.id != *id)),
        }
    }

    fn is_requested_by(&self, request: &RecordedRequest) -> bool {
        let (method, path) = match self {
            Self::Field(..) => ("PATCH", "profile".to_owned()),
            Self::NewLink(_) => ("POST", "links".to_owned()),
            Self::NewPost(_) => ("POST", "posts".to_owned()),
            Self::Title(id, _) => ("PATCH", format!("links/{id}")),
            Self::NoLink(id) => ("DELETE", format!("links/{id}")),
            Self::NoPost(id) => ("DELETE", format!("posts/{id}")),
        };
        request.method == method && request.path == format!("/api/v1/me/{path}")
    }

    /// Returns the name of the step of `apply`, and the ID of a deletion.
    fn name(&self) -> &str {
        match self {
            Self::Field(..) => "edit_profile",
            Self::NewLink(_) => "create_link",
            Self::Title(..) => "edit_link",
            Self::NoLink(id) | Self::NoPost(id) => id,
            Self::NewPost(_) => "",
        }
    }
}

impl Command {
    fn draw(number: usize, random: &mut Random, fixture: &Fixture) -> Self {
        let text = format!("run {number}");
        let url = "https://example.org/new";
        let mut editor = "true".to_owned();
        let (arguments, changes) = match random.below(10) {
            0 => (
                vec!["set", "--bio", &text],
                vec![Change::Field("bio", text.clone())],
            ),
            1 => {
                let script = format!(r#"s/^location = .*/location = "{text}"/"#);
                editor = format!("sed -i '{script}'");
                let change = Change::Field("location", text.clone());
                (vec!["edit"], vec![change])
            }
            2 => (
                vec!["link", "add", &text, url],
                vec![Change::NewLink(text.clone())],
            ),
            3 => (
                vec!["link", "edit", "link_1", "--title", &text],
                vec![Change::Title("link_1", text.clone())],
            ),
            4 => (
                vec!["link", "delete", "link_1", "link_2"],
                vec![Change::NoLink("link_1"), Change::NoLink("link_2")],
            ),
            5 => (
                vec!["post", "create", &text],
                vec![Change::NewPost(text.clone())],
            ),
            6 => (
                vec!["post", "delete", "post_3"],
                vec![Change::NoPost("post_3")],
            ),
            7 => (
                vec!["api", "-X", "POST", "me/posts", "-f", "body=run"],
                vec![Change::NewPost("run".to_owned())],
            ),
            prune => return Self::apply(&text, prune == 9, fixture),
        };
        Self {
            arguments: arguments.into_iter().map(str::to_owned).collect(),
            editor,
            changes,
        }
    }

    fn apply(text: &str, prunes: bool, fixture: &Fixture) -> Self {
        let file = format!(
            "[profile]\nlocation = \"{text}\"\n\
             [[links]]\ntitle = \"{text}, edited\"\nurl = \"https://example.com/demo\"\n\
             [[links]]\ntitle = \"{text}\"\nurl = \"https://example.org/new\"\n"
        );
        let path = fixture.file("new.toml", file);
        let mut changes = vec![
            Change::Field("location", text.to_owned()),
            Change::Title("link_1", format!("{text}, edited")),
            Change::NewLink(text.to_owned()),
        ];
        let mut arguments = vec!["apply".to_owned(), path];
        if prunes {
            arguments.push("--prune".to_owned());
            changes.push(Change::NoLink("link_2"));
        }
        Self {
            arguments,
            editor: "true".to_owned(),
            changes,
        }
    }

    /// Returns the outcome of each change that the program reports, or `None` where it ended without a word.
    fn reported(&self, run: &Run) -> Vec<Option<Outcome>> {
        let of_all = |outcome| self.changes.iter().map(|_| outcome).collect();
        let stderr = run.stderr();
        let last = stderr.lines().last().unwrap_or_default();
        let Ok(mut json) = serde_json::from_str::<Value>(last) else {
            // A result that was printed before the program ended by the signal.
            let is_done = run.succeeded() || !run.stdout_bytes().is_empty();
            return of_all(is_done.then_some(Outcome::Done));
        };
        let error = json["error"].take();
        let stdout: Value = serde_json::from_slice(run.stdout_bytes()).unwrap_or_default();
        let names = |list: &Value, key| -> Vec<String> {
            let listed = list.as_array().into_iter().flatten();
            let name = |item: &Value| match &item[key] {
                Value::String(id) if item["step"] == "delete_link" => id.clone(),
                _ => item[key].as_str().unwrap_or_default().to_owned(),
            };
            listed.map(name).collect()
        };
        let is_in = |list: &[String], change: &Change| list.iter().any(|it| it == change.name());
        if self.arguments[0] == "apply" && stdout.get("not_done").is_some() {
            let key = |step: &Value| match step["step"].as_str() {
                Some("delete_link") => step["id"].as_str().unwrap().to_owned(),
                name => name.unwrap_or_default().to_owned(),
            };
            let keys =
                |list: &Value| -> Vec<_> { list.as_array().unwrap().iter().map(key).collect() };
            let [done, not_done] = ["done", "not_done"].map(|list| keys(&stdout[list]));
            let unknown = [key(&stdout["unknown"])];
            let outcome = |change: &Change| match change {
                _ if is_in(&done, change) => Some(Outcome::Done),
                _ if is_in(&unknown, change) => Some(Outcome::Unknown),
                _ if is_in(&not_done, change) => Some(Outcome::NotDone),
                _ => None,
            };
            return self.changes.iter().map(outcome).collect();
        }
        let deleted = names(&stdout, "id");
        let mut failures = vec![&error];
        failures.extend(error["failures"].as_array().into_iter().flatten());
        let outcome = |change: &Change| {
            if is_in(&deleted, change) {
                return Some(Outcome::Done);
            }
            let about = |failure: &&&Value| failure["id"] == change.name();
            let failure = failures.iter().find(about).unwrap_or(&failures[0]);
            match failure["outcome"].as_str() {
                Some("done") => Some(Outcome::Done),
                Some("not_done") => Some(Outcome::NotDone),
                Some("unknown") => Some(Outcome::Unknown),
                _ => None,
            }
        };
        self.changes.iter().map(outcome).collect()
    }
}

/// The moment of a signal.
#[derive(Debug)]
enum Moment {
    /// The service has received this many requests.
    Request(usize),
    /// The program has begun this many waits before another attempt.
    Wait(usize),
    /// After this time.
    Clock(Duration),
}

impl Moment {
    fn draw(random: &mut Random) -> Self {
        match random.below(20) {
            0..2 => Self::Clock(Duration::from_millis(random.below(300) as u64)),
            2..6 => Self::Wait(1 + random.below(2)),
            _ => Self::Request(1 + random.below(7)),
        }
    }

    /// Waits for the moment, or until the program ends. Returns what it read from stderr.
    fn comes(&self, running: &mut Running, fixture: &Fixture) -> String {
        let mut read = String::new();
        let started = Instant::now();
        let mut until = |is_reached: &dyn Fn() -> bool| {
            while !is_reached() && !running.has_ended() && started.elapsed() < PATIENCE {
                thread::sleep(POLL);
            }
        };
        match self {
            Self::Request(count) => until(&|| fixture.service.journal().requests().len() >= *count),
            Self::Clock(time) => until(&|| started.elapsed() >= *time),
            Self::Wait(count) => {
                let mut waits = 0;
                while waits < *count {
                    let line = running.stderr_line();
                    if line.is_empty() {
                        break;
                    }
                    waits += usize::from(line.ends_with("before the next attempt"));
                    read += &(line + "\n");
                }
            }
        }
        read
    }
}

/// The numbers of outcomes of all runs.
#[derive(Debug, Default)]
struct Tally {
    done: usize,
    not_done: usize,
    unknown: usize,
    silent: usize,
    twice: usize,
    /// Deletions that are unknown although the service has not received their requests.
    connecting: usize,
}

#[test]
fn what_is_said_after_a_signal_is_true() {
    let number = |name| env::var(name).map(|text| text.parse::<u64>().expect("a number"));
    let seed = number(SEED_VARIABLE).unwrap_or(SEED);
    let runs = number(RUNS_VARIABLE).map_or(RUNS, |runs| usize::try_from(runs).unwrap());
    let mut random = Random::new(seed);
    let mut tally = Tally::default();
    for number in 1..=runs {
        if let Err(problem) = run_once(number, &mut random, &mut tally) {
            panic!("{SEED_VARIABLE}={seed}, run {number}: {problem}");
        }
    }
    let frequent = [
        tally.done,
        tally.not_done,
        tally.unknown,
        tally.silent,
        tally.twice,
    ];
    assert!(
        frequent.iter().all(|count| *count >= runs / 30),
        "{tally:?}"
    );
}

fn run_once(number: usize, random: &mut Random, tally: &mut Tally) -> Result<(), String> {
    let service = MockServer::builder().seed(7).start_blocking().unwrap();
    let fixture = Fixture::of(service);
    let command = Command::draw(number, random, &fixture);
    let faults = FaultSequence::draw(random);
    let skip = random.below(4) as u64;
    for rule in faults.rules() {
        fixture.service.add_fault(rule.skip(skip)).unwrap();
    }
    let signals = [Signal::INT, Signal::TERM, Signal::HUP, Signal::QUIT];
    let draw_signal = |random: &mut Random| signals[random.below(signals.len())];
    let (moment, signal) = (Moment::draw(random), draw_signal(random));
    let second = (random.below(5) == 0).then(|| draw_signal(random));
    let timeout = if faults.is_slow() { "0.2" } else { "30" };
    let options = [
        "--json",
        "--yes",
        "--retries",
        "1",
        "-vv",
        "--timeout",
        timeout,
    ];
    let program = fixture.program(&options).env("EDITOR", &command.editor);
    let mut running = command
        .arguments
        .iter()
        .fold(program, |it, word| it.argument(word))
        .start();
    let read = moment.comes(&mut running, &fixture);
    for signal in [Some(signal), second].into_iter().flatten() {
        if !running.has_ended() {
            running.signal(signal);
        }
    }
    let run = running.end().after("", &read);
    settle(&fixture);
    compare(&command, &run, &fixture, second.is_some(), tally).map_err(|problem| {
        let requests = fixture.service.journal().requests();
        let request = |it: &RecordedRequest| {
            format!("{} {} {:?} {:?}", it.method, it.path, it.status, it.fault)
        };
        let journal: Vec<_> = requests.iter().map(request).collect();
        format!(
            "{problem}; {command:?} under {faults:?} after {skip}, {signal:?} and {second:?} at \
             {moment:?}:\n{run}\n{journal:#?}"
        )
    })
}

/// Waits until the service has read what a program that has ended has sent: it accepts and reads connections in their
/// order.
fn settle(fixture: &Fixture) {
    fixture.service.clear_faults();
    let address = fixture.service.uri().strip_prefix("http://").unwrap();
    for _ in 0..2 {
        let mut connection = TcpStream::connect(address).unwrap();
        let request = "GET /api/v1/stats HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        connection.write_all(request.as_bytes()).unwrap();
        connection.read_to_end(&mut Vec::new()).unwrap();
    }
    let started = Instant::now();
    let is_delayed = |request: &RecordedRequest| request.outcome == RequestOutcome::Delayed;
    while fixture.service.journal().requests().iter().any(is_delayed)
        && started.elapsed() < PATIENCE
    {
        thread::sleep(POLL);
    }
}

/// Compares what the program said with the state and the journal. After two signals, it may have said nothing.
fn compare(
    command: &Command,
    run: &Run,
    fixture: &Fixture,
    has_second: bool,
    tally: &mut Tally,
) -> Result<(), String> {
    let world = fixture.service.world().unwrap();
    let account = world.account("demo").unwrap();
    let requests = fixture.service.journal().requests();
    let reported = command.reported(run);
    tally.twice += usize::from(has_second);
    for (change, reported) in command.changes.iter().zip(reported) {
        let count = change.count(account);
        let is_requested = requests
            .iter()
            .any(|request| change.is_requested_by(request));
        let is_true = match reported {
            _ if has_second => count == 0 || is_requested,
            Some(Outcome::Done) => count == 1,
            Some(Outcome::NotDone) => count == 0,
            Some(Outcome::Unknown) if matches!(change, Change::NoLink(_) | Change::NoPost(_)) => {
                tally.connecting += usize::from(!is_requested);
                true
            }
            Some(Outcome::Unknown) => is_requested,
            None => !is_requested,
        };
        if !is_true || count > 1 {
            return Err(format!("{change:?} is {reported:?}, found {count} times"));
        }
        match reported {
            Some(Outcome::Done) => tally.done += 1,
            Some(Outcome::NotDone) => tally.not_done += 1,
            Some(Outcome::Unknown) => tally.unknown += 1,
            None => tally.silent += 1,
        }
    }
    Ok(())
}
