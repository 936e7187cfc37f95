//! `profile export`, `diff` and `apply`: the profile as a file.

use std::fs;

use expect_test::expect;
use mock_server::journal::RequestPattern;
use mock_server::wiremock::ResponseTemplate;
use mock_server::{Dialect, Fault, FaultRule, MockServer};
use serde_json::json;

use crate::program::{Fixture, Program, Run};
use crate::pseudo_terminal::Terminal;

#[track_caller]
fn apply(fixture: &Fixture, text: &str, further: &[&str]) -> Run {
    let path = fixture.file("profile.toml", text);
    fixture.run(&[&["apply", &path], further].concat())
}

/// Returns the titles and URLs of the links.
#[track_caller]
fn links(fixture: &Fixture) -> Vec<(String, String)> {
    let list = fixture.run(&["link", "list"]);
    let fields = list.stdout().lines().map(|line| line.split('\t'));
    let link = |mut fields: std::str::Split<'_, char>| {
        let [title, url] = [fields.nth(1), fields.next()].map(|it| it.unwrap().to_owned());
        (title, url)
    };
    fields.map(link).collect()
}

fn writes(service: &MockServer) -> usize {
    let requests = service.journal().requests().into_iter();
    requests.filter(|request| request.method != "GET").count()
}

/// A page, as from a proxy or a login.
const PAGE: &str = r#"{"status": {"status": 200, "body": " <!DOCTYPE html><p>Welcome</p>"}}"#;

fn respond_with_page(fixture: &Fixture, methods: &[&str], phase: &str, page: &str) {
    for method in methods {
        let rules = format!(
            r#"{{"phase": "{phase}", "match": {{"method": "{method}"}}, "fault": {page}}}"#
        );
        fixture.add_faults(&rules);
    }
}

#[tokio::test]
async fn a_page_is_not_the_result_of_a_write() {
    for (command, failures) in [
        ("set --bio b", 1),
        ("post create p", 1),
        ("link add t https://example.org", 1),
        ("link edit link_1 --title t", 1),
        ("link delete link_1 --yes", 1),
        ("link delete link_1 link_2 --yes", 2),
        ("post delete post_1 --yes", 1),
        ("api me/profile -X PATCH -f bio=b", 1),
    ] {
        let fixture = Fixture::new().await;
        respond_with_page(&fixture, &["PATCH", "POST", "DELETE"], "before", PAGE);
        let before = fixture.service.world().unwrap();
        let command: Vec<_> = command.split(' ').collect();
        let run = fixture.run(&[&command[..], &["--json"]].concat());
        let error = run.error();
        let each = error["failures"].as_array().cloned();
        let each = each.unwrap_or_else(|| vec![error.clone()]);
        assert_eq!((run.code(), each.len()), (8, failures), "{run}");
        for error in each {
            assert_eq!(error["code"], "no_response", "{run}");
            assert_eq!(error["status"], 200, "{run}");
            assert_eq!(error["outcome"], "unknown", "{run}");
            assert_eq!(error["retryable"], false, "{run}");
        }
        assert_eq!(run.stdout_bytes(), b"", "{run}");
        assert_eq!(writes(&fixture.service), failures);
        let text = fixture.run(&command).stderr();
        assert!(text.contains("not from the service"), "{text}");
        assert!(text.contains("check with `profile "), "{text}");
        assert_eq!(fixture.service.world().unwrap(), before);
    }
    let fixture = Fixture::new().await;
    respond_with_page(&fixture, &["POST"], "before", PAGE);
    let run = fixture.run(&["api", "me/posts", "-f", "body=p"]);
    assert_eq!(run.stdout(), " <!DOCTYPE html><p>Welcome</p>");
    run.says("check with `profile show`");
    // A page in answer to a repeated deletion does not show that the link was deleted.
    let lost = FaultRule::new(Fault::status(503)).times(1);
    let deletions = RequestPattern::any().method("DELETE");
    fixture.service.add_fault(lost.matching(deletions)).unwrap();
    let page = PAGE.replace("200", "404");
    respond_with_page(&fixture, &["DELETE"], "before", &page);
    let run = fixture.run(&["link", "delete", "link_1", "--yes", "--json"]);
    assert_eq!(run.code(), 8, "{run}");
    assert_eq!(run.error()["outcome"], "unknown", "{run}");
}

