//! The arguments whose values are completed.

use std::sync::Arc;

use clap::builder::PossibleValue;
use clap::{Command, ValueHint};
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};
#[cfg(feature = "webhook")]
use webhook_verify::EventKind;

use super::item_ids::{Item, ItemIds};
use super::typed_words::TypedWords;
use crate::settings::{RequiredSettings, SettingName, Settings, without_credentials};
use crate::terminal::printable::printable;

/// A value and its description, which may be empty.
type Candidate = (String, String);

/// The subcommands before an argument, its name, and the candidates for its value.
type Row = (
    &'static [&'static str],
    &'static str,
    fn(&TypedWords) -> Vec<Candidate>,
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
pub(super) fn add_to(program: Command, typed: &Arc<TypedWords>) -> Command {
    let add = |program, &(path, argument, candidates): &Row| {
        let typed = Arc::clone(typed);
        let safe = move || {
            let candidates = candidates(&typed).into_iter();
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

fn accounts(typed: &TypedWords) -> Vec<Candidate> {
    let Ok(settings) = Settings::load(&typed.options(), RequiredSettings::File) else {
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

fn settings(_: &TypedWords) -> Vec<Candidate> {
    SettingName::all()
        .map(|name| (name.to_string(), name.help()))
        .collect()
}

/// Returns the known values of the setting before the cursor.
fn setting_values(typed: &TypedWords) -> Vec<Candidate> {
    let name = typed.complete.last().and_then(|name| name.to_str());
    let candidate = |value: PossibleValue| {
        let help = value.get_help().map(ToString::to_string);
        (value.get_name().to_owned(), help.unwrap_or_default())
    };
    match name.map(SettingName::parse) {
        Some(Ok(SettingName::Account)) => accounts(typed),
        Some(Ok(name)) => name.known_values().into_iter().map(candidate).collect(),
        _ => Vec::new(),
    }
}

#[cfg(feature = "webhook")]
fn event_kinds(_: &TypedWords) -> Vec<Candidate> {
    let kinds = EventKind::KNOWN.iter();
    kinds
        .map(|kind| (kind.to_string(), String::new()))
        .collect()
}

fn links(typed: &TypedWords) -> Vec<Candidate> {
    items(ItemIds::find(typed).map(|items| items.links), typed)
}

fn posts(typed: &TypedWords) -> Vec<Candidate> {
    items(ItemIds::find(typed).map(|items| items.posts), typed)
}

/// Returns the items that are not typed yet.
fn items(items: Option<Vec<Item>>, typed: &TypedWords) -> Vec<Candidate> {
    let is_typed = |id: &str| typed.complete.iter().any(|word| word == id);
    let items = items.unwrap_or_default().into_iter();
    items.filter(|(id, _)| !is_typed(id)).collect()
}
