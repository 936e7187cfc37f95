//! Output of the argument parser.

use std::env;
use std::error::Error as _;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ColorChoice, CommandFactory as _};
use profile_sdk::InvalidValue;

use crate::arguments::Arguments;
use crate::commands::auth::unexpected_key;
use crate::help;
use crate::input::profile_changes::InvalidField;
use crate::outcome::failure::Failure;
use crate::output::Output;
use crate::terminal::printable::redact_argument;

/// Prints the help, the version or the usage error of the argument parser.
pub(crate) fn print(mut error: clap::Error) -> ExitCode {
    suggest_subcommands(&mut error);
    suggest_options(&mut error);
    hide_credentials(&mut error);
    // The parser may have stopped before --json, so the arguments are searched.
    let arguments = env::args_os().map(|text| text.to_string_lossy().into_owned());
    let json = requests_json(&arguments.collect::<Vec<_>>());
    if let Some(failure) = invalid_value(&error).or_else(|| usage_failure(&error, json)) {
        return Output::for_failures(json, ColorChoice::Auto).failure(&failure);
    }
    let help = error.render().to_string();
    Output::for_failures(json, ColorChoice::Auto).help(&help, error.use_stderr())
}

/// Returns the failure of the command line, whose text is not a message and a hint except in JSON.
/// Help and versions are not failures.
fn usage_failure(error: &clap::Error, json: bool) -> Option<Failure> {
    let mut text = error.to_string();
    for word in env::args_os().skip(1) {
        let word = word.to_string_lossy();
        let value = word.split_once('=').map_or(&*word, |(_, value)| value);
        text = text.replace(value, redact_argument(value));
    }
    let text = text.strip_prefix("error: ").unwrap_or(&text).trim_end();
    let (message, help) = text.split_once("\n\n").unwrap_or((text, ""));
    let failure = match json {
        true => Failure::usage(message.trim()).hint(help.trim()),
        false => Failure::usage(text),
    };
    (error.use_stderr() && !help::is_help(error)).then_some(failure)
}

/// Suggests the subcommands, or after `help` the topics, that differ from the unknown one in a letter or
/// two.
fn suggest_subcommands(error: &mut clap::Error) {
    let Some(ContextValue::String(entered)) = error.get(ContextKind::InvalidSubcommand) else {
        return;
    };
    let max = (entered.chars().count() / 3).clamp(1, 2);
    let is_close = |name: &String| strsim::osa_distance(entered, name) <= max;
    let names = match error.get(ContextKind::SuggestedSubcommand) {
        Some(ContextValue::Strings(names)) => names.clone(),
        _ if env::args_os().nth(1).is_some_and(|word| word == "help") => {
            help::names(&Arguments::command())
        }
        _ => return,
    };
    let close: Vec<_> = names.into_iter().filter(is_close).collect();
    // Without suggestions, the formatter leaves blank lines.
    error.remove(ContextKind::Suggested);
    error.remove(ContextKind::SuggestedSubcommand);
    if !close.is_empty() {
        let close = ContextValue::Strings(close);
        error.insert(ContextKind::SuggestedSubcommand, close);
    }
}

/// The names of arguments that may have spaces.
const TEXTS: [&str; 6] = [
    "BODY|@./PATH|-",
    "ID|TITLE",
    "TEXT",
    "TEXT|@./PATH|-",
    "TITLE",
    "VALUE",
];

/// Suggests quotes if an unknown word may belong to a text, or the option that has it as a word, as
/// `--display-name` has `name`.
fn suggest_options(error: &mut clap::Error) {
    let (ErrorKind::UnknownArgument, Some(ContextValue::String(entered))) =
        (error.kind(), error.get(ContextKind::InvalidArg))
    else {
        return;
    };
    let entered = entered.clone();
    let command = entered_command();
    let tip = if entered.starts_with('-') {
        // The tip of the parser is also for options that do not exist.
        error.remove(ContextKind::Suggested);
        hyphen_tip(&entered, &command)
    } else {
        let mut words = env::args().skip_while(|word| word != command.get_name());
        let follows_a_value = words.nth(1).is_some_and(|first| first != entered);
        let may_be_text = follows_a_value && command.get_arguments().any(is_text);
        let mut options = command.get_arguments();
        let has_title = options.any(|option| option.get_long() == Some("title"));
        let option = if has_title {
            ", or pass it with --title"
        } else {
            ""
        };
        may_be_text.then(|| format!("put a text with spaces in quotes{option}"))
    };
    if let Some(tip) = tip {
        let tip = ContextValue::StyledStrs(vec![tip.into()]);
        error.insert(ContextKind::Suggested, tip);
        return;
    }
    let entered = entered.trim_start_matches('-');
    let options = command.get_arguments().filter_map(clap::Arg::get_long);
    // The commands of webhooks name a body differently: as a path, or as a text.
    let is_body = |name: &str| ["body", "data"].contains(&name);
    let is_similar = |option: &&str| {
        option.split('-').any(|word| word == entered) || is_body(entered) && is_body(option)
    };
    let mut similar = options.filter(is_similar);
    if let (Some(option), None) = (similar.next(), similar.next()) {
        let option = ContextValue::String(format!("--{option}"));
        error.insert(ContextKind::SuggestedArg, option);
        error.remove(ContextKind::Suggested);
    }
}

