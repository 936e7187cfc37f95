//! Completion in bash. Unlike clap's adapter, it completes words with @ or =, and lists descriptions.

use std::env;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

use clap::Command;
use clap_complete::engine;
use unicode_width::UnicodeWidthStr as _;

use super::{PROGRAM, VARIABLE};
use crate::drawing::text::wrap;

const SCRIPT: &str = r#"_PROGRAM() {
    local candidate
    COMPREPLY=()
    while IFS= read -r candidate; do
        COMPREPLY+=("$candidate")
    done < <(COMP_LINE="${COMP_LINE:0:COMP_POINT}" COMP_TYPE="$COMP_TYPE" \
        COMP_WORDBREAKS="$COMP_WORDBREAKS" COLUMNS="$COLUMNS" VARIABLE=bash PROGRAM -- 2>/dev/null)
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == */ ]]; then
        compopt -o nospace 2>/dev/null
    fi
}
complete -o nosort -F _PROGRAM PROGRAM 2>/dev/null || complete -F _PROGRAM PROGRAM"#;

/// The value of COMP_TYPE when bash lists the candidates and inserts nothing.
const LISTS: &str = "63";

pub(super) fn script() -> String {
    SCRIPT
        .replace("PROGRAM", PROGRAM)
        .replace("VARIABLE", VARIABLE)
}

/// Returns the words of the line, which ends at the cursor. The last one may be empty.
pub(super) fn words(line: &str) -> Option<Vec<OsString>> {
    // The word at the cursor may be in quotes that are not closed yet.
    let ends = ["_", "_'", "_\""].into_iter();
    let mut words = ends
        .map(|end| shlex::split(&format!("{line}{end}")))
        .find_map(|words| words)?;
    words.last_mut()?.pop();
    Some(words.into_iter().map(OsString::from).collect())
}

/// Writes the candidates, each on a line.
pub(super) fn write_candidates(
    command: &mut Command,
    words: Vec<OsString>,
    directory: Option<&Path>,
    text: &mut dyn Write,
) -> io::Result<()> {
    let index = words.len().saturating_sub(1);
    let typed = words.last().and_then(|word| word.to_str());
    let breaks = env::var("COMP_WORDBREAKS").unwrap_or_default();
    let kept = kept_by_bash(typed.unwrap_or_default(), &breaks).to_owned();
    let in_quotes = env::var("COMP_LINE").is_ok_and(|line| shlex::split(&line).is_none());
    let columns = env::var("COLUMNS")
        .ok()
        .and_then(|columns| columns.parse().ok());
    let columns = columns.unwrap_or(usize::MAX);
    let candidates = engine::complete(command, words, index, directory)?;
    let lists = candidates.len() > 1 && env::var("COMP_TYPE").is_ok_and(|kind| kind == LISTS);
    for candidate in &candidates {
        let value = candidate.get_value().to_string_lossy();
        let value = value.strip_prefix(&kept).unwrap_or(&value);
        let value = if in_quotes {
            value.to_owned()
        } else {
            escaped(value)
        };
        match candidate.get_help().filter(|_| lists) {
            Some(help) => {
                let room = columns.saturating_sub(value.width() + "  (…) ".width());
                let help = first_line(&help.to_string(), room);
                writeln!(text, "{value}  ({help})")?;
            }
            None => writeln!(text, "{value}")?,
        }
    }
    Ok(())
}

/// Returns the words that fit in the columns, with an ellipsis if there are more.
fn first_line(text: &str, columns: usize) -> String {
    let text = text.lines().next().unwrap_or_default();
    match wrap(text, columns).as_slice() {
        [line, _, ..] => format!("{line}…"),
        _ => text.to_owned(),
    }
}

/// Returns the part of the word that bash does not replace: it ends at a separator.
fn kept_by_bash<'a>(word: &'a str, separators: &str) -> &'a str {
    let last = word.rfind(|c| matches!(c, '@' | ':' | '=') && separators.contains(c));
    match last {
        // Bash replaces an @ too, since it may start the name of a host.
        Some(at) if word[at..].starts_with('@') => &word[..at],
        Some(at) => &word[..=at],
        None => "",
    }
}

/// Escapes the characters that have a meaning for bash.
fn escaped(value: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-./:=@%+,~".contains(c);
    let mut escaped = String::with_capacity(value.len());
    for c in value.chars() {
        if !is_plain(c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}
