//! `profile man`: manual pages.

use std::path::{Path, PathBuf};
use std::{fs, io};

use clap::Args;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use serde_json::json;

use crate::help::{Topic, hide_global_options, join_paragraphs};
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
    let Some(directory) = &arguments.dir else {
        let page = page(command).expect("a Vec accepts any bytes");
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
        write_pages(hide_global_options(below.clone()), directory, names)?;
    }
    let name = command.get_display_name();
    let name = format!("{}.1", name.unwrap_or(command.get_name()));
    let page = page(command).expect("a Vec accepts any bytes");
    output::write_file(&directory.join(&name), &page)?;
    names.push(name);
    Ok(())
}

fn page(command: clap::Command) -> io::Result<Vec<u8>> {
    let notes = command.get_after_help().map(ToString::to_string);
    let notes = notes.unwrap_or_default();
    let split = |heading| notes.split_once(heading);
    let split = split("Examples:\n").or_else(|| split("Example:\n"));
    let (notes, examples) = split.unwrap_or((&notes, ""));
    let has_subcommands = command.has_subcommands();
    let is_program = command.get_version().is_some();
    let usage = command.clone().render_usage().to_string();
    // The brackets of clap are not usual in manual pages.
    let usage = usage.replace("Usage: ", "").replace(['<', '>'], "");
    let man = Man::new(command).source(concat!("profile ", env!("CARGO_PKG_VERSION")));
    let man = man.date(RELEASED);
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    // Options are not hyphenated.
    page.extend_from_slice(b".nh\n");
    man.render_name_section(&mut page)?;
    section("SYNOPSIS", usage.trim()).to_writer(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if has_subcommands {
        man.render_subcommands_section(&mut page)?;
    }
    for (heading, text) in [("NOTES", notes.trim_end()), ("EXAMPLES", examples)] {
        if !text.is_empty() {
            section(heading, text).to_writer(&mut page)?;
        }
    }
    if is_program {
        for topic in Topic::ALL {
            section(&topic.about.to_uppercase(), &(topic.text)()).to_writer(&mut page)?;
        }
        man.render_version_section(&mut page)?;
    } else {
        let mut section = Roff::new();
        section.control("SH", ["SEE ALSO"]);
        let text = "(1) lists the global options, which every command accepts.";
        section.text([bold("profile"), roman(text)]);
        section.to_writer(&mut page)?;
    }
    Ok(page)
}

/// Returns a section with filled paragraphs; tables and examples keep their lines.
fn section(heading: &str, text: &str) -> Roff {
    let mut section = Roff::new();
    section.control("SH", [heading]);
    let mut is_filled = true;
    for line in join_paragraphs(text).lines() {
        let is_preserved = line.starts_with(' ');
        if is_preserved == is_filled {
            section.control(if is_preserved { "nf" } else { "fi" }, []);
            is_filled = !is_preserved;
        }
        match line {
            "" => section.control("PP", []),
            line => section.text([roman(line)]),
        };
    }
    if !is_filled {
        section.control("fi", []);
    }
    section
}
