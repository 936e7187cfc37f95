//! Checks the links and file names in the documents.

use std::path::Path;

use crate::repository::{CRATES, files_with_suffix, read, root};

#[test]
fn links_resolve() {
    let documents = files_with_suffix(".md");
    assert!(documents.len() > 5, "{documents:?}");
    let mut broken = Vec::new();
    for document in &documents {
        for target in targets(&prose(&read(document))) {
            if let Err(reason) = resolve(document, &target) {
                broken.push(format!("{document}: {target}: {reason}"));
            }
        }
    }
    assert_eq!(broken, Vec::<String>::new());
}

/// crates.io and docs.rs have only the files of the package.
#[test]
fn readmes_of_crates_link_to_no_other_folder() {
    for name in CRATES.into_iter().chain(["mock-server/learn"]) {
        for target in targets(&prose(&read(&format!("{name}/README.md")))) {
            assert!(!target.starts_with("../"), "{name}/README.md: {target}");
        }
    }
}

/// A file name is a path from the root, or the end of a path in the crate that the paragraph
/// mentions last.
#[test]
fn files_in_the_guides_exist() {
    let sources = files_with_suffix(".rs");
    for guide in ["ARCHITECTURE.md", "docs/changes.md"] {
        let (mut count, mut missing) = (0, Vec::new());
        let text = read(guide);
        for paragraph in text.split("\n\n").flat_map(|text| text.split("\n- ")) {
            let mut crate_name = CRATES
                .into_iter()
                .find(|name| paragraph.contains(&format!("**{name}**")));
            for span in paragraph.split('`').skip(1).step_by(2) {
                let starts_with_crate = |name: &&str| span.starts_with(&format!("{name}/"));
                crate_name = CRATES.into_iter().find(starts_with_crate).or(crate_name);
                if !span.ends_with(".rs") {
                    continue;
                }
                let folder = crate_name.map_or(String::new(), |name| format!("{name}/"));
                let suffix = format!("/{span}");
                let matches = |source: &String| {
                    source == span || source.starts_with(&folder) && source.ends_with(&suffix)
                };
                if !sources.iter().any(matches) {
                    missing.push(format!("{folder}…{suffix}"));
                }
                count += 1;
            }
        }
        assert!(count > 20, "found only {count} file names in {guide}");
        assert_eq!(missing, Vec::<String>::new(), "{guide}");
    }
}

#[test]
fn the_manual_pages_have_the_date_of_the_changelog() {
    let between = |text: &str, start: &str, end: &str| {
        let (_, rest) = text.split_once(start).unwrap_or_else(|| panic!("{start}"));
        rest.split_once(end)
            .unwrap_or_else(|| panic!("{end}"))
            .0
            .to_owned()
    };
    let heading = concat!("\n## ", env!("CARGO_PKG_VERSION"), " (");
    let date = between(&read("CHANGELOG.md"), heading, ")\n");
    let source = read("profile-cli/src/commands/man.rs");
    let released = between(&source, "const RELEASED: &str = \"", "\"");
    assert!(["not yet released", &released].contains(&&*date), "{date}");
}

/// Removes the code blocks, which may contain brackets that are not links.
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

/// Returns the targets of Markdown and HTML links.
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
    let inline = [("](", ')'), ("src=\"", '"'), ("href=\"", '"')];
    let inline = inline
        .into_iter()
        .flat_map(|(open, close)| between(open, close));
    inline.chain(definitions).collect()
}

/// Checks a link. Ignores links to other sites.
fn resolve(document: &str, target: &str) -> Result<(), String> {
    let is_external = target.contains("://") || target.starts_with("mailto:");
    // rustdoc checks links to Rust items.
    if is_external || target.contains("::") {
        return Ok(());
    }
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let folder = Path::new(document).parent().unwrap();
    let file = match path {
        "" => root().join(document),
        _ => root().join(folder).join(path),
    };
    if !file.exists() {
        return Err("file not found".to_owned());
    }
    if anchor.is_empty() || file.extension().is_none_or(|ending| ending != "md") {
        return Ok(());
    }
    let text = std::fs::read_to_string(file).unwrap();
    let mut known = heading_anchors(&text).into_iter().chain(anchors(&text));
    match known.any(|known| known == anchor) {
        true => Ok(()),
        false => Err(format!("#{anchor} not found")),
    }
}

/// Returns the titles of the headings.
pub(crate) fn headings(document: &str) -> Vec<String> {
    let prose = prose(document);
    let headings = prose.lines().filter(|line| line.starts_with('#'));
    headings
        .map(|line| line.trim_start_matches('#').trim().to_owned())
        .collect()
}

/// Returns the anchors that a document sets with `<a id="…">`.
pub(crate) fn anchors(document: &str) -> Vec<String> {
    let rests = document.split("<a id=\"").skip(1);
    rests
        .map(|rest| rest.split('"').next().unwrap().to_owned())
        .collect()
}

/// Removes the anchors and the targets of links, and joins the lines.
pub(crate) fn without_anchors(document: &str) -> String {
    let text = without(document, "<a id=\"", "</a>");
    without(&text, "](", ")").replace('\n', " ")
}

/// Removes all parts from a start to the next end.
fn without(text: &str, start: &str, end: &str) -> String {
    let mut parts = text.split(start);
    let first = parts.next().unwrap_or_default().to_owned();
    let rests = parts.map(|part| part.split_once(end).expect("an end of the part").1);
    first + &rests.collect::<String>()
}

/// Returns the anchors of the headings, in GitHub's format.
fn heading_anchors(document: &str) -> Vec<String> {
    let mut anchors: Vec<String> = Vec::new();
    for title in headings(document) {
        let anchor: String = title
            .to_lowercase()
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
