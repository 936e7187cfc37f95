//! Output of the argument parser.

use std::borrow::Cow;
use std::error::Error as _;
use std::ffi::OsString;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ColorChoice, ValueEnum as _};
use profile_sdk::{InvalidValue, LinkUrl};

use crate::commands::{self, auth};
use crate::help;
use crate::outcome::Failure;
use crate::output::Output;
use crate::settings::{Format, GlobalArguments, Needs};
use crate::terminal::{SafeUrl, argument, redact_misplaced};

/// Prints the help, the version or the usage error of the argument parser.
pub(crate) fn print(mut error: clap::Error, arguments: &[OsString]) -> ExitCode {
    let words = arguments.iter().map(|word| word.to_string_lossy());
    let words: Vec<_> = words.map(Cow::into_owned).collect();
    show_arguments(&mut error, arguments);
    // The reason may repeat a value, as that of an invalid color does.
    for word in arguments.iter().map(|word| word.as_encoded_bytes()) {
        redact_misplaced(word);
        redact_misplaced(after_equals(word));
    }
    let output = Output::for_failures(&output_options(&words), Needs::Nothing);
    if let Some(help) = help::own(&error, commands::program, &words) {
        return output.help(&help, false);
    }
    let failure = invalid_value(&error).or_else(|| without_title(&error, &words));
    let failure = failure.or_else(|| usage_failure(&error, output.is_json()));
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
    let is_help = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    (error.use_stderr() && !is_help).then_some(failure)
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

/// Returns the failure of `link add URL`: the parser takes the URL for the title.
fn without_title(error: &clap::Error, words: &[String]) -> Option<Failure> {
    let is_add =
        |words: &&[String]| words[0].starts_with("link") && matches!(&*words[1], "add" | "create");
    let first = words.windows(3).find(is_add)?[2].parse::<LinkUrl>();
    let is_missing = error.kind() == ErrorKind::MissingRequiredArgument && first.is_ok();
    let failure = is_missing.then(|| Failure::usage("the title of the link is missing"));
    failure.map(|failure| failure.hint("put it before the URL: `profile link add TITLE URL`"))
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
            true => argument(SafeUrl::new(&*text).to_string().as_bytes()),
            false => {
                // The parser replaces bytes that are not UTF-8.
                let values = arguments.iter().map(|word| word.as_encoded_bytes());
                let mut values = values.flat_map(|word| [word, after_equals(word)]);
                let is_text = |value: &&[u8]| String::from_utf8_lossy(value) == text;
                argument(values.find(is_text).unwrap_or(text.as_bytes()))
            }
        };
        if shown != text {
            // The tip has the argument as it is.
            error.remove(ContextKind::Suggested);
        }
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
