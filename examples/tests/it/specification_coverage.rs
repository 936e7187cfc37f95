//! Checks `specification_coverage.txt` and the threat model against the code.

use std::collections::BTreeMap;

use crate::repository::{read, sources};

const RULES: &str = include_str!("specification_coverage.txt");

/// A rule, and the line below it.
#[derive(Default)]
pub(crate) struct Rule {
    pub(crate) text: &'static str,
    /// The names of tests, by the folder of the crate.
    tests: Vec<(&'static str, Vec<&'static str>)>,
    pub(crate) settings: Vec<&'static str>,
}

pub(crate) fn rules() -> Vec<Rule> {
    let mut rules: Vec<Rule> = Vec::new();
    let lines = RULES.lines().filter(|line| !line.starts_with('#'));
    for line in lines.filter(|line| !line.is_empty()) {
        let Some(line) = line.strip_prefix("    ") else {
            rules.push(Rule {
                text: line,
                ..Rule::default()
            });
            continue;
        };
        let rule = rules.last_mut().expect("a rule above its tests");
        for part in line.split("; ") {
            match part.split_once(": ").expect("a name and a list") {
                ("settings", names) => rule.settings.extend(names.split(", ")),
                (folder, names) => rule.tests.push((folder, names.split(", ").collect())),
            }
        }
    }
    rules
}

#[test]
fn every_rule_names_tests_that_exist() {
    let mut texts: BTreeMap<&str, String> = BTreeMap::new();
    let mut missing = Vec::new();
    for rule in rules() {
        if rule.tests.is_empty() {
            missing.push(format!("no test of: {}", rule.text));
        }
        for (folder, names) in rule.tests {
            let text = texts.entry(folder).or_insert_with(|| sources(folder));
            let names = names.iter().filter(|name| !is_test(text, name));
            missing.extend(names.map(|name| format!("{folder}: {name}")));
        }
    }
    assert_eq!(missing, Vec::<String>::new());
}

#[test]
fn the_threat_model_names_tests_that_exist() {
    let document = read("SECURITY.md");
    let is_row = |line: &&str| line.starts_with("| ") && !line.starts_with("| What holds");
    let mut count = 0;
    for line in document.lines().filter(is_row) {
        let (_, tests) = line
            .trim_end_matches(" |")
            .rsplit_once(" | ")
            .expect("two cells");
        let tests = code_spans(tests);
        assert!(!tests.is_empty(), "no test: {line}");
        for test in tests {
            let (file, name) = test.split_once("::").expect("a file and a name");
            assert!(is_test(&read(file), name), "no test {name} in {file}");
            count += 1;
        }
    }
    assert!(count > 0, "no rows in SECURITY.md");
}

pub(crate) fn code_spans(text: &str) -> Vec<String> {
    let spans = text.split('`').skip(1).step_by(2);
    spans.map(str::to_owned).collect()
}

/// Returns `true` if the source contains a test function with this name.
fn is_test(text: &str, name: &str) -> bool {
    let head = format!("fn {name}(");
    text.match_indices(&head).any(|(start, _)| {
        let (above, _) = text[..start].rsplit_once('\n').unwrap_or_default();
        let mut lines = above.lines().rev().take_while(|line| {
            let line = line.trim_start();
            line.starts_with("#[") || line.starts_with("//")
        });
        lines.any(|line| line.contains("#[test]") || line.contains("#[tokio::test"))
    })
}
