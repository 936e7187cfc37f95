//! `profile man`: manual pages.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};
use serde_json::json;

use crate::help::TOPICS;
use crate::outcome::{Failure, Report, Result};
use crate::output;
use crate::terminal::escaped;

/// The date of this version.
const RELEASED: &str = "2026-11-27";

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  profile man | man -l -
  profile man --dir ~/.cargo/share/man/man1")]
pub(crate) struct ManArguments {
    /// Write a page for each command to this directory; it is created if needed
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

pub(crate) fn run(arguments: &ManArguments, program: clap::Command) -> Result<Report> {
    let mut command = program.disable_help_subcommand(true);
    command.build();
    let command = command.mut_args(|argument| argument.hide(false));
    let Some(directory) = &arguments.dir else {
        let page = page(command);
        let page = String::from_utf8_lossy(&page).trim_end().to_owned();
        return Ok(Report::text(page, "page"));
    };
    let mut names = Vec::new();
    let created = fs::create_dir_all(directory);
    created.map_err(|error| Failure::of_file("written to", directory, &error))?;
    write_pages(command, directory, &mut names)?;
    let sentence = format!("Wrote {} pages to {}.", names.len(), escaped(directory));
    let json = json!({"result": "written", "dir": directory.to_string_lossy(), "pages": names});
    Ok(Report::changed(json, sentence))
}

/// Writes the pages of a command and of its subcommands.
fn write_pages(command: clap::Command, directory: &Path, names: &mut Vec<String>) -> Result<()> {
    for below in command.get_subcommands().filter(|one| !one.is_hide_set()) {
        write_pages(below.clone(), directory, names)?;
    }
    let name = command.get_display_name();
    let name = format!("{}.1", name.unwrap_or(command.get_name()));
    output::write_file(&directory.join(&name), &page(command))?;
    names.push(name);
    Ok(())
}

/// Returns the page of a command; that of the program has the topics.
fn page(command: clap::Command) -> Vec<u8> {
    let is_program = command.get_version().is_some();
    let man = Man::new(command).source(concat!("profile ", env!("CARGO_PKG_VERSION")));
    let mut page = Vec::new();
    let rendered = man.date(RELEASED).render(&mut page);
    rendered.expect("a Vec accepts any bytes");
    for (_, title, text) in TOPICS.iter().filter(|_| is_program) {
        let mut section = Roff::new();
        section.control("SH", [&*title.to_uppercase()]);
        for line in text().lines() {
            section.text([roman(line)]);
        }
        page.extend(section.render().into_bytes());
    }
    page
}
