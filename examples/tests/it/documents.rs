//! Where the documents lead to is there.

use std::path::Path;

use crate::repository::{CRATES, files_ending_with, read, root};

#[test]
fn every_link_leads_to_something() {
    let documents = files_ending_with(".md");
    assert!(documents.len() > 5, "{documents:?}");
    let mut dead = Vec::new();
    for document in &documents {
        for target in targets(&prose(&read(document))) {
            if let Err(reason) = follow(document, &target) {
                dead.push(format!("{document}: {target}: {reason}"));
            }
        }
    }
    assert_eq!(dead, Vec::<String>::new());
}

/// A file is named by its path from the root, or by the end of its path in the crate that the
/// paragraph has spoken of last.
#[test]
fn every_file_that_a_guide_names_is_there() {
    let sources = files_ending_with(".rs");
    for guide in ["ARCHITECTURE.md", "CONTRIBUTING.md"] {
        let (mut named, mut missing) = (0, Vec::new());
        let text = read(guide);
        for paragraph in text.split("\n\n").flat_map(|text| text.split("\n- ")) {
            let mut crate_name = CRATES
                .into_iter()
                .find(|name| paragraph.contains(&format!("**{name}**")));
            for span in paragraph.split('`').skip(1).step_by(2) {
                let spoken_of = |name: &&str| span.starts_with(&format!("{name}/"));
                crate_name = CRATES.into_iter().find(spoken_of).or(crate_name);
                if !span.ends_with(".rs") {
                    continue;
                }
                let folder = crate_name.map_or(String::new(), |name| format!("{name}/"));
                let below = format!("/{span}");
                let is_it = |source: &String| {
                    source == span || source.starts_with(&folder) && source.ends_with(&below)
                };
                if !sources.iter().any(is_it) {
                    missing.push(format!("{folder}…{below}"));
                }
                named += 1;
            }
        }
        assert!(named > 20, "{guide} names only {named} files");
        assert_eq!(missing, Vec::<String>::new(), "{guide}");
    }
}

/// The document without its code, where brackets are no links.
fn prose(document: &str) -> String {
    let mut prose = String::new();
    let mut is_code = false;
    for line in document.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            prose.push_str(line);
            prose.push('\n');
        }
    }
    prose
}

/// What is linked to in the ways that Markdown and HTML have.
fn targets(prose: &str) -> Vec<String> {
    let between = |open: &str, close: char| -> Vec<String> {
        let rests = prose.split(open).skip(1);
        rests
            .filter_map(|rest| Some(rest.split_once(close)?.0.to_owned()))
            .collect()
    };
    let definitions = prose.lines().filter_map(|line| {
        let (_, target) = line.strip_prefix('[')?.split_once("]: ")?;
        Some(target.trim().to_owned())
    });
    let linked = [("](", ')'), ("src=\"", '"'), ("href=\"", '"')];
    let linked = linked
        .into_iter()
        .flat_map(|(open, close)| between(open, close));
    linked.chain(definitions).collect()
}

/// Says what is wrong with a link inside the repository.
fn follow(document: &str, target: &str) -> Result<(), String> {
    let is_elsewhere = target.contains("://") || target.starts_with("mailto:");
    // What the documentation of a crate calls by its path in Rust is checked by rustdoc.
    if is_elsewhere || target.contains("::") {
        return Ok(());
    }
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let folder = Path::new(document).parent().unwrap();
    let file = match path {
        "" => root().join(document),
        _ => root().join(folder).join(path),
    };
    if !file.exists() {
        return Err("there is no such file".to_owned());
    }
    if anchor.is_empty() || file.extension().is_none_or(|ending| ending != "md") {
        return Ok(());
    }
    let text = std::fs::read_to_string(file).unwrap();
    match anchors(&text).iter().any(|known| known == anchor) {
        true => Ok(()),
        false => Err(format!("there is no heading #{anchor}")),
    }
}

/// The anchors of the headings, made as code hosts make them.
fn anchors(document: &str) -> Vec<String> {
    let mut anchors: Vec<String> = Vec::new();
    let prose = prose(document);
    for heading in prose.lines().filter(|line| line.starts_with('#')) {
        let title = heading.trim_start_matches('#').trim().to_lowercase();
        let anchor: String = title
            .chars()
            .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
            .map(|c| if c == ' ' { '-' } else { c })
            .collect();
        let earlier = anchors.iter().filter(|known| **known == anchor).count();
        anchors.push(match earlier {
            0 => anchor,
            _ => format!("{anchor}-{earlier}"),
        });
    }
    anchors
}
