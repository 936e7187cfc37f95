//! The arguments whose values are completed, and the candidates for them.

use std::ffi::OsString;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use clap::builder::PossibleValue;
use clap::{Command, FromArgMatches as _, ValueHint};
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};
use profile_sdk::Profile;
#[cfg(feature = "webhook")]
use webhook_verify::EventKind;

use crate::output::Output;
use crate::session::Session;
use crate::settings::{
    GlobalArguments, Key, RequiredSettings, SettingName, Settings, without_credentials,
};
use crate::terminal::printable::{printable, redact_key};

/// A value and its description, which may be empty.
type Candidate = (String, String);

/// The subcommands before an argument, its name, and the candidates for its value.
type Row = (
    &'static [&'static str],
    &'static str,
    fn(&EnteredWords) -> Vec<Candidate>,
);

/// The arguments for which clap does not find the candidates itself, as it does for enums.
const ARGUMENTS: &[Row] = &[
    (&["auth", "switch"], "name", accounts),
    (&["config", "get"], "name", settings),
    (&["config", "set"], "name", settings),
    (&["config", "set"], "value", setting_values),
    (&["config", "unset"], "name", settings),
    (&["link", "edit"], "id", links),
    (&["link", "delete"], "ids", links),
    (&["post", "delete"], "ids", posts),
    #[cfg(feature = "webhook")]
    (&["webhook", "send"], "kind", event_kinds),
    #[cfg(feature = "webhook")]
    (&["webhook", "verify"], "event", event_kinds),
];

