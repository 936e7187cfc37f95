//! Completes a command line: a script in the shell runs the program, which prints the candidates.

mod item_ids;
mod shell;
mod typed_words;
mod values;

use std::env;
use std::ffi::OsStr;
use std::io::{self, Write as _};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Command;

use typed_words::TypedWords;

pub(crate) use shell::Shell;

/// The program, which the scripts run by its name.
const PROGRAM: &str = "profile";

/// Variable that a script sets to the name of its shell.
const VARIABLE: &str = "PROFILE_COMPLETE";

/// Variable that a script for bash or zsh sets to the index of the word that is completed.
const INDEX_VARIABLE: &str = "_CLAP_COMPLETE_INDEX";

/// Prints the candidates if a completion script asks for them, otherwise returns `None`. Fails if
/// there are none, so that the shell completes file names. Prints no errors, which would appear in
/// the middle of the command line.
pub(crate) fn complete(program: fn() -> Command) -> Option<ExitCode> {
    let name = env::var_os(VARIABLE).filter(|name| !name.is_empty())?;
    let shell = Shell::of_name(&name);
    let text = shell.and_then(|shell| candidates(shell, program));
    let text = text.unwrap_or_default();
    // The shell may have stopped reading.
    let _ = io::stdout().write_all(text.as_bytes());
    Some(match text.is_empty() {
        true => ExitCode::FAILURE,
        false => ExitCode::SUCCESS,
    })
}

fn candidates(shell: Shell, program: fn() -> Command) -> Option<String> {
    let arguments = env::args_os().skip_while(|argument| argument != "--");
    let words: Vec<_> = arguments.skip(1).collect();
    let index = env::var(INDEX_VARIABLE)
        .ok()
        .and_then(|index| index.parse().ok());
    let typed = TypedWords::new(
        program,
        &words,
        index.unwrap_or(words.len().checked_sub(1)?),
    );
    let typed = Arc::new(typed);
    let mut command = values::add_to(program(), &typed);
    let mut text = Vec::new();
    let adapter = shell.adapter();
    let written = adapter.write_complete(&mut command, words, None, &mut text);
    written.ok()?;
    let text = String::from_utf8(text).ok()?;
    Some(match typed.last.starts_with('-') {
        true => text,
        false => without_options(&text),
    })
}

/// Removes the options from the candidates, which are separated by line breaks or, for bash, by
/// vertical tabs.
fn without_options(candidates: &str) -> String {
    let candidates = candidates.split_inclusive(['\n', '\u{b}']);
    candidates
        .filter(|candidate| !candidate.starts_with('-'))
        .collect()
}
