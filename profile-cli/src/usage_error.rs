//! Output of the argument parser.

use std::borrow::Cow;
use std::error::Error as _;
use std::ffi::OsString;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ColorChoice, CommandFactory as _, ValueEnum as _};
use profile_sdk::InvalidValue;

use crate::commands::{Arguments, auth};
use crate::help;
use crate::outcome::{Failure, word};
use crate::output::Output;
use crate::settings::{Format, GlobalArguments, Needs};
use crate::terminal::{SafeUrl, argument, redact_misplaced};

/// Prints the help, the version or the usage error of the argument parser.
pub(crate) fn print(mut error: clap::Error, arguments: &[OsString]) -> ExitCode {
    let words = arguments.iter().map(|word| word.to_string_lossy());
    let words: Vec<_> = words.map(Cow::into_owned).collect();
    suggest_subcommands(&mut error, &words);
    suggest_options(&mut error, &words);
    show_arguments(&mut error, arguments);
    // The reason may repeat a value, as that of an invalid color does.
    for word in arguments.iter().map(|word| word.as_encoded_bytes()) {
        redact_misplaced(word);
        redact_misplaced(after_equals(word));
    }
    let output = Output::for_failures(&output_options(&words), Needs::Nothing);
    let failure = invalid_value(&error).or_else(|| usage_failure(&error, output.is_json()));
    match failure {
        Some(failure) => output.failure(&failure),
        None => output.help(&error.render().to_string(), error.use_stderr()),
    }
}

/// Returns the failure of the command line, whose text is not a message and a hint except in JSON.
/// Help and versions are not failures.
fn usage_failure(error: &clap::Error, json: bool) -> Option<Failure> {
    let text = error.to_string();
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
fn suggest_subcommands(error: &mut clap::Error, words: &[String]) {
    let Some(ContextValue::String(entered)) = error.get(ContextKind::InvalidSubcommand) else {
        return;
    };
    let max = (entered.chars().count() / 3).clamp(1, 2);
    let is_close = |name: &String| name != entered && strsim::osa_distance(entered, name) <= max;
    let names = match error.get(ContextKind::SuggestedSubcommand) {
        Some(ContextValue::Strings(names)) => names.clone(),
        _ if words.get(1).is_some_and(|word| word == "help") => help::names(&Arguments::command()),
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

/// Parts of the names of arguments that may have spaces.
const TEXTS: [&str; 4] = ["BODY", "TEXT", "TITLE", "VALUE"];

/// Suggests quotes if a color is missing, or if an unknown word may belong to a text, or the option that has it
/// as a word, as `--display-name` has `name`.
fn suggest_options(error: &mut clap::Error, words: &[String]) {
    let Some(ContextValue::String(entered)) = error.get(ContextKind::InvalidArg) else {
        return;
    };
    let entered = entered.clone();
    let command = entered_command(words);
    let tip = if error.kind() == ErrorKind::InvalidValue && entered.ends_with("<COLOR>") {
        Some("put a color in quotes, as in '#ff8800': # begins a comment in a shell".to_owned())
    } else if error.kind() != ErrorKind::UnknownArgument {
        return;
    } else if entered.starts_with('-') {
        // The tip of the parser is also for options that do not exist.
        error.remove(ContextKind::Suggested);
        hyphen_tip(&entered, &command, words)
    } else {
        let mut words = words.iter().skip_while(|word| *word != command.get_name());
        let follows_a_value = words.nth(1).is_some_and(|first| *first != entered);
        let may_be_text = follows_a_value && command.get_arguments().any(is_text);
        let mut options = command.get_arguments();
        let has_title = options.any(|option| option.get_long() == Some("title"));
        let option = match has_title {
            true => ", or pass it with --title",
            false => "",
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
fn hyphen_tip(entered: &str, command: &clap::Command, words: &[String]) -> Option<String> {
    let is_value = |pair: &&[String]| pair[1].starts_with(entered);
    let [before, value] = words.windows(2).find(is_value)? else {
        return None;
    };
    // What is hidden or escaped cannot be copied.
    let shown = Some(value).filter(|value| argument(value.as_bytes()) == **value)?;
    let quoted = word(shown, "VALUE");
    let options = command.get_arguments();
    let mut options = options.filter(|option| option.get_action().takes_values());
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
    names.any(|name| TEXTS.iter().any(|text| name.contains(text)))
}

/// Returns the command that was entered.
fn entered_command(words: &[String]) -> clap::Command {
    let mut command = Arguments::command();
    command.build();
    for word in words.iter().skip(1) {
        if let Some(below) = command.find_subcommand(word) {
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
        return Some(auth::unexpected_key());
    }
    let source = error.source()?;
    let message = source.downcast_ref::<InvalidValue>()?;
    let argument = argument.split(' ').next()?;
    let argument = argument.trim_matches(['[', ']', '<', '>', '.']);
    Some(Failure::usage(format!("{argument}: {message}")))
}

/// Replaces the arguments that the message repeats by what may be shown of them.
fn show_arguments(error: &mut clap::Error, arguments: &[OsString]) {
    let text_of = |error: &clap::Error, kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    };
    // All options with a URL that the parser checks are for receivers.
    let name = text_of(error, ContextKind::InvalidArg);
    let is_receiver = name.is_some_and(|name| name.contains("<URL>"));
    for kind in [
        ContextKind::InvalidValue,
        ContextKind::InvalidArg,
        ContextKind::InvalidSubcommand,
    ] {
        let Some(text) = text_of(error, kind) else {
            continue;
        };
        let shown = match kind == ContextKind::InvalidValue && is_receiver {
            true => argument(SafeUrl::new(text).to_string().as_bytes()),
            false => {
                // The parser replaces bytes that are not UTF-8.
                let values = arguments.iter().map(|word| word.as_encoded_bytes());
                let mut values = values.flat_map(|word| [word, after_equals(word)]);
                let is_text = |value: &&[u8]| String::from_utf8_lossy(value) == text;
                argument(values.find(is_text).unwrap_or(text.as_bytes()))
            }
        };
        error.insert(kind, ContextValue::String(shown));
    }
}

fn after_equals(word: &[u8]) -> &[u8] {
    let equals = word.iter().position(|byte| *byte == b'=');
    equals.map_or(word, |equals| &word[equals + 1..])
}

/// Returns the options that decide how a failure is printed. The parser may have stopped before them, so the
/// arguments are searched.
fn output_options(words: &[String]) -> GlobalArguments {
    let mut options = GlobalArguments::default();
    for (index, word) in words.iter().enumerate() {
        let next = words.get(index + 1).map_or("", String::as_str);
        match word.split_once('=').unwrap_or((word, next)) {
            ("--json" | "--jq" | "-ojson", _) => options.json = true,
            ("-o" | "--output", value) => options.output = Format::from_str(value, false).ok(),
            ("--color", value) => options.color = ColorChoice::from_str(value, false).ok(),
            _ => {}
        }
    }
    options
}

#[cfg(test)]
mod tests {
    use super::output_options;
    use crate::settings::SettingName;

    #[track_caller]
    fn check(arguments: &str, expected: bool) {
        let arguments: Vec<_> = arguments.split(' ').map(str::to_owned).collect();
        let output = output_options(&arguments).setting(SettingName::Output);
        assert_eq!(
            output.is_some_and(|output| output.value == "json"),
            expected
        );
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
