//! Parses a file. All problems are reported at once, each with its line and column.

use std::ops::Range;

use profile_sdk::{LinkId, LinkUrl, NewLink, ProfileField, ProfileUpdate};
use toml_edit::{Document, Item, TableLike, Value};

use super::{FileLink, Owner, ProfileFile};
use crate::input::profile_changes::ProfileChanges;
use crate::outcome::failure::Failure;

const TABLES: [&str; 3] = ["source", "profile", "links"];
const SOURCE: [&str; 2] = ["service", "handle"];
const LINK: [&str; 3] = ["id", "title", "url"];

impl ProfileFile {
    /// Parses a file. The failure has a line `NAME:LINE:COLUMN: problem` for each problem.
    pub(crate) fn parse(name: &str, text: &str) -> Result<Self, Failure> {
        let mut reader = Reader {
            problems: Vec::new(),
        };
        let file = match Document::parse(text) {
            Ok(document) => reader.file(document.as_table()),
            Err(error) => {
                let reason = error.message().lines().collect::<Vec<_>>().join("; ");
                reader.report(error.span(), format!("invalid TOML: {reason}"));
                Self::default()
            }
        };
        if reader.problems.is_empty() {
            return Ok(file);
        }
        reader.problems.sort();
        let problems = reader.problems.iter().map(|(start, message)| {
            let (line, column) = position(text, *start);
            format!("{name}:{line}:{column}: {message}")
        });
        let problems: Vec<_> = problems.collect();
        Err(Failure::usage(problems.join("\n")).hint("nothing was sent"))
    }
}

/// Collects problems, each with the offset at which it starts.
struct Reader {
    problems: Vec<(usize, String)>,
}

/// A string with its place in the text.
struct Text<'a> {
    name: &'static str,
    text: &'a str,
    span: Option<Range<usize>>,
}

impl Reader {
    fn report(&mut self, span: Option<Range<usize>>, message: impl Into<String>) {
        let start = span.map_or(0, |span| span.start);
        self.problems.push((start, message.into()));
    }

    fn file(&mut self, root: &dyn TableLike) -> ProfileFile {
        self.check_keys(root, &TABLES);
        ProfileFile {
            source: root.get("source").and_then(|item| self.source(item)),
            fields: match root.get("profile") {
                Some(item) => self.fields(item),
                None => ProfileUpdate::new(),
            },
            links: root.get("links").map(|item| self.links(item)),
        }
    }

    fn source(&mut self, item: &Item) -> Option<Owner> {
        let table = self.table("source", item)?;
        let texts = self.texts(table, &SOURCE);
        let value = |name| {
            let text = texts.iter().find(|text| text.name == name);
            text.map(|text| text.text.to_owned())
        };
        let handle = value("handle");
        value("service").map(|service| Owner { service, handle })
    }

    fn fields(&mut self, item: &Item) -> ProfileUpdate {
        let mut changes = ProfileChanges::default();
        let Some(table) = self.table("profile", item) else {
            return changes.update;
        };
        let names: Vec<_> = ProfileField::ALL.iter().map(|field| field.name()).collect();
        let texts = self.texts(table, &names);
        for field in ProfileField::ALL {
            if let Some(text) = texts.iter().find(|text| text.name == field.name())
                && let Err(problem) = changes.add(*field, text.text)
            {
                self.report(text.span.clone(), problem.to_string());
            }
        }
        changes.update
    }

    fn links(&mut self, item: &Item) -> Vec<FileLink> {
        let mut tables: Vec<(&dyn TableLike, _)> = Vec::new();
        match item {
            Item::ArrayOfTables(array) => {
                tables.extend(
                    array
                        .iter()
                        .map(|table| (table as &dyn TableLike, table.span())),
                );
            }
            Item::Value(Value::Array(array)) => {
                for value in array {
                    match value.as_inline_table() {
                        Some(table) => tables.push((table, value.span())),
                        None => self.report(value.span(), "a link is not a table"),
                    }
                }
            }
            _ => self.report(item.span(), "links is not an array of tables"),
        }
        let mut links: Vec<FileLink> = Vec::new();
        for (table, span) in tables {
            let Some(link) = self.link(table, span.clone()) else {
                continue;
            };
            if link.id.is_some() && links.iter().any(|other| other.id == link.id) {
                self.report(span, "another link has the same id");
            }
            links.push(link);
        }
        links
    }

    fn link(&mut self, table: &dyn TableLike, span: Option<Range<usize>>) -> Option<FileLink> {
        let known = self.problems.len();
        let (mut id, mut title, mut url) = (None, None, None);
        for text in self.texts(table, &LINK) {
            match text.name {
                "title" => title = Some(text.text.to_owned()),
                "url" => match LinkUrl::new(text.text) {
                    Ok(valid) => url = Some(valid),
                    Err(error) => self.report(text.span, error.to_string()),
                },
                _ => match LinkId::new(text.text) {
                    Ok(valid) => id = Some(valid),
                    Err(error) => self.report(text.span, error.to_string()),
                },
            }
        }
        match (title, url) {
            (Some(title), Some(url)) => Some(FileLink {
                id,
                link: NewLink::new(title, url),
            }),
            (title, _) => {
                if self.problems.len() == known {
                    let missing = if title.is_none() { "title" } else { "url" };
                    self.report(span, format!("the link has no {missing}"));
                }
                None
            }
        }
    }

    fn table<'a>(&mut self, name: &str, item: &'a Item) -> Option<&'a dyn TableLike> {
        let table = item.as_table_like();
        if table.is_none() {
            self.report(item.span(), format!("{name} is not a table"));
        }
        table
    }

    /// Returns the strings of a table. Reports other values and unknown keys.
    fn texts<'a>(&mut self, table: &'a dyn TableLike, known: &[&'static str]) -> Vec<Text<'a>> {
        self.check_keys(table, known);
        let mut texts = Vec::new();
        for name in known {
            let Some(item) = table.get(name) else {
                continue;
            };
            let span = item.span();
            match item.as_str() {
                Some(text) => texts.push(Text { name, text, span }),
                None => {
                    let found = item.type_name();
                    let message = format!("{name} has the type {found}; expected a string");
                    self.report(span, message);
                }
            }
        }
        texts
    }

    fn check_keys(&mut self, table: &dyn TableLike, known: &[&str]) {
        for (name, _) in table.iter() {
            if !known.contains(&name) {
                let span = table.key(name).and_then(toml_edit::Key::span);
                let known = known.join(", ");
                self.report(
                    span,
                    format!("unknown key {name:?}; expected one of {known}"),
                );
            }
        }
    }
}

/// Returns the line and the column of an offset, counted from 1.
fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.rsplit('\n').next().unwrap_or_default();
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}
