//! Checks `docs/specification-coverage.md` against the code.

use std::collections::{BTreeMap, BTreeSet};

use mock_server::Dialect;
use profile_sdk::{Operation, ProfileField, Scope};
use webhook_verify::EventKind;

use crate::repository::{CRATES, files_with_suffix, read};

const DOCUMENT: &str = "docs/specification-coverage.md";

/// A row of the tables.
struct Row {
    /// The columns before those of the crates, starting with the rule.
    subject: Vec<String>,
    /// The files below `src/` of each crate, in the order of [`CRATES`].
    files: [Vec<String>; CRATES.len()],
    /// The tests, as `file::test`.
    tests: Vec<String>,
}

fn rows() -> Vec<Row> {
    let document = read(DOCUMENT);
    let is_row = |line: &&str| {
        let first = line.trim_start_matches(['|', ' ']);
        line.starts_with('|')
            && !["Rule |", "Question |", "---"]
                .iter()
                .any(|head| first.starts_with(head))
    };
    let rows: Vec<_> = document.lines().filter(is_row).map(row).collect();
    assert!(rows.len() > 80, "found only {} rows", rows.len());
    rows
}

fn row(line: &str) -> Row {
    let cells: Vec<_> = line.trim_matches('|').split('|').map(str::trim).collect();
    let (subject, rest) = cells
        .split_at_checked(cells.len().wrapping_sub(CRATES.len() + 1))
        .unwrap_or_else(|| panic!("too few cells: {line}"));
    Row {
        subject: subject.iter().map(|cell| (*cell).to_owned()).collect(),
        files: std::array::from_fn(|index| code_spans(rest[index])),
        tests: code_spans(rest[CRATES.len()]),
    }
}

fn code_spans(cell: &str) -> Vec<String> {
    let spans = cell.split('`').skip(1).step_by(2);
    spans.map(str::to_owned).collect()
}

#[test]
fn rows_name_files_and_tests_that_exist() {
    let sources = files_with_suffix(".rs");
    let mut texts = BTreeMap::new();
    for row in rows() {
        let subject = &row.subject[0];
        let files = CRATES.iter().zip(&row.files);
        let files: Vec<_> = files
            .flat_map(|(name, files)| files.iter().map(move |file| format!("{name}/src/{file}")))
            .collect();
        assert!(!files.is_empty(), "{subject}: no files");
        assert!(!row.tests.is_empty(), "{subject}: no tests");
        for path in files {
            assert!(sources.contains(&path), "{subject}: {path} not found");
        }
        for test in &row.tests {
            check_test(test, &mut texts);
        }
    }
}

#[test]
fn the_threat_model_names_tests_that_exist() {
    let document = read("SECURITY.md");
    let is_row = |line: &&str| line.starts_with("| ") && !line.starts_with("| What holds");
    let mut texts = BTreeMap::new();
    for line in document.lines().filter(is_row) {
        let (_, tests) = line
            .trim_end_matches(" |")
            .rsplit_once(" | ")
            .expect("two cells");
        let tests = code_spans(tests);
        assert!(!tests.is_empty(), "no test: {line}");
        tests.iter().for_each(|test| check_test(test, &mut texts));
    }
    assert!(!texts.is_empty(), "no rows in SECURITY.md");
}

/// Panics unless `test`, such as `profile-sdk/tests/it/me.rs::returns_the_owner`, exists.
fn check_test(test: &str, texts: &mut BTreeMap<String, String>) {
    let (file, name) = test.split_once("::").expect("a file and a name");
    let text = texts.entry(file.to_owned()).or_insert_with(|| read(file));
    assert!(is_test(text, name), "test {name} not found in {file}");
}

/// Returns `true` if the source contains a test function with this name.
fn is_test(text: &str, name: &str) -> bool {
    let head = format!("fn {name}(");
    let Some((before, _)) = text.split_once(&head) else {
        return false;
    };
    let (above, _) = before.rsplit_once('\n').unwrap_or_default();
    let mut lines = above.lines().rev().take_while(|line| {
        let line = line.trim_start();
        line.starts_with("#[") || line.starts_with("//")
    });
    lines.any(|line| line.contains("#[test]") || line.contains("#[tokio::test"))
}

#[test]
fn endpoints_scopes_and_events_have_rows() {
    let rows = rows();
    let subjects = rows.iter().flat_map(|row| code_spans(&row.subject[0]));
    let subjects: BTreeSet<_> = subjects.collect();
    let endpoints = Operation::ALL.iter().map(|operation| {
        let path = operation.path_template().replacen("/api/v1", "", 1);
        format!("{} {path}", operation.method())
    });
    let scopes = Scope::KNOWN.iter().map(ToString::to_string);
    let kinds = EventKind::KNOWN.iter().map(ToString::to_string);
    for name in endpoints.chain(scopes).chain(kinds) {
        assert!(subjects.contains(&name), "{name} has no row in {DOCUMENT}");
    }
}

#[test]
fn profile_fields_have_rows_with_their_limits() {
    let rows = rows();
    for field in ProfileField::ALL {
        let (name, limits) = (field.name(), format!(": {}", field.kind()));
        let has_field = |row: &&Row| code_spans(&row.subject[0]).contains(&name.to_owned());
        let states_limits = |row: &Row| row.subject[0].replace('`', "").ends_with(&limits);
        assert!(
            rows.iter().filter(has_field).any(states_limits),
            "{DOCUMENT} has no row with `{name}`{limits}"
        );
    }
}

#[test]
fn dialect_settings_have_rows_with_their_alternatives() {
    let mut expected: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (setting, alternative, _) in Dialect::alternatives() {
        expected
            .entry(setting)
            .or_default()
            .push(alternative.to_owned());
    }
    let rows = rows();
    let mut documented: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for settings in rows.iter().filter_map(|row| row.subject.get(2)) {
        for setting in settings.split("; ").filter(|cell| *cell != "–") {
            let (name, alternatives) = setting
                .split_once(": ")
                .expect("the alternatives of a setting");
            documented.insert(name.trim_matches('`'), code_spans(alternatives));
        }
    }
    assert_eq!(documented, expected);
}
