//! The questions and requests of each command. A change must not add any.

use std::fs;

use crate::edit::writes;
use crate::program::{Fixture, Program};
use crate::pseudo_terminal::Terminal;
use crate::walk::{Row, rows};

/// A fault, a command, and what it asks (`?`) and sends, in this order. All other commands that use the service send
/// one `GET`.
const ROWS: &[(&str, &str, &str)] = &[
    ("", "diff FILE", "GET"),
    ("", "stats", "GET GET"),
    ("", "auth login", "GET"),
    ("", "api me", "GET"),
    ("", "api me/posts -f body=p", "POST"),
    ("", "api me/links/link_1 -X DELETE", "DELETE"),
    ("", "set --bio b", "GET PATCH"),
    ("silent", "set --bio b", "GET PATCH"),
    ("", "set --bio b --dry-run", "GET"),
    ("", "edit", "GET GET PATCH"),
    ("silent", "edit", "GET GET PATCH GET"),
    ("", "edit --dry-run", "GET"),
    ("", "link add t x:y", "POST"),
    ("silent", "link add t x:y", "POST"),
    ("lost", "link add t x:y", "POST"),
    ("", "link add t x:y --dry-run", ""),
    ("", "link edit link_1 --title t", "GET PATCH"),
    ("unreadable", "link edit link_1 --title t", "GET"),
    ("", "link edit link_1 --title t --dry-run", "GET"),
    ("", "link delete link_1", "GET ? GET DELETE"),
    (
        "",
        "link delete link_1 link_2 nope",
        "GET ? GET DELETE DELETE",
    ),
    ("", "link delete nope", "GET"),
    ("", "link delete nope --yes", "GET DELETE"),
    ("", "link delete link_1 link_2 --yes", "GET DELETE DELETE"),
    ("lost", "link delete link_1 --yes", "GET DELETE DELETE"),
    ("silent", "link delete link_1", "GET ? GET DELETE"),
    ("unreadable", "link delete link_1", "GET"),
    ("", "link delete link_1 --dry-run", "GET"),
    ("", "post create p", "POST"),
    ("", "post create p --dry-run", ""),
    ("", "post create --editor", "POST"),
    ("", "post create --editor --dry-run", ""),
    ("", "post create --file KEPT", "POST"),
    ("", "post delete post_3", "GET ? GET DELETE"),
    ("", "post delete post_3 --yes", "GET DELETE"),
    ("", "post delete post_3 --dry-run", "GET"),
    ("", "apply FILE", "GET ? GET PATCH POST"),
    ("lost", "apply FILE", "GET ? GET PATCH PATCH POST"),
    (
        "",
        "apply FILE --prune",
        "GET ? GET PATCH POST DELETE DELETE",
    ),
    (
        "",
        "apply FILE --prune --yes",
        "GET GET PATCH POST DELETE DELETE",
    ),
    ("", "apply FILE --prune --dry-run", "GET"),
    ("", "apply KEPT", "GET ? GET PATCH GET"),
];

/// Responses to writes without a body, one lost response to a write, and one read that fails.
const FAULTS: [(&str, &str); 4] = [
    ("", "[]"),
    (
        "silent",
        r#"{"phase": "after", "match": {"method": "METHOD"}, "fault": {"status": {"status": 204, "body": ""}}}"#,
    ),
    (
        "lost",
        r#"{"phase": "after", "times": 1, "match": {"method": "METHOD"}, "fault": {"wire": "close"}}"#,
    ),
    (
        "unreadable",
        r#"{"times": 1, "match": {"method": "GET"}, "fault": {"status": {"status": 400}}}"#,
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn no_command_asks_or_sends_more() {
    let mut different = Vec::new();
    let listed = |row: &&Row| {
        let name = format!("{} ", row.command);
        let mut commands = ROWS.iter().map(|(_, command, _)| format!("{command} "));
        commands.any(|command| command.starts_with(&name))
    };
    let others = rows().filter(|row| row.calls_the_service() && !listed(row));
    let others = others.map(|row| ("", row.command, "GET"));
    for (fault, command, expected) in ROWS.iter().copied().chain(others) {
        let fixture = Fixture::new().await;
        let (_, rule) = FAULTS.iter().find(|(name, _)| *name == fault).unwrap();
        let writes = expected
            .split(' ')
            .find(|word| !["GET", "?"].contains(word));
        let rule = rule.replace("METHOD", writes.unwrap_or_default());
        fixture.add_faults(&rule);
        let mut terminal = Terminal::start(program(&fixture, command));
        let asked = expected.contains('?').then(|| {
            terminal.sees("[y/N] ");
            let index = fixture.service.journal().requests().len();
            terminal.types("y\n");
            index
        });
        if command == "auth login" {
            terminal.types(&format!("{}\n", fixture.service.key()));
        }
        let (_, seen) = terminal.ends();
        let requests = fixture.service.journal().requests().into_iter();
        let mut done: Vec<_> = requests.map(|request| request.method).collect();
        if let Some(index) = asked {
            done.insert(index, "?".to_owned());
        }
        let questions = seen.matches("[y/N]").count();
        if (&*done.join(" "), questions) != (expected, asked.into_iter().count()) {
            different.push(format!("{fault} {command}: {}\n{seen}", done.join(" ")));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}

/// Returns the program with an editor, a file that changes a field and all links, and a kept text.
fn program(fixture: &Fixture, command: &str) -> Program {
    let home = fixture.home.path();
    let unsent = home.join(".local/state/profile/unsent");
    fs::create_dir_all(&unsent).unwrap();
    let [file, kept] = [home, &unsent].map(|folder| folder.join("profile.toml"));
    let change = "[profile]\nlocation = \"L\"\n";
    let link = "[[links]]\ntitle = \"t\"\nurl = \"x:y\"\n";
    fs::write(&file, format!("{change}{link}")).unwrap();
    fs::write(&kept, change).unwrap();
    let words: Vec<_> = command
        .split(' ')
        .map(|word| match word {
            "FILE" => file.to_str().unwrap(),
            "KEPT" => kept.to_str().unwrap(),
            word => word,
        })
        .collect();
    fixture
        .program(&words)
        .env("PROFILE_EDITOR", writes(change))
}
