//! `docs/specification-coverage.md` has a row for everything, and each row tells the truth.

use std::collections::BTreeMap;

use mock_server::Dialect;
use profile_sdk::{Bio, Days, DisplayName, Location, Operation, Scope};
use webhook_verify::{EventKind, FailureRun};

use crate::repository::{CRATES, files_ending_with, read};

const DOCUMENT: &str = "docs/specification-coverage.md";

/// A row of one of the tables.
struct Row {
    /// The rule, and what stands before the columns of the crates.
    subject: Vec<String>,
    /// The files below `src/` of each crate, by its place in [`CRATES`].
    files: [Vec<String>; CRATES.len()],
    /// Each as `file::test`.
    tests: Vec<String>,
}

fn rows() -> Vec<Row> {
    let document = read(DOCUMENT);
    let is_row = |line: &&str| {
        let first = line.trim_start_matches(['|', ' ']);
        line.starts_with('|')
            && !["Rule |", "Silence |", "---"]
                .iter()
                .any(|head| first.starts_with(head))
    };
    let rows: Vec<_> = document.lines().filter(is_row).map(row).collect();
    assert!(rows.len() > 80, "only {} rows", rows.len());
    rows
}

fn row(line: &str) -> Row {
    let cells: Vec<_> = line.trim_matches('|').split('|').map(str::trim).collect();
    let (subject, rest) = cells
        .split_at_checked(cells.len().wrapping_sub(CRATES.len() + 1))
        .unwrap_or_else(|| panic!("a row has too few cells: {line}"));
    Row {
        subject: subject.iter().map(|cell| (*cell).to_owned()).collect(),
        files: std::array::from_fn(|place| code_spans(rest[place])),
        tests: code_spans(rest[CRATES.len()]),
    }
}

fn code_spans(cell: &str) -> Vec<String> {
    let spans = cell.split('`').skip(1).step_by(2);
    spans.map(str::to_owned).collect()
}

/// Fails unless exactly these have a row whose subject names them in code.
#[track_caller]
fn check_each_has_a_row<'a>(names: impl IntoIterator<Item = &'a str>) {
    let rows = rows();
    let named: Vec<_> = rows
        .iter()
        .flat_map(|row| code_spans(&row.subject[0]))
        .collect();
    let names = names.into_iter();
    let missing: Vec<_> = names
        .filter(|name| !named.iter().any(|known| known == name))
        .collect();
    assert_eq!(missing, Vec::<&str>::new(), "have no row in {DOCUMENT}");
}

#[test]
fn every_row_has_a_file_and_a_test() {
    for row in rows() {
        let subject = &row.subject[0];
        assert!(
            row.files.iter().any(|files| !files.is_empty()),
            "{subject}: no file"
        );
        assert!(!row.tests.is_empty(), "{subject}: no test");
    }
}

#[test]
fn every_file_is_there() {
    let sources = files_ending_with(".rs");
    for row in rows() {
        for (name, files) in CRATES.iter().zip(&row.files) {
            for file in files {
                let path = format!("{name}/src/{file}");
                assert!(sources.contains(&path), "{}: no {path}", row.subject[0]);
            }
        }
    }
}

#[test]
fn every_test_is_there() {
    let mut texts = BTreeMap::new();
    for row in rows() {
        for test in &row.tests {
            let subject = &row.subject[0];
            let (file, name) = test.split_once("::").expect("a file and a name");
            let text: &String = texts.entry(file.to_owned()).or_insert_with(|| read(file));
            assert!(is_test(text, name), "{subject}: {file} has no test {name}");
        }
    }
}

/// Whether the text has a function of this name under an attribute that makes it a test.
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
fn a_function_without_the_attribute_is_no_test() {
    let text = "#[test]\nfn one() {}\n#[tokio::test(flavor)]\nasync fn three() {}\n\nfn two() {}\n";
    assert!(is_test(text, "one") && is_test(text, "three"));
    assert!(!is_test(text, "two") && !is_test(text, "four"));
}

#[test]
fn every_endpoint_has_a_row() {
    let endpoints = Operation::ALL.map(|operation| {
        let path = operation.path_template();
        format!(
            "{} {}",
            operation.method(),
            path.strip_prefix("/api/v1").unwrap()
        )
    });
    check_each_has_a_row(endpoints.iter().map(String::as_str));
}

#[test]
fn every_scope_and_every_event_has_a_row() {
    check_each_has_a_row(Scope::KNOWN.iter().map(Scope::as_str));
    check_each_has_a_row(EventKind::KNOWN.iter().map(EventKind::as_str));
}

#[test]
fn every_limit_has_a_row_that_tells_its_number() {
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
            "FailureRun::TURNS_WEBHOOK_OFF",
            FailureRun::TURNS_WEBHOOK_OFF,
        ),
    ];
    check_each_has_a_row(limits.map(|(name, _)| name));
    for row in rows() {
        let subject = &row.subject[0];
        for (_, number) in limits
            .iter()
            .filter(|(name, _)| subject.contains(&format!("`{name}`")))
        {
            let mut numbers = subject.split(|c: char| !c.is_ascii_digit());
            assert!(
                numbers.any(|text| text == number.to_string()),
                "{subject}: not {number}"
            );
        }
    }
}

#[test]
fn every_setting_of_the_dialect_has_a_row_with_its_alternatives() {
    let mut expected: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (setting, alternative, _) in Dialect::alternatives() {
        expected
            .entry(setting)
            .or_default()
            .push(alternative.to_owned());
    }
    let rows = rows();
    let mut told: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for settings in rows.iter().filter_map(|row| row.subject.get(2)) {
        for setting in settings.split("; ").filter(|cell| *cell != "–") {
            let (name, alternatives) = setting.split_once(": ").expect("a setting's values");
            told.insert(name.trim_matches('`'), code_spans(alternatives));
        }
    }
    assert_eq!(told, expected);
}