#[tokio::test]
async fn apply_reads_the_profile_after_a_page() {
    let text = "[profile]\nlocation = \"here\"\n";
    for (phase, code) in [("before", 1), ("after", 0)] {
        let fixture = Fixture::new().await;
        respond_with_page(&fixture, &["PATCH"], phase, PAGE);
        let run = apply(&fixture, text, &["--json"]);
        assert_eq!(run.code(), code, "{run}");
        if code == 1 {
            assert_eq!(run.error()["outcome"], "unknown", "{run}");
            let report = &run.json_lines()[0];
            assert_eq!(report["unknown"]["to"]["location"], "here", "{run}");
        }
    }
}

#[tokio::test]
async fn a_repeated_id_is_an_error_with_its_last_place() {
    let fixture = Fixture::new().await;
    let link = |id: &str, title: &str| {
        format!("[[links]]\nid = {id}\ntitle = \"{title}\"\nurl = \"https://example.org\"\n")
    };
    let toml = link("\"link_1\"", "One") + &link("\"link_2\"", "Two") + &link("\"link_1\"", "One");
    let inline = "links = [\n  {id = \"link_1\", title = \"t\", url = \"x:y\"},\n\n\n\n\n\n\n\n  \
                  {id = \"link_1\", title = \"t\", url = \"x:y\"}]";
    let json = "{\"links\": [{\"id\": \"link_1\",\n\n\n\n\n\n\n\n\n \"title\": \"t\", \"url\": \"x:y\"}, {\"title\": \"t\",\
                \"id\": \"link_1\", \"url\": \"x:y\"}]}";
    for text in [&*toml, inline, json] {
        let run = apply(&fixture, text, &[]);
        run.fails(2, "profile.toml:10:");
        run.says(": several links have the id \"link_1\"");
    }
    assert_eq!(writes(&fixture.service), 0);
}

#[tokio::test]
async fn urls_are_checked_as_in_link_add() {
    let fixture = Fixture::new().await;
    let scheme = "link \"t\": the URL localhost:3000 has the scheme localhost";
    let script = "link \"t\": the URL starts with javascript:";
    let invisible = "invisible character U+200B";
    let spaces = "link \"t\": the URL has spaces around it";
    for (url, expected, code) in [
        ("localhost:3000", scheme, 0),
        ("javascript:alert(1)", script, 0),
        ("https://example.org/\u{200b}", invisible, 0),
        (" https://example.org", spaces, 2),
    ] {
        let text = format!("[[links]]\ntitle = \"t\"\nurl = \"{url}\"\n");
        let path = fixture.file("profile.toml", &text);
        for command in [
            &["diff", &path][..],
            &["apply", &path, "--dry-run"],
            &["apply", &path],
        ] {
            fixture.run(command).fails(code, expected);
        }
    }
}