/// Adds the candidates to the arguments.
pub(super) fn add_to(program: Command, entered: &Arc<EnteredWords>) -> Command {
    let add = |program, &(path, argument, candidates): &Row| {
        let entered = Arc::clone(entered);
        let safe = move || {
            let candidates = candidates(&entered).into_iter();
            candidates.filter_map(safe_candidate).collect()
        };
        let candidates = ArgValueCandidates::new(safe);
        change(program, path, &|command| {
            command.mut_arg(argument, |argument| argument.add(candidates.clone()))
        })
    };
    let mut program = add(program, &(&[], "account", accounts));
    // Adds the arguments of the subcommands, --help and the global options.
    program.build();
    without_files(ARGUMENTS.iter().fold(program, add))
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

/// Leaves file names to the shell, which quotes them.
fn without_files(command: Command) -> Command {
    let command = command.mut_args(|argument| match argument.get_value_hint() {
        ValueHint::AnyPath => argument.value_hint(ValueHint::Other),
        _ => argument,
    });
    command.mut_subcommands(without_files)
}

fn change(command: Command, path: &[&str], apply: &dyn Fn(Command) -> Command) -> Command {
    match path {
        [] => apply(command),
        [first, rest @ ..] => command.mut_subcommand(first, |command| change(command, rest, apply)),
    }
}

fn accounts(entered: &EnteredWords) -> Vec<Candidate> {
    let Ok(settings) = Settings::load(&entered.options(), RequiredSettings::File) else {
        return Vec::new();
    };
    let candidate = |name: String| {
        let base_url = settings.config.account_text(&name, "base_url");
        let base_url = base_url.ok().flatten().unwrap_or_default();
        (name, without_credentials(&base_url))
    };
    let accounts = settings.config.accounts().into_iter();
    accounts.map(candidate).collect()
}

fn settings(_: &EnteredWords) -> Vec<Candidate> {
    SettingName::all()
        .map(|name| (name.to_string(), name.help()))
        .collect()
}

/// Returns the known values of the setting before the cursor.
fn setting_values(entered: &EnteredWords) -> Vec<Candidate> {
    let name = entered.complete.last().and_then(|name| name.to_str());
    let candidate = |value: PossibleValue| {
        let help = value.get_help().map(ToString::to_string);
        (value.get_name().to_owned(), help.unwrap_or_default())
    };
    match name.map(SettingName::parse) {
        Some(Ok(SettingName::Account)) => accounts(entered),
        Some(Ok(name)) => name.known_values().into_iter().map(candidate).collect(),
        _ => Vec::new(),
    }
}

#[cfg(feature = "webhook")]
fn event_kinds(_: &EnteredWords) -> Vec<Candidate> {
    let kinds = EventKind::KNOWN.iter();
    kinds
        .map(|kind| (kind.to_string(), String::new()))
        .collect()
}

fn links(entered: &EnteredWords) -> Vec<Candidate> {
    items(ItemIds::find(entered).map(|items| items.links), entered)
}

fn posts(entered: &EnteredWords) -> Vec<Candidate> {
    items(ItemIds::find(entered).map(|items| items.posts), entered)
}

/// Returns the items that are not entered yet.
fn items(items: Option<Vec<Item>>, entered: &EnteredWords) -> Vec<Candidate> {
    let is_entered = |id: &str| entered.complete.iter().any(|word| word == id);
    let items = items.unwrap_or_default().into_iter();
    items.filter(|(id, _)| !is_entered(id)).collect()
}

/// Maximum time for the request, and for everything else that may block.
const TIMEOUT: Duration = Duration::from_secs(1);

/// Maximum number of characters of a title.
const MAX_TITLE: usize = 50;

/// An ID with the title.
pub(super) type Item = (String, String);

/// The IDs of the links and posts.
pub(super) struct ItemIds {
    pub(super) links: Vec<Item>,
    pub(super) posts: Vec<Item>,
}

impl ItemIds {
    /// Returns the IDs, unless the key is missing, wrong or in a keyring, the service does not
    /// respond in time, or the line has a base URL, which may be incomplete: the key is not sent
    /// there.
    pub(super) fn find(entered: &EnteredWords) -> Option<Self> {
        let options = GlobalArguments {
            quiet: true,
            curl: false,
            timeout: Some(TIMEOUT),
            retries: Some(0),
            ..entered.options()
        };
        if options.base_url.is_some() {
            return None;
        }
        let (sender, receiver) = mpsc::channel();
        // The file with the key may be a pipe, or the terminal.
        thread::spawn(move || sender.send(Self::load(&options)));
        receiver.recv_timeout(TIMEOUT).ok()?
    }

    fn load(options: &GlobalArguments) -> Option<Self> {
        let settings = Settings::load(options, RequiredSettings::All).ok()?;
        let output = Output::new(options, &settings).ok()?;
        // A keyring might ask for a password.
        if !settings.sandbox && Key::is_in_keyring(&settings).ok()? {
            return None;
        }
        let session = Session::new(settings, &output);
        let profile = session.read(session.client().ok()?.me()).ok()?;
        Some(Self::of_profile(&profile.into_data()))
    }

    fn of_profile(profile: &Profile) -> Self {
        let links = profile.links.iter().flatten();
        let posts = profile.posts.iter().flatten();
        Self {
            links: links
                .filter_map(|link| Some(item(link.id.as_ref()?, link.title.as_deref())))
                .collect(),
            posts: posts
                .filter_map(|post| Some(item(post.id.as_ref()?, post.body.as_deref())))
                .collect(),
        }
    }
}

fn item(id: impl ToString, title: Option<&str>) -> Item {
    let title = redact_key(title.unwrap_or_default());
    (
        redact_key(&id.to_string()).into_owned(),
        title.chars().take(MAX_TITLE).collect(),
    )
}

/// The words up to the cursor.
pub(super) struct EnteredWords {
    program: fn() -> Command,
    /// The words before the one that is completed.
    pub(super) complete: Vec<OsString>,
    /// The word that is completed, which may be empty.
    pub(super) last: String,
}

impl EnteredWords {
    /// Creates the words from those of the line and the index of the one that is completed.
    pub(super) fn new(program: fn() -> Command, words: &[OsString], index: usize) -> Self {
        let last = words.get(index).and_then(|word| word.to_str());
        Self {
            program,
            complete: words[..index.min(words.len())].to_vec(),
            last: last.unwrap_or_default().to_owned(),
        }
    }

    /// Returns the entered global options. The command may be incomplete.
    pub(super) fn options(&self) -> GlobalArguments {
        let command = (self.program)().ignore_errors(true);
        let matches = command.try_get_matches_from(&self.complete).ok();
        let options = matches.and_then(|entered| GlobalArguments::from_arg_matches(&entered).ok());
        options.unwrap_or_default()
    }
}
