//! Candidates for the values of arguments, which name them with `add`. Clap finds those of enums itself.

use std::sync::{OnceLock, mpsc};
use std::thread;
use std::time::Duration;

use clap::builder::PossibleValue;
use clap::{Command, FromArgMatches as _};
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};
use profile_sdk::{Profile, longest_start};
#[cfg(feature = "webhook")]
use webhook_verify::EventKind;

use crate::output::Output;
use crate::session::Session;
use crate::settings::{GlobalArguments, Key, Needs, SettingName, Settings};
use crate::terminal::{printable, redact_key};

/// Maximum time for the request, and for everything else that may block.
const TIMEOUT: Duration = Duration::from_secs(1);

/// Maximum number of characters of a title.
const MAX_TITLE: usize = 50;

/// The command line that is completed.
pub(super) static LINE: OnceLock<CommandLine> = OnceLock::new();

/// A value and its description, which may be empty.
type Candidate = (String, String);

/// Names of accounts.
pub(crate) fn accounts() -> ArgValueCandidates {
    candidates(known_accounts)
}

/// Names of settings.
pub(crate) fn settings() -> ArgValueCandidates {
    candidates(|_| {
        let candidate = |name: SettingName| (name.to_string(), name.help());
        SettingName::all().map(candidate).collect()
    })
}

/// Known values of the setting before the cursor.
pub(crate) fn setting_values() -> ArgValueCandidates {
    candidates(|line| {
        let name = line.before.last();
        let candidate = |value: PossibleValue| {
            let help = value.get_help().map(ToString::to_string);
            (value.get_name().to_owned(), help.unwrap_or_default())
        };
        match name.map(|name| SettingName::parse(name)) {
            Some(Ok(SettingName::Account)) => known_accounts(line),
            Some(Ok(name)) => name.known_values().into_iter().map(candidate).collect(),
            Some(Err(_)) | None => Vec::new(),
        }
    })
}

/// Known kinds of events.
#[cfg(feature = "webhook")]
pub(crate) fn event_kinds() -> ArgValueCandidates {
    candidates(|_| {
        let candidate = |kind: &EventKind| (kind.to_string(), String::new());
        EventKind::KNOWN.iter().map(candidate).collect()
    })
}

/// IDs of links, with their titles.
pub(crate) fn links() -> ArgValueCandidates {
    candidates(|line| {
        let links = line.profile().and_then(|profile| profile.links);
        let links = links.into_iter().flatten();
        line.items(links.filter_map(|link| Some((link.id?.to_string(), link.title))))
    })
}

/// IDs of posts, with their texts.
pub(crate) fn posts() -> ArgValueCandidates {
    candidates(|line| {
        let posts = line.profile().and_then(|profile| profile.posts);
        let posts = posts.into_iter().flatten();
        line.items(posts.filter_map(|post| Some((post.id?.to_string(), post.body))))
    })
}

fn candidates(find: fn(&CommandLine) -> Vec<Candidate>) -> ArgValueCandidates {
    ArgValueCandidates::new(move || {
        let found = LINE.get().map(find).unwrap_or_default();
        found.into_iter().filter_map(safe_candidate).collect()
    })
}

/// Returns the candidate, unless a shell might run a part of its value or take it for an option.
fn safe_candidate((value, description): Candidate) -> Option<CompletionCandidate> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._:@/+-".contains(c);
    if !value.chars().all(is_plain) || value.starts_with('-') {
        return None;
    }
    let description = printable(&description);
    let description = description.lines().next().unwrap_or_default();
    let description = (!description.is_empty()).then(|| description.replace('\t', " ").into());
    Some(CompletionCandidate::new(value).help(description))
}

fn known_accounts(line: &CommandLine) -> Vec<Candidate> {
    let Ok(settings) = Settings::load(&line.options(), Needs::File) else {
        return Vec::new();
    };
    let candidate = |name: String| {
        let base_url = settings.sources.config.base_url_of(&name).ok().flatten();
        let base_url = base_url.map(|url| url.to_string());
        (name, base_url.unwrap_or_default())
    };
    let accounts = settings.sources.config.accounts().into_iter();
    accounts.map(candidate).collect()
}

/// The words of a command line.
pub(super) struct CommandLine {
    pub(super) program: fn() -> Command,
    /// Those before the one that is completed.
    pub(super) before: Vec<String>,
    /// All, which bash passes as one text.
    pub(super) all: Vec<String>,
}

impl CommandLine {
    /// Returns the global options. The command may be incomplete.
    fn options(&self) -> GlobalArguments {
        let command = (self.program)().ignore_errors(true);
        let matches = command.try_get_matches_from(&self.before).ok();
        let options = matches.and_then(|found| GlobalArguments::from_arg_matches(&found).ok());
        options.unwrap_or_default()
    }

    /// Returns the profile, unless the key is missing, wrong or in a keyring, the service does not
    /// respond in time, or the line has a base URL, which may be incomplete, or another option that
    /// selects a service and is not among the parsed ones.
    fn profile(&self) -> Option<Profile> {
        let options = GlobalArguments {
            quiet: true,
            timeout: Some(TIMEOUT),
            retries: Some(0),
            ..self.options()
        };
        // clap drops the options after an invalid one, and the others may follow the cursor.
        let dropped = [
            ("--base-url", true),
            ("--account", options.account.is_none()),
            ("--sandbox", !options.sandbox),
        ];
        let has = |option: &str| self.all.iter().any(|line| line.contains(option));
        if dropped
            .iter()
            .any(|(option, is_dropped)| *is_dropped && has(option))
        {
            return None;
        }
        let (sender, receiver) = mpsc::channel();
        // Reading the key may block if its file is a pipe or a terminal. The receiver may have timed out.
        thread::spawn(move || drop(sender.send(read_profile(&options))));
        receiver.recv_timeout(TIMEOUT).ok()?
    }

    /// Returns the candidates for IDs with titles, except those that the line has already.
    fn items(&self, items: impl Iterator<Item = (String, Option<String>)>) -> Vec<Candidate> {
        let items = items.map(|(id, title)| {
            let title = title.unwrap_or_default();
            let fits = |start: &str| start.chars().count() <= MAX_TITLE;
            let title = longest_start(&title, fits).to_owned();
            (redact_key(&id).into_owned(), title)
        });
        let is_new = |(id, _): &Candidate| self.before.iter().all(|word| word != id);
        items.filter(is_new).collect()
    }
}

fn read_profile(options: &GlobalArguments) -> Option<Profile> {
    let settings = Settings::load(options, Needs::Reads).ok()?;
    let output = Output::new(options, &settings, Needs::Reads).ok()?;
    // A keyring might ask for a password.
    if !settings.sandbox && Key::is_in_keyring(&settings).ok()? {
        return None;
    }
    let session = Session::new(settings, &output, &[]);
    let profile = session.read(session.client().ok()?.me()).ok()?;
    Some(profile.into_data())
}
