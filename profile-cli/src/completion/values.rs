//! The arguments whose values are completed.

use std::ffi::OsStr;
use std::sync::Arc;

use clap::{Command, ValueHint};
use clap_complete::engine::{
    ArgValueCandidates, ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter as _,
    possible_value_candidates,
};
#[cfg(feature = "webhook")]
use webhook_verify::EventKind;

use super::item_ids::{Item, ItemIds};
use super::typed_words::TypedWords;
use crate::settings::{RequiredSettings, SettingName, without_credentials};

type Candidates = Vec<CompletionCandidate>;

/// The subcommands before an argument, its name, and the candidates for its value.
type Row = (
    &'static [&'static str],
    &'static str,
    fn(&TypedWords) -> Candidates,
);

/// The arguments for which clap does not find the candidates itself, as it does for enums and paths.
const ARGUMENTS: &[Row] = &[
    (&["auth", "switch"], "name", accounts),
    (&["auth", "rename"], "name", accounts),
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
        let candidates = ArgValueCandidates::new(move || candidates(&typed));
        change(program, path, &|command| {
            command.mut_arg(argument, |argument| argument.add(candidates.clone()))
        })
    };
    let mut program = add(program, &(&[], "account", accounts));
    // Adds the arguments of the subcommands, --help and the global options.
    program.build();
    let program = ARGUMENTS.iter().fold(program, add);
    complete_files(program, typed.last().starts_with('-'))
}

/// Completes files where a file is meant. Shows options only after a hyphen, unless there is nothing
/// else.
fn complete_files(command: Command, shows_options: bool) -> Command {
    let command = command.mut_args(|argument| {
        let is_path = argument.get_value_hint() == ValueHint::AnyPath;
        let names = argument.get_value_names().unwrap_or_default().join("|");
        let is_hidden = argument.is_hide_set() || !(argument.is_positional() || shows_options);
        let argument = argument.hide(is_hidden);
        match names.as_str() {
            "DIR" | "DIRECTORY" => argument.value_hint(ValueHint::DirPath),
            "PATH" | "PATH|-" if is_path => argument.value_hint(ValueHint::FilePath),
            names if names.contains('@') => {
                // Where texts are accepted too, only `@./`, `@../` and `@/` name a file.
                let starts: &[char] = if names.contains("@./") {
                    &['.', '/']
                } else {
                    &[]
                };
                argument.add(ArgValueCompleter::new(move |typed: &OsStr| {
                    files_after_at(typed, starts)
                }))
            }
            _ => argument,
        }
    });
    command.mut_subcommands(|command| complete_files(command, shows_options))
}

fn change(command: Command, path: &[&str], apply: &dyn Fn(Command) -> Command) -> Command {
    match path {
        [] => apply(command),
        [first, rest @ ..] => command.mut_subcommand(first, |command| change(command, rest, apply)),
    }
}

/// Completes the path after an @, which must start with one of the characters, if there are any.
fn files_after_at(typed: &OsStr, starts: &[char]) -> Candidates {
    let path = typed.to_str().and_then(|typed| typed.strip_prefix('@'));
    let Some(path) = path.filter(|path| starts.is_empty() || path.starts_with(starts)) else {
        return Vec::new();
    };
    let files = PathCompleter::file().complete(OsStr::new(path));
    files.into_iter().map(|file| file.add_prefix("@")).collect()
}

fn accounts(typed: &TypedWords) -> Candidates {
    let Some(settings) = typed.settings(RequiredSettings::File) else {
        return Vec::new();
    };
    let candidate = |name: String| {
        let base_url = settings.config.account_text(&name, "base_url");
        let base_url = base_url
            .ok()
            .flatten()
            .map(|url| without_credentials(&url).into());
        CompletionCandidate::new(name).help(base_url)
    };
    let accounts = settings.config.accounts().into_iter();
    accounts.map(candidate).collect()
}

fn settings(_: &TypedWords) -> Candidates {
    let names = SettingName::ALL.map(SettingName::as_str);
    names.map(CompletionCandidate::new).into()
}

/// Returns the known values of the setting before the cursor.
fn setting_values(typed: &TypedWords) -> Candidates {
    let name = typed.complete_words().last().and_then(|name| name.to_str());
    match name.map(SettingName::parse) {
        Some(Ok(SettingName::Account)) => accounts(typed),
        Some(Ok(name)) => possible_value_candidates(name.known_values()),
        _ => Vec::new(),
    }
}

#[cfg(feature = "webhook")]
fn event_kinds(_: &TypedWords) -> Candidates {
    let kinds = EventKind::KNOWN.iter().map(EventKind::as_str);
    kinds.map(CompletionCandidate::new).collect()
}

fn links(typed: &TypedWords) -> Candidates {
    items(ItemIds::find(typed).map(|items| items.links), typed)
}

fn posts(typed: &TypedWords) -> Candidates {
    items(ItemIds::find(typed).map(|items| items.posts), typed)
}

/// Returns candidates for the items that are not typed yet.
fn items(items: Option<Vec<Item>>, typed: &TypedWords) -> Candidates {
    let is_new = |(id, _): &Item| {
        !typed
            .complete_words()
            .iter()
            .any(|word| word == id.as_str())
    };
    let items = items.unwrap_or_default().into_iter().filter(is_new);
    items
        .map(|(id, title)| CompletionCandidate::new(id).help(Some(title.into())))
        .collect()
}
