//! Checks `docs/specification-coverage.md` against the code.

use std::collections::BTreeMap;

use mock_server::Dialect;
use profile_sdk::{Bio, Days, DisplayName, Location, Operation, Scope};
use webhook_verify::{EventKind, MAX_CONSECUTIVE_FAILURES};

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

/// Checks that each name is in a code span of the subject of a row.
#[track_caller]
fn assert_have_rows<'a>(names: impl IntoIterator<Item = &'a str>) {
    let rows = rows();
    let subjects: Vec<_> = rows
        .iter()
        .flat_map(|row| code_spans(&row.subject[0]))
        .collect();
    let names = names.into_iter();
    let missing: Vec<_> = names
        .filter(|name| !subjects.iter().any(|subject| subject == name))
        .collect();
    assert_eq!(missing, Vec::<&str>::new(), "without a row in {DOCUMENT}");
}

#[test]
fn rows_have_files_and_tests() {
    for row in rows() {
        let subject = &row.subject[0];
        assert!(
            row.files.iter().any(|files| !files.is_empty()),
            "{subject}: no files"
        );
        assert!(!row.tests.is_empty(), "{subject}: no tests");
    }
}

#[test]
fn files_exist() {
    let sources = files_with_suffix(".rs");
    for row in rows() {
        for (name, files) in CRATES.iter().zip(&row.files) {
            for file in files {
                let path = format!("{name}/src/{file}");
                assert!(
                    sources.contains(&path),
                    "{}: {path} not found",
                    row.subject[0]
                );
            }
        }
    }
}

#[test]
fn tests_exist() {
    let mut texts = BTreeMap::new();
    for row in rows() {
        for test in &row.tests {
            let subject = &row.subject[0];
            let (file, name) = test.split_once("::").expect("a file and a name");
            let text: &String = texts.entry(file.to_owned()).or_insert_with(|| read(file));
            assert!(
                is_test(text, name),
                "{subject}: test {name} not found in {file}"
            );
        }
    }
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
fn a_function_without_a_test_attribute_is_not_a_test() {
    let text = "#[test]\nfn one() {}\n#[tokio::test(flavor)]\nasync fn three() {}\n\nfn two() {}\n";
    assert!(is_test(text, "one") && is_test(text, "three"));
    assert!(!is_test(text, "two") && !is_test(text, "four"));
}

#[test]
fn endpoints_have_rows() {
    let endpoints = Operation::ALL.map(|operation| {
        let path = operation.path_template();
        format!(
            "{} {}",
            operation.method(),
            path.strip_prefix("/api/v1").unwrap()
        )
    });
    assert_have_rows(endpoints.iter().map(String::as_str));
}

#[test]
fn scopes_and_events_have_rows() {
    assert_have_rows(Scope::KNOWN.iter().map(Scope::as_str));
    assert_have_rows(EventKind::KNOWN.iter().map(EventKind::as_str));
}

#[test]
fn limits_have_rows_with_their_values() {
    let limits = [
        ("DisplayName::MAX_CHARACTERS", DisplayName::MAX_CHARACTERS),
        ("Bio::MAX_CHARACTERS", Bio::MAX_CHARACTERS),
        ("Bio::MAX_LINES", Bio::MAX_LINES),
        ("Location::MAX_CHARACTERS", Location::MAX_CHARACTERS),
        ("Days::MIN", Days::MIN.into()),
        ("Days::MAX_OTHER", Days::MAX_OTHER.into()),
        ("Days::MAX_OWN", Days::MAX_OWN.into()),
        ("Days::DEFAULT", Days::DEFAULT.get().into()),
        (
            "MAX_CONSECUTIVE_FAILURES",
            MAX_CONSECUTIVE_FAILURES as usize,
        ),
    ];
    assert_have_rows(limits.map(|(name, _)| name));
    for row in rows() {
        let subject = &row.subject[0];
        for (_, number) in limits
            .iter()
            .filter(|(name, _)| subject.contains(&format!("`{name}`")))
        {
            let mut numbers = subject.split(|c: char| !c.is_ascii_digit());
            assert!(
                numbers.any(|text| text == number.to_string()),
                "{subject}: {number} is missing"
            );
        }
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