#[tokio::test]
async fn exports_toml_and_json() {
    let fixture = Fixture::new().await;
    let export = fixture.run(&["export"]);
    let text = export.to_string().replace(fixture.service.uri(), "SERVICE");
    expect![[r##"
        exit 0
        --- stdout
        # A profile; `profile apply FILE` applies it.

        [source]
        service = "SERVICE"
        handle = "demo"

        [profile]
        display_name = "Demo Person"
        bio = """
        I live inside a mock server.
        Edit me as you like."""
        location = "127.0.0.1"
        accent_color = "#2563eb"
        text_color = "#111827"
        background_color = "#f9fafb"

        [[links]]
        id = "link_1"
        title = "Homepage"
        url = "https://example.com/demo"

        [[links]]
        id = "link_2"
        title = "Code"
        url = "https://example.com/demo/code"
        --- stderr
    "##]]
    .assert_eq(&text);
    let unchanged = "Nothing to change; links without changes: 2\n";
    let json = fixture.run(&["export", "--json"]);
    assert_eq!(json.json()["source"]["handle"], "demo");
    assert_eq!(json.json()["links"][0]["id"], "link_1");
    for further in [&[][..], &["--dry-run"]] {
        assert_eq!(apply(&fixture, json.stdout(), further).stdout(), unchanged);
    }
}

#[tokio::test]
async fn the_name_or_an_option_selects_the_format() {
    let fixture = Fixture::new().await;
    let (export, json) = (fixture.run(&["export"]), fixture.run(&["export", "--json"]));
    // Options and the name of the file select the format, but not the settings.
    for configured in ["json", "csv"] {
        let again = fixture
            .program(&["export"])
            .env("PROFILE_OUTPUT", configured);
        assert_eq!(again.run().stdout(), export.stdout());
    }
    for (name, option, is_json) in [
        ("a.toml", "--quiet", false),
        ("a.json", "--quiet", true),
        ("b.JSON", "--quiet", true),
        ("b.toml", "--json", true),
    ] {
        let path = fixture.home.path().join(name);
        let path = path.to_str().unwrap();
        let written = fixture.run(&["export", path, option]);
        let expected = match option {
            "--json" => format!("{}\n", json!({"path": path, "result": "written"})),
            _ => format!("Wrote the profile to {path}.\n"),
        };
        assert_eq!(written.stdout(), expected);
        let text = fs::read_to_string(path).unwrap();
        if is_json {
            let written: serde_json::Value = serde_json::from_str(&text).unwrap();
            assert_eq!(written, json.json());
        } else {
            assert_eq!(text, export.stdout());
        }
        assert_eq!(fixture.run(&["diff", path, "--exit-code"]).code(), 0);
    }
    let rejected =
        ["csv", "tsv", "table"].map(|format| fixture.run(&["export", "-o", format]).usage_error());
    let expected =
        "error: a profile is written as TOML or JSON\nhint: use --json, or omit --output\n";
    assert_eq!(rejected, [expected; 3]);
}

#[tokio::test]
async fn export_replaces_only_profile_files() {
    let fixture = Fixture::new().await;
    let invalid = "[profile]\nnickname = 1";
    let of_other = "[source]\nhandle = 'grace'\n[profile]\nbio = 'b'";
    for (text, reason) in [
        ("", None),
        ("[profile]\nbio = 'b'", None),
        ("links = []", None),
        ("{}", Some("not a profile file")),
        (invalid, Some("not a profile file")),
        ("notes", Some("not a profile file")),
        (of_other, Some("the file of another account")),
    ] {
        let path = fixture.file("profile.toml", text);
        let run = fixture.run(&["export", &path]);
        if let Some(reason) = reason {
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
            let message = format!("error: {path} exists and is {reason}\nhint: ");
            assert!(run.usage_error().starts_with(&message), "{run}");
            fixture.run(&["export", &path, "--yes"]).stdout();
        }
        let written = fs::read_to_string(&path).unwrap();
        assert!(written.contains("Demo Person"), "{text}: {written}");
    }
    if cfg!(unix) {
        fixture.run(&["export", "/dev/null"]).stdout();
    }
    let large = fixture.file("profile.toml", "");
    let opened = fs::File::options().write(true).open(&large);
    opened.unwrap().set_len(65 << 20).unwrap();
    let unread = fixture.run(&["export", &large]).usage_error();
    assert_eq!(unread, format!("error: {large} is larger than 64 MiB\n"));
}

#[tokio::test]
async fn names_a_link_that_a_file_cannot_hold() {
    let body = json!({"data": {"links": [{"id": "1", "title": "Draft"}]}});
    let answer = ResponseTemplate::new(200).set_body_json(body);
    let fixture = Fixture::responding(answer).await;
    let export = fixture.run(&["export"]);
    export.says("left out link 1: url is missing\n");
    let run = apply(&fixture, export.stdout(), &["--prune", "--yes"]);
    let expected = "Nothing to change; links that are not in the file: 1\n";
    assert_eq!(run.stdout(), expected);
}

/// Changes two fields and a link, adds a link, and does not contain the second link.
const CHANGES: &str = "[profile]\nlocation = \"\"\naccent_color = \"orange\"\n\
                [[links]]\ntitle = \"Homepage\"\nurl = \"https://new.example\"\n\
                [[links]]\ntitle = \"Third\"\nurl = \"https://third.example\"\n";

#[tokio::test]
async fn shows_changes() {
    let fixture = Fixture::new().await;
    let path = fixture.file("profile.toml", CHANGES);
    let diff = fixture.run(&["diff", &path, "--exit-code"]);
    diff.check(&expect![[r#"
        exit 9
        --- stdout
        location
          - 127.0.0.1
          + 
        accent_color
          - #2563eb
          + #ffa500
        link link_1
            Homepage
          - https://example.com/demo
          + https://new.example
        new link
          + Third
          + https://third.example
        4 changes; links that are not in the file: 1
        --- stderr
    "#]]);
    let stdout = String::from_utf8_lossy(diff.stdout_bytes());
    let (changes, _) = stdout.split_once("4 changes; ").unwrap();
    let dry_run = apply(&fixture, CHANGES, &["--dry-run"]);
    expect![[r##"
        PATCH /api/v1/me/profile
        {"location":"","accent_color":"#ffa500"}
        PATCH /api/v1/me/links/link_1
        {"title":"Homepage","url":"https://new.example"}
        POST /api/v1/me/links
        {"title":"Third","url":"https://third.example"}
        No change was sent.
    "##]]
    .assert_eq(dry_run.stdout().strip_prefix(changes).unwrap());
    assert_eq!(dry_run.stderr(), "");
    assert_eq!(writes(&fixture.service), 0);
}

#[tokio::test]
async fn applies_changes() {
    let fixture = Fixture::new().await;
    apply(&fixture, CHANGES, &["--prune"]).check_needs_consent();
    assert_eq!(writes(&fixture.service), 0, "a deletion needs consent");
    apply(&fixture, CHANGES, &["--prune", "--yes"]).check(&expect![[r##"
        exit 0
        --- stdout
        done: edit location "", accent_color "#ffa500"
        done: edit link link_1 "Homepage"
        done: create new link "Third"
        done: delete link link_2 "Code"
        --- stderr
    "##]]);
    assert_eq!(writes(&fixture.service), 4);
    let again = apply(&fixture, CHANGES, &["--prune", "--json"]).json();
    assert_eq!(again, json!({"done": [], "unknown": null, "not_done": []}));
    apply(&fixture, "links = []", &["--prune", "--yes"]).stdout();
    assert_eq!(links(&fixture), []);
    let text = "links = [{title = \"a\", url = \"https://a\"}]";
    let created = json!({"step": "create_link", "to": {"title": "a", "url": "https://a"}});
    let run = apply(&fixture, text, &["--json"]);
    assert_eq!(run.json()["done"][0], created);
}

#[tokio::test]
async fn names_the_place_of_a_problem_in_a_file() {
    let fixture = Fixture::new().await;
    for row in [
        "\nnickname = 1 => 2:1: unknown field `nickname`",
        "[source]\nserver = \"x\" => 2:1: unknown field `server`",
        "[profile]\nbio = 1 => 2:7: bio has the type integer; expected a string in quotes",
        "[profile]\nbio = 1\ntext_color = \"rot\"\n[links] => \
         2:7: bio has the type integer; expected a string in quotes\n\
         3:14: text_color: \"rot\" is not a color; expected #rrggbb, #rgb or a CSS name, for example \
         #ff8800, #f80 or orange\n\
         4:1: invalid type: map, expected a sequence; write [[links]] above each link",
        "{ // all\n\"links\": []} => 1:3: key must be a string",
        "links = [{title = 'a', url = 'b'}] => 1:30: url \"b\" is not an absolute URL",
        "[[links]]\nid = \"1\"\ntitle = \"b\" => 1:1: missing field `url`",
        "[profile]\nbio = \"\u{e9} => 2:9: invalid basic string",
        "{\n  \"links\": 1} => 2:12: invalid type: integer `1`",
        " [{\"title\": \"a\"}] => 1:1: an array; expected an object",
        "[] => 1:1: an array; expected an object",
        "{\"profile\": {\n\"text_color\": \"rot\"}} => 2:20: color \"rot\" is not of the form #rrggbb",
    ] {
        let (text, expected) = row.split_once(" => ").unwrap();
        let run = apply(&fixture, text, &[]);
        assert_eq!(run.code(), 2, "{run}");
        for expected in expected.lines() {
            let expected = format!("profile.toml:{expected}");
            run.says(&expected);
        }
    }
    assert_eq!(fixture.service.journal().requests().len(), 0);
}

/// A service that trims titles and drops the final slash of URLs, and whose profile has links from earlier
/// runs.
#[tokio::test]
async fn links_that_the_service_changes_are_not_created_again() {
    let fixture = Fixture::new().await;
    let text = "[[links]]\ntitle = \"Blog \"\nurl = \"https://a.example/x/\"\n";
    let set_links = |titles: &'static [&str]| {
        fixture.service.update(move |world| {
            world.account_mut("demo").unwrap().links.clear();
            for title in titles {
                let added = world.add_link("demo", title, "https://a.example/x");
                added.unwrap();
            }
        })
    };
    set_links(&["Blog", "Blog"]).unwrap();
    let stored = json!({"data": {"id": "link_6", "title": "Blog", "url": "https://a.example/x"}});
    let changed = Fault::status(200).with_body(stored.to_string());
    let changed = FaultRule::new(changed).matching(RequestPattern::any().method("PATCH"));
    fixture.service.add_fault(changed).unwrap();
    let run = apply(&fixture, text, &["--json"]);
    expect![[r#"
        warning: the service stored the title of link link_6 "Blog " as "Blog"
        warning: the service stored the url of link link_6 "https://a.example/x/" as "https://a.example/x"
    "#]]
    .assert_eq(&run.stderr());
    let report = run.json();
    assert_eq!(report["done"].as_array().unwrap().len(), 1);
    assert_eq!(report["warnings"][0]["stored"], "Blog");
    assert_eq!(writes(&fixture.service), 1);

    set_links(&["Blog", " Blog"]).unwrap();
    let path = fixture.file("profile.toml", text);
    for arguments in [&["diff"][..], &["apply", "--dry-run"], &["apply"]] {
        let run = fixture.run(&[arguments, &[&path, "--prune", "--json"]].concat());
        expect![[r#"
            warning: link "Blog " ("https://a.example/x/") is left out, because the profile has similar links: "Blog" ("https://a.example/x"), " Blog" ("https://a.example/x"); none of them is changed; use the title and the URL of one of them, or change it by its ID
        "#]]
        .assert_eq(&run.stderr());
        if arguments != ["apply", "--dry-run"] {
            assert_eq!(run.json()["warnings"][0]["to"]["title"], "Blog ");
        }
    }
    assert_eq!(writes(&fixture.service), 1);
}

#[tokio::test]
async fn a_missing_scope_is_an_error_before_the_first_write() {
    let fixture = Fixture::new().await;
    let path = fixture.file("profile.toml", CHANGES);
    let scopes = [mock_server::Scope::ProfileWrite];
    let key = fixture.service.create_key("demo", &scopes).unwrap();
    for further in [&["--dry-run"][..], &[]] {
        let arguments = [&["apply", &path], further].concat();
        let program = fixture.program(&arguments).env("PROFILE_API_KEY", &key);
        program
            .run()
            .fails(5, "the key lacks the scope links:write");
    }
    assert_eq!(writes(&fixture.service), 0);
}

#[tokio::test]
async fn ids_count_only_for_their_own_profile() {
    let fixture = Fixture::new().await;
    let text = |handle: &str| {
        let uri = fixture.service.uri();
        format!(
            "[source]\nservice = \"{uri}/\"\nhandle = \"{handle}\"\n\
             [[links]]\nid = \"link_1\"\ntitle = \"{handle}\"\nurl = \"https://{handle}.example\"\n"
        )
    };
    let changes = |handle: &str| {
        let run = apply(&fixture, &text(handle), &["--json"]).json();
        let step = &run["done"][0];
        (step["step"].clone(), step["id"].clone())
    };
    assert_eq!(changes("grace"), (json!("create_link"), json!(null)));
    assert_eq!(changes("demo"), (json!("edit_link"), json!("link_1")));
}

#[tokio::test]
async fn a_failed_run_reports_what_was_done_and_can_be_repeated() {
    let fixture = Fixture::new().await;
    let rule = FaultRule::new(Fault::status(422)).skip(1);
    let rule = rule.matching(RequestPattern::any().method("POST"));
    fixture.service.add_fault(rule.times(1)).unwrap();
    let text = "[[links]]\ntitle = \"One\"\nurl = \"https://one.example\"\n\
                [[links]]\ntitle = \"Two\"\nurl = \"https://two.example\"\n";
    let failed = apply(&fixture, text, &["--json"]);
    let report = &failed.json_lines()[0];
    assert_eq!(report["done"][0]["to"]["title"], "One");
    assert_eq!(report["not_done"][0]["to"]["title"], "Two");
    assert_eq!(failed.error()["exit_code"], 6);
    let hint = failed.error()["hint"].as_str().unwrap().to_owned();
    assert!(hint.contains("run the command again"), "{hint}");
    apply(&fixture, text, &[]).stdout();
    assert_eq!(links(&fixture).len(), 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_apply_counts_the_changes_that_were_made() {
    let fixture = Fixture::new().await;
    let failure = FaultRule::new(Fault::status(500)).matching(RequestPattern::any().method("POST"));
    fixture.service.add_fault(failure).unwrap();
    let text = "[profile]\nlocation = \"here\"\n\
                [[links]]\ntitle = \"One\"\nurl = \"https://one.example\"\n";
    let path = fixture.file("profile.toml", text);
    let (_, seen) = Terminal::start(fixture.program(&["apply", &path, "--yes"])).ends();
    let hint = "; check with `profile show` before you try again\r\n";
    assert!(seen.contains("Applied 1 of 2 changes.\r\n"), "{seen}");
    assert!(seen.ends_with(hint), "{seen}");
    // The plan is printed once.
    assert_eq!(seen.matches("  + here").count(), 1, "{seen}");
}

#[tokio::test]
async fn a_service_that_lists_no_links_is_an_error_before_the_first_write() {
    let service = MockServer::builder().dialect(Dialect::minimal());
    let fixture = Fixture::of(service.start().await.unwrap());
    let text = "[profile]\nlocation = \"here\"\n[[links]]\ntitle = \"a\"\nurl = \"https://a\"\n";
    let run = apply(&fixture, text, &["--json"]);
    assert_eq!(run.code(), 1, "{run}");
    let message = "the service does not list your links, so those of the file cannot be compared";
    assert_eq!(run.error()["message"], message);
    let path = fixture.file("profile.toml", text);
    let diff = fixture.run(&["diff", &path]);
    let line = "1 change; not compared: links\n";
    assert!(diff.to_string().contains(line), "{diff}");
    let warning =
        "warning: the service does not list the links of the profile, so they are not compared\n";
    diff.says(warning);
    assert_eq!(writes(&fixture.service), 0);
    apply(&fixture, "[profile]\nlocation = \"there\"\n", &[]).stdout();
    let export = fixture.run(&["export"]);
    export.says("does not list your links");
    assert!(!export.stdout().contains("links ="), "{export}");
    let edit = ["link", "edit", "nope", "--title", "New"];
    let preview = fixture.run(&[&edit[..], &["--dry-run"]].concat());
    assert!(preview.stdout().contains("/me/links/nope"), "{preview}");
    for words in [&edit[..], &["link", "delete", "nope", "--yes"]] {
        let unknown = fixture.run(words).to_string();
        assert!(unknown.contains("(404)"), "{unknown}");
        assert!(!unknown.contains("link list"), "{unknown}");
    }
}

#[tokio::test]
async fn copies_a_profile_to_another_account() {
    let fixture = Fixture::new().await;
    let other = MockServer::start().await;
    fixture.run(&["set", "--bio", "one\n\"two\" "]).stdout();
    let exported = fixture.run(&["export"]).stdout().to_owned();
    let apply = || {
        let arguments = ["apply", "-", "--prune", "--yes", "--json"];
        let program = Program::new(fixture.home.path(), &arguments);
        let program = program.env("PROFILE_BASE_URL", other.uri());
        let program = program.env("PROFILE_API_KEY", other.key());
        program.stdin(exported.clone()).run().json()
    };
    assert_eq!(apply()["done"][0]["step"], "edit_profile");
    assert_eq!(apply()["done"], json!([]));
    let world = other.world().unwrap();
    let bio = &world.account("demo").unwrap().profile.bio;
    assert_eq!(bio, "one\n\"two\" ");
}

#[tokio::test]
async fn says_whose_file_changes_whose_profile() {
    let fixture = Fixture::new().await;
    let uri = fixture.service.uri();
    let of_grace = format!("note: the file of grace changes the profile of demo at {uri}\n");
    let of_host = format!(
        "note: the file of demo at https://***@other.example changes the profile of demo at {uri}\n"
    );
    let other = "handle = 'demo'\nservice = 'https://user:secret@other.example'";
    for (source, expected) in [
        ("handle = 'grace'", &*of_grace),
        (other, &of_host),
        (&format!("handle = 'demo'\nservice = '{uri}/'"), ""),
        ("handle = 'demo'", ""),
    ] {
        let bio = source.len();
        let text = format!("[source]\n{source}\n[profile]\nbio = '{bio}'\n");
        let path = fixture.file("profile.toml", &text);
        for command in [
            &["diff", &path][..],
            &["apply", &path, "--dry-run", "--json"],
            &["apply", &path],
        ] {
            let run = fixture.run(command);
            run.stdout();
            assert_eq!(run.stderr(), expected, "{command:?}: {run}");
        }
        let again = fixture.run(&["apply", &path]);
        assert_eq!(again.stderr(), "", "there is nothing to change");
    }
}

/// A command with a file, the question about it, and `true` if it is needed everywhere: off a terminal and with
/// `--no-input`, a missing answer is an error.
const ASKING: &[(&str, &str, &str, bool)] = &[
    ("set --location L", "", "", false),
    ("apply FILE", "", "Apply the changes?", false),
    (
        "apply FILE",
        "[source]\nhandle = 'grace'\n",
        "Apply the file of another account?",
        true,
    ),
    (
        "apply FILE --prune",
        "links = []\n",
        "Delete these 2 links, which are not in the file?",
        true,
    ),
    (
        "apply FILE --prune",
        "links = []\n[source]\nhandle = 'grace'\n",
        "Apply the file of another account, and delete these 2 links, which are not in the file?",
        true,
    ),
    ("link delete link_1", "", "Delete link \"link_1\"", true),
    ("post delete post_3", "", "Delete post \"post_3\"", true),
];

/// The standard stream of a command on a terminal that is the null device. Answers are also read if it is stdin.
const REDIRECTIONS: [Option<usize>; 4] = [None, Some(0), Some(1), Some(2)];

#[tokio::test(flavor = "multi_thread")]
async fn commands_ask_on_terminals_unless_an_option_answers() {
    let fixture = Fixture::new().await;
    fixture.add_account("demo");
    let initial = fixture.service.world().unwrap();
    let options = [
        "",
        "--yes",
        "--no-input",
        "--yes --no-input",
        "--dry-run",
        "--json",
        "--quiet",
    ];
    for (command, start, question, is_needed) in ASKING {
        for (redirection, options) in REDIRECTIONS
            .iter()
            .flat_map(|it| options.map(|options| (it, options)))
        {
            let text = format!("{start}[profile]\nlocation = 'L{options}'\n");
            let file = fixture.file("profile.toml", text);
            let run = format!("{command} {options}");
            let words = run.split_whitespace();
            let words = words.map(|word| if word == "FILE" { &file } else { word });
            let mut program = fixture.without_settings(&words.collect::<Vec<_>>());
            program.null_stream = *redirection;
            let mut terminal = Terminal::of_size(24, 240, program);
            let answers = options.contains("--yes") || options == "--dry-run";
            let is_watched = redirection.is_none() && !["--json", "--quiet"].contains(&options);
            let can_ask = !options.contains("--no-input") && *redirection != Some(2);
            let is_asked =
                !question.is_empty() && !answers && can_ask && (*is_needed || is_watched);
            if is_asked {
                terminal.sees(question);
                terminal.sees("[y/N] ");
                terminal.types("n\n");
            }
            let (code, seen) = terminal.ends();
            let is_error = *is_needed && !answers && !can_ask;
            let expected = if is_error { 2 } else { i32::from(is_asked) };
            let run = format!("{run} {redirection:?}: {seen}");
            assert_eq!(code, Some(expected), "{run}");
            let questions = seen.matches("[y/N]").count();
            assert_eq!(questions, usize::from(is_asked), "{run}");
            let sends = expected == 0 && options != "--dry-run";
            let is_changed = fixture.service.world().unwrap() != initial;
            assert_eq!(is_changed, sends, "{run}");
            let initial = initial.clone();
            fixture.service.update(|world| *world = initial).unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_selects_an_account_is_not_asked_whether_the_file_is_of_another_one() {
    let fixture = Fixture::new().await;
    let (uri, key) = (fixture.service.uri(), fixture.service.key());
    fixture.log_in(key, &["--account", "demo"]).stdout();
    for (variable, options) in [
        (None, "--account demo"),
        (Some(("PROFILE_ACCOUNT", "demo")), ""),
        (Some(("PROFILE_API_KEY", key)), ""),
        (Some(("PROFILE_BASE_URL", uri)), ""),
    ] {
        let text = format!("[source]\nhandle = 'grace'\n[profile]\nbio = '{variable:?}'\n");
        let path = fixture.file("profile.toml", &text);
        let words: Vec<_> = ["apply", &path]
            .into_iter()
            .chain(options.split_whitespace())
            .collect();
        let program = || fixture.without_settings(&words).envs(variable.as_slice());
        let question = "\r\nApply the changes? [y/N] ";
        let seen = Terminal::answered(program(), question, "y\n").ends_with(0);
        assert!(seen.contains("the file of grace changes"), "{seen}");
        // There is nothing to change any more, and nothing to ask.
        assert_eq!(program().run().code(), 0);
        fixture.run(&["set", "--bio", "b"]).stdout();
        program().run().stdout();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn confirmations_name_the_account_if_there_are_several() {
    let fixture = Fixture::new().await;
    let path = fixture.file("profile.toml", "links = []");
    let key = fixture.service.key();
    let commands = [
        &["link", "delete", "link_1"][..],
        &["post", "delete", "post_3"],
        &["apply", &path, "--prune"],
        &["--account", "work", "link", "delete", "link_1"],
    ];
    for (stored, names) in [("work", ["? ["; 4]), ("demo", ["? (account demo) ["; 4])] {
        fixture.log_in(key, &["--account", stored]).stdout();
        for (command, name) in commands.iter().zip(names) {
            let name = match command[0] {
                "--account" => name.replace("demo", "work"),
                _ => name.to_owned(),
            };
            let program = fixture.without_settings(command);
            Terminal::answered(program, &format!("{name}y/N] "), "n\n").ends_with(1);
        }
    }
    // A key from the environment is not that of a stored account.
    let delete = fixture.program(&["link", "delete", "link_1"]);
    Terminal::answered(delete, "? (PROFILE_API_KEY) [y/N] ", "n\n").ends_with(1);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_sent_if_the_profile_changes_during_the_question() {
    let fixture = Fixture::new().await;
    let path = fixture.file("profile.toml", "links = []");
    let mut terminal = Terminal::start(fixture.program(&["apply", &path, "--prune"]));
    terminal.sees("[y/N] ");
    let edit = ["link", "edit", "link_1", "--title", "New"];
    fixture.run(&edit).stdout();
    terminal.types("y\n");
    let shown = terminal.ends_with(1);
    let changed = "the profile has changed since it was read; nothing was sent";
    assert!(shown.contains(changed), "{shown}");
    assert_eq!(links(&fixture).len(), 2);
}

#[tokio::test]
async fn an_empty_file_is_an_error() {
    let fixture = Fixture::new().await;
    for text in ["", "\n", "{}", "[source]\nhandle = 'demo'\n"] {
        let run = apply(&fixture, text, &[]);
        let expected = "has neither fields nor links; expected the output of `profile export`\n";
        assert!(run.stderr().ends_with(expected), "{run}");
    }
}

#[tokio::test]
async fn the_values_of_an_editor_are_only_in_their_table() {
    let fixture = Fixture::new().await;
    let bio = "one\n# as it was: x\n[base]\nshown = \"x\"";
    fixture.run(&["set", "--bio", bio]).stdout();
    let export = fixture.run(&["export"]).stdout().to_owned();
    let unchanged = "Nothing to change; links without changes: 2\n";
    assert_eq!(apply(&fixture, &export, &[]).stdout(), unchanged);
    let json = apply(&fixture, r#"{"base": {"shown": "e30="}}"#, &[]);
    json.fails(2, "unknown field `base`");
}
