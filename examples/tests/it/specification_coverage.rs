//! Checks `specification_coverage.txt`, the page about the service, and SECURITY.md with `threat_model.txt` against
//! the code.

use std::collections::{BTreeMap, BTreeSet};

use mock_server::{Clock, Mutant, ProblemKind, Request, World, handle};
use serde_json::Value;

use crate::documents::{anchors, headings, without_anchors};
use crate::repository::{CRATES, read, sources, transcripts};

const COVERAGE: &str = include_str!("specification_coverage.txt");
const THREATS: &str = include_str!("threat_model.txt");
const SERVICE: &str = "docs/service.md";

#[test]
fn every_rule_has_an_anchor_and_tests_that_exist() {
    let rules: BTreeSet<_> = anchors(&read(SERVICE)).into_iter().collect();
    let mut texts: BTreeMap<&str, String> = BTreeMap::new();
    let mut covered = BTreeSet::new();
    let mut missing = Vec::new();
    let mut rule = "";
    let lines = COVERAGE.lines().filter(|line| !line.starts_with('#'));
    for line in lines.filter(|line| !line.is_empty()) {
        let Some(tests) = line.strip_prefix("    ") else {
            rule = line;
            continue;
        };
        covered.insert(rule.to_owned());
        for part in tests.split("; ") {
            let (folder, names) = part.split_once(": ").expect("a crate and its tests");
            let text = texts
                .entry(folder)
                .or_insert_with(|| sources(folder) + &transcripts(folder));
            let names = names.split(", ").filter(|name| !is_test(text, name));
            missing.extend(names.map(|name| format!("{rule}: {folder}: no test {name}")));
        }
    }
    missing.extend(
        rules
            .difference(&covered)
            .map(|rule| format!("{rule}: no tests")),
    );
    missing.extend(
        covered
            .difference(&rules)
            .map(|rule| format!("{rule}: no anchor in {SERVICE}")),
    );
    assert_eq!(missing, Vec::<String>::new());
}

/// The sections that the documentation of the crates, the violations and the OpenAPI document name.
#[test]
fn named_sections_are_headings_of_the_page_about_the_service() {
    let headings = headings(&read(SERVICE));
    let mut sections: Vec<String> = ProblemKind::ALL
        .iter()
        .filter_map(|kind| kind.section())
        .map(str::to_owned)
        .collect();
    for name in CRATES {
        let text = sources(name);
        let lines = text
            .lines()
            .map(|line| line.trim_start().trim_start_matches("/// "));
        let text = lines.collect::<Vec<_>>().join(" ");
        for part in text.split("(Specification: ").skip(1) {
            let (names, _) = part.split_once(".)").expect("an end of the reference");
            sections.extend(names.split("; ").map(|name| {
                let (_, name) = name.rsplit_once(", ").unwrap_or(("", name));
                name.replace('`', "")
            }));
        }
    }
    let document = read("mock-server/openapi.yaml");
    let document = document.split_whitespace().collect::<Vec<_>>().join(" ");
    let references: Vec<_> = document.split("ection \"").skip(1).collect();
    assert!(references.len() > 10, "{references:?}");
    sections.extend(references.iter().map(|rest| {
        let (section, _) = rest.split_once('"').expect("a closing quote");
        section.to_owned()
    }));
    sections.retain(|section| !headings.contains(section));
    assert_eq!(sections, Vec::<String>::new());
}

/// The sentences that violations and mutants quote, compared without punctuation.
#[test]
fn quoted_sentences_are_on_the_page_about_the_service() {
    let words = |text: &str| {
        let words = text.split(|c: char| !c.is_alphanumeric());
        words
            .filter(|word| !word.is_empty())
            .collect::<Vec<_>>()
            .join(" ")
    };
    let page = words(&without_anchors(&read(SERVICE)));
    let violations = ProblemKind::ALL
        .iter()
        .filter_map(|kind| kind.requirement());
    let mut quotes: Vec<_> = violations
        .chain(Mutant::all().map(Mutant::sentence))
        .collect();
    assert!(quotes.len() > 50, "{quotes:?}");
    quotes.retain(|quote| !page.contains(&words(quote)));
    assert_eq!(quotes, Vec::<&str>::new());
}

/// The requests in the page are sent in their order to a new world.
#[test]
fn examples_of_the_service_are_responses_of_the_mock() {
    let document = read(SERVICE);
    let blocks = document.split("```http\n").skip(1);
    let blocks: Vec<_> = blocks
        .map(|rest| rest.split("```").next().unwrap())
        .collect();
    let mut world = World::new(0);
    world.set_clock(Clock::fixed("2026-03-01T12:00:00Z").unwrap());
    for example in blocks.chunks(2) {
        let &[request, response] = example else {
            panic!("no response to {}", example[0]);
        };
        let (head, body) = request
            .split_once("\n\n")
            .unwrap_or((request.trim_end(), ""));
        let mut lines = head.lines();
        let (method, path) = lines
            .next()
            .unwrap()
            .split_once(' ')
            .expect("a method and a path");
        let mut sent = Request::new(method, path).body(body.trim_end());
        for line in lines {
            let (name, value) = line.split_once(": ").expect("a header");
            sent = sent.header(name, value.replace("<API_KEY>", &world.keys().all));
        }
        let received = handle(&mut world, &sent);
        let (status, body) = response.split_once("\n\n").unwrap_or((response, ""));
        let expected = format!("HTTP/1.1 {} ", received.status);
        assert!(status.starts_with(&expected), "{head}: {}", received.status);
        let parse = |text: &[u8]| match text {
            [] => Value::Null,
            text => serde_json::from_slice(text).expect("JSON"),
        };
        let (documented, received) = (parse(body.as_bytes()), parse(&received.body));
        assert_eq!(documented, received, "{head}\n{received:#}");
    }
    assert!(
        blocks.len() > 20,
        "found only {} examples",
        blocks.len() / 2
    );
}

/// Compares the rows of SECURITY.md with the list of their tests, in the same order.
#[test]
fn every_row_of_the_threat_model_has_tests_that_exist() {
    let document = read("SECURITY.md");
    let cells = document
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split_once(" | "));
    let rows = cells.map(|(id, _)| id).filter(|id| *id != "ID");
    let mut ids = Vec::new();
    let mut without_tests = BTreeSet::new();
    for line in THREATS.lines().filter(|line| !line.starts_with('#')) {
        let Some(test) = line.strip_prefix("    ") else {
            assert!(without_tests.insert(line), "{line} is listed twice");
            ids.push(line);
            continue;
        };
        let (file, name) = test.split_once("::").expect("a file and a name");
        assert!(is_test(&read(file), name), "no test {name} in {file}");
        without_tests.remove(ids.last().expect("an ID"));
    }
    assert_eq!(ids, rows.collect::<Vec<_>>());
    assert_eq!(without_tests, BTreeSet::new());
    assert!(ids.len() > 45, "{ids:?}");
}

pub(crate) fn code_spans(text: &str) -> Vec<String> {
    let spans = text.split('`').skip(1).step_by(2);
    spans.map(str::to_owned).collect()
}

/// Returns `true` if a test function or a section of a transcript has this name.
fn is_test(text: &str, name: &str) -> bool {
    let mut sections = text.lines().filter_map(|line| line.strip_prefix("## "));
    let is_named = |section: &str| {
        let words = section.split(|c: char| !c.is_alphanumeric());
        let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
        words.join("_").to_lowercase() == name
    };
    if sections.any(is_named) {
        return true;
    }
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