/// Returns the tip for a value that begins with a hyphen, whose start the parser takes for an option.
fn hyphen_tip(entered: &str, command: &clap::Command) -> Option<String> {
    let words: Vec<_> = env::args().collect();
    let is_value = |pair: &&[String]| pair[1].starts_with(entered);
    let [before, value] = words.windows(2).find(is_value)? else {
        return None;
    };
    let quoted = shlex::try_quote(value).ok()?;
    let mut options = command
        .get_arguments()
        .filter(|option| option.get_action().takes_values());
    let long = before.strip_prefix("--");
    if long.is_some() && options.any(|option| option.get_long() == long) {
        return Some(format!(
            "to pass {quoted} as a value, use `{before}={quoted}`"
        ));
    }
    let is_letter = value.len() == 2 && value.ends_with(|it: char| it.is_ascii_alphabetic());
    let is_value = value.contains(' ') || !value.starts_with("--") && !is_letter;
    (is_value && command.get_positionals().any(is_text))
        .then(|| format!("to pass {quoted} as a value, use `-- {quoted}`"))
}

fn is_text(argument: &clap::Arg) -> bool {
    let mut names = argument.get_value_names().unwrap_or_default().iter();
    names.any(|name| TEXTS.contains(&name.as_str()))
}

/// Returns the command that was entered.
fn entered_command() -> clap::Command {
    let mut command = Arguments::command();
    command.build();
    for word in env::args_os().skip(1) {
        if let Some(below) = word.to_str().and_then(|word| command.find_subcommand(word)) {
            command = below.clone();
        }
    }
    command
}

/// Returns the failure of a value that one of our types rejects. The message of the parser would
/// repeat the value, which may be long and contain line breaks.
fn invalid_value(error: &clap::Error) -> Option<Failure> {
    let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    if argument == "--with-token" {
        return Some(unexpected_key());
    }
    let source = error.source()?;
    let message = match source.downcast_ref() {
        Some(InvalidField::Value(error)) => error.to_string(),
        // The option already names the field.
        Some(InvalidField::Color { error, .. }) => error.to_string(),
        None => source.downcast_ref::<InvalidValue>()?.to_string(),
    };
    let argument = argument.split(' ').next()?;
    let argument = argument.trim_matches(['[', ']', '<', '>', '.']);
    Some(Failure::usage(format!("{argument}: {message}")))
}

/// Hides the user name and the password of a URL that the message repeats.
fn hide_credentials(error: &mut clap::Error) {
    for kind in [ContextKind::InvalidValue, ContextKind::InvalidArg] {
        if let Some(ContextValue::String(text)) = error.get(kind)
            && let Some((before, host)) = text.rsplit_once('@')
            && let Some(colon) = before.find(':')
        {
            let has_scheme = before[colon..].starts_with("://");
            let start = if has_scheme { colon + 3 } else { 0 };
            let hidden = format!("{}***@{host}", &before[..start]);
            error.insert(kind, ContextValue::String(hidden));
        }
    }
}

fn requests_json(arguments: &[String]) -> bool {
    let is_json = |text: &String| {
        matches!(
            text.as_str(),
            "--json" | "--jq" | "-ojson" | "-o=json" | "--output=json"
        ) || text.starts_with("--jq=")
    };
    let is_pair = |pair: &[String]| ["-o", "--output"].contains(&&*pair[0]) && pair[1] == "json";
    arguments.iter().any(is_json) || arguments.windows(2).any(is_pair)
}

#[cfg(test)]
mod tests {
    use super::requests_json;

    #[track_caller]
    fn check(arguments: &str, expected: bool) {
        let arguments: Vec<_> = arguments.split(' ').map(str::to_owned).collect();
        assert_eq!(requests_json(&arguments), expected);
    }

    #[test]
    fn recognizes_all_options_for_json() {
        check("show --json", true);
        check("--output json show", true);
        check("--output=json", true);
        check("-ojson", true);
        check("-o json", true);
        check("show --jq .bio", true);
        check("set --bio json", false);
        check("-o csv", false);
    }
}
