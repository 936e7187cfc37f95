//! Lists everything that a new endpoint, scope, field, limit or setting still lacks. Calls, commands and
//! mutants are found in the text of the sources, so a renamed item may have to be renamed here.

use std::fmt::Display;
use std::time::Duration;

use mock_server::{Dialect, Endpoint, Mutant, Request, World, handle};
use profile_sdk::{Bio, Days, Operation, ProfileField, RetryPolicy, Scope};
use serde_json::Value;
use webhook_verify::{EventKind, Verifier};

use crate::documents::{headings, without_anchors};
use crate::repository::{assert_page, read, sources};
use crate::specification_coverage::code_spans;

/// The list of what is missing, each with its subject.
struct Missing(Vec<String>);

impl Missing {
    fn unless(&mut self, is_present: bool, subject: impl Display, missing: &str) {
        if !is_present {
            self.0.push(format!("{subject}: {missing}"));
        }
    }

    /// Requires that the file contains one of the texts.
    fn unless_in(&mut self, file: &str, texts: &[String], subject: impl Display) {
        let content = read(file);
        let is_present = texts.iter().any(|text| content.contains(text));
        let missing = format!("{} in {file}", texts.join(" or ").trim());
        self.unless(is_present, subject, &missing);
    }
}

#[test]
fn every_part_of_the_service_is_complete() {
    let mut missing = Missing(Vec::new());
    check_service(&mut missing);
    for endpoint in Endpoint::ALL {
        let mut operations = Operation::ALL.iter();
        let operation = operations.find(|operation| is_same(*endpoint, operation));
        let scope = endpoint.scope().map(|scope| scope.to_string());
        let is_same = operation.is_some_and(|operation| {
            operation.scope().map(ToString::to_string) == scope
                && operation.requires_key() == endpoint.requires_key()
        });
        missing.unless(
            is_same,
            endpoint,
            "an operation of the SDK with the same access",
        );
    }
    check_days(&mut missing);
    let [sdk, program] = ["profile-sdk/src", "profile-cli/src"].map(sources);
    for operation in Operation::ALL {
        let call = format!("pub fn {}(", operation.name());
        missing.unless(
            sdk.contains(&call),
            without_prefix(operation),
            "a call of the SDK",
        );
        check_rustdoc(&mut missing, operation, &sdk);
        check_operation(&mut missing, operation, &program);
    }
    for scope in Scope::KNOWN {
        check_scope(&mut missing, scope, &program);
    }
    for field in ProfileField::ALL {
        let name = field.name();
        check_documents(&mut missing, name, name);
        if let Some(number) = field.kind().max_characters() {
            let limit = format!("{name}, {}", field.kind());
            check_documents(&mut missing, &limit, &format!("maxLength: {number}"));
            let mut fields = mock_server::ProfileField::ALL.iter();
            let of_mock = fields.find(|of_mock| of_mock.name() == name);
            let is_same = of_mock
                .is_some_and(|of_mock| of_mock.limit().to_string() == field.kind().to_string());
            missing.unless(
                is_same,
                limit,
                "the same limit in mock-server/src/engine/resources.rs",
            );
        }
    }
    for place in places() {
        let row = format!("    (\"{place}\", &[");
        missing.unless_in("mock-server/learn/src/questions.rs", &[row], place);
    }
    check_counts(&mut missing);
    check_sentences(&mut missing);
    missing.0.sort();
    missing.0.dedup();
    assert!(missing.0.is_empty(), "missing:\n{}", missing.0.join("\n"));
}

/// Requires the defaults, the limits and the exit code of `diff` in sentences that repeat them.
fn check_sentences(missing: &mut Missing) {
    type Client = profile_sdk::ClientBuilder;
    let (policy, retries) = (RetryPolicy::new(), 3);
    let of_sentences = policy
        .max_retries(retries)
        .max_wait(Duration::from_secs(30));
    let of_sentences = of_sentences.base_delay(Duration::from_millis(100));
    assert_eq!(policy, of_sentences.max_delay(Duration::from_secs(10)));
    let timeouts = [
        Client::DEFAULT_CONNECT_TIMEOUT,
        Client::DEFAULT_ATTEMPT_TIMEOUT,
        Client::DEFAULT_TOTAL_TIMEOUT,
    ];
    let [connect, attempt, total] = timeouts.map(|time| format!("{} seconds", time.as_secs()));
    let budget = Client::DEFAULT_RETRY_BUDGET;
    let [response, body] = [
        Client::DEFAULT_MAX_RESPONSE_BYTES,
        Verifier::DEFAULT_BODY_LIMIT,
    ]
    .map(|bytes| format!("{} MiB", bytes >> 20));
    let diff = read("profile-cli/src/commands/diff.rs");
    let (_, code) = diff.split_once("const DIFFERS: u8 = ").expect("a constant");
    let (code, _) = code.split_once(';').expect("the end of the constant");
    let sentences = format!(
        "\
profile-sdk/src/client/builder.rs: establishing a connection. Default: {connect}.
profile-sdk/src/client/builder.rs: the last byte of the response. Default: {attempt}.
profile-sdk/src/client/builder.rs: all attempts and waits. Default: {total}.
profile-sdk/src/client/builder.rs: keep failing. Default: {budget}.
profile-sdk/src/client/builder.rs: in bytes. Default: {response}.
profile-sdk/src/retry.rs: default policy: three retries, the first within 100 milliseconds.
profile-sdk/src/retry.rs: without those on 429. Default: {retries}.
profile-sdk/src/retry.rs: the first retry. Default: 100 milliseconds.
profile-sdk/src/retry.rs: maximum of that bound. Default: 10 seconds.
profile-sdk/src/retry.rs: with `Retry-After`. Default: 30 seconds.
profile-sdk/docs/guide.md: retried up to three times (`RetryPolicy::max_retries`)
profile-sdk/docs/guide.md: from 0.1 to at most 10 seconds.
profile-sdk/docs/guide.md: longer than 30 seconds (`RetryPolicy::max_wait`)
profile-sdk/docs/guide.md: may make {budget} retries
profile-sdk/docs/guide.md: | connect | {connect} |
profile-sdk/docs/guide.md: | one attempt | {attempt} |
profile-sdk/docs/guide.md: retries and waits | {total} |
profile-sdk/docs/guide.md: larger than {response} after decompression
profile-sdk/README.md: // Default: {attempt}.
profile-sdk/README.md: waits; default: {total}.
profile-cli/README.md: retried up to three times (`--retries`)
profile-cli/README.md: the exit code is {code} if
profile-cli/src/commands/diff.rs: Exit with {code} if there are
profile-cli/src/help.rs: {code} `profile diff --exit-code`
webhook-verify/src/verifier.rs: Verifier::body_limit`]: {body}.
webhook-verify/src/verifier.rs: The default is [{body}]
webhook-verify/README.md: or 413 over {body}.
docs/receivers/README.md: genuine deliveries of up to {body}"
    );
    for (file, sentence) in sentences.lines().filter_map(|line| line.split_once(": ")) {
        let content = read(file).replace("///", "");
        let words: Vec<_> = content.split_whitespace().collect();
        missing.unless(words.join(" ").contains(sentence), file, sentence);
    }
}

/// Requires the scope in the documentation of a call.
fn check_rustdoc(missing: &mut Missing, operation: &Operation, sdk: &str) {
    let (before, _) = sdk
        .split_once(&format!("pub fn {}(", operation.name()))
        .unwrap_or_default();
    let documentation = before.rsplit("\n\n").next().unwrap_or_default();
    let scope = operation
        .scope()
        .map(|scope| format!("Requires the scope `{scope}`."));
    let found = documentation
        .split("/// ")
        .find(|line| line.starts_with("Requires the scope"));
    let is_same = found.and_then(|line| line.split_inclusive('.').next()) == scope.as_deref();
    missing.unless(
        is_same,
        without_prefix(operation),
        &format!("{scope:?} in its documentation"),
    );
}

/// Requires numbers and lists in text that no program writes.
fn check_counts(missing: &mut Missing) {
    let scopes: Vec<_> = Scope::KNOWN.iter().map(ToString::to_string).collect();
    let lines = format!("at most {} are allowed", Bio::MAX_LINES);
    for (file, text) in [
        // scripts/terminal-picture draws it, with spaces that do not break.
        ("profile-cli/docs/terminal.svg", scopes.join(",\u{a0}")),
        (
            "profile-cli/docs/terminal.svg",
            lines.replace(' ', "\u{a0}"),
        ),
    ] {
        missing.unless_in(
            file,
            &[text],
            "a number or a list; run scripts/terminal-picture",
        );
    }
}

fn check_scope(missing: &mut Missing, scope: &Scope, program: &str) {
    let operations = Operation::ALL.iter();
    let operations = operations.filter(|operation| operation.scope() == Some(scope));
    let calls = operations
        .clone()
        .map(|operation| format!("limited.{}(", operation.name()));
    missing.unless_in(
        "examples/scenarios/sdk.rs",
        &calls.collect::<Vec<_>>(),
        scope,
    );
    let commands = operations.flat_map(|operation| commands(operation, program));
    let commands = commands.map(|command| format!("exits 5 {command}"));
    missing.unless_in(
        "examples/scenarios/cli.sh",
        &commands.collect::<Vec<_>>(),
        scope,
    );
    let name = format!("{}_not_enforced", scope.to_string().replace(':', "_"));
    let is_tested = Mutant::all().any(|mutant| mutant.name() == name);
    missing.unless(is_tested, scope, &format!("the mutant {name}"));
    missing.unless_in("profile-cli/README.md", &[format!("`{scope}`")], scope);
}

fn is_same(endpoint: Endpoint, operation: &Operation) -> bool {
    endpoint.method() == operation.method().as_str() && endpoint.path() == operation.path_template()
}

/// Returns the method and the path of an operation, without the version.
fn without_prefix(operation: &Operation) -> String {
    let path = operation.path_template().replacen("/api/v1", "", 1);
    format!("{} {path}", operation.method())
}

fn check_service(missing: &mut Missing) {
    let page = read("docs/service.md");
    let (headings, names) = (headings(&page), code_spans(&page));
    for operation in Operation::ALL {
        let name = without_prefix(operation);
        let is_present = headings.contains(&name);
        missing.unless(is_present, name, "a section of docs/service.md");
    }
    let scopes = Scope::KNOWN.iter().map(ToString::to_string);
    let kinds = EventKind::KNOWN.iter().map(ToString::to_string);
    let fields = ProfileField::ALL
        .iter()
        .map(|field| field.name().to_owned());
    let settings = Dialect::alternatives().map(|(name, ..)| name.to_owned());
    for name in scopes.chain(kinds).chain(fields).chain(settings) {
        let is_present = names.contains(&name);
        missing.unless(is_present, name, "a rule in docs/service.md");
    }
    for row in page
        .lines()
        .filter(|line| line.starts_with("| <a id=\"open-"))
    {
        let settings = row.split('|').nth(4).expect("five cells");
        for setting in code_spans(settings) {
            let is_setting = Dialect::alternatives().any(|(name, ..)| name == setting);
            missing.unless(
                is_setting,
                setting,
                "a setting of the mock, or not in docs/service.md",
            );
        }
    }
}

/// A page, the texts before and after a list, and the list.
type List = (&'static str, [String; 2], String);

fn list(page: &'static str, [before, after]: [&str; 2], list: String) -> List {
    (page, [before.to_owned(), after.to_owned()], list)
}

/// Returns the lists in the documents of the mock server and of the SDK.
fn lists() -> Vec<List> {
    let scopes = Scope::KNOWN.iter().map(|scope| format!("'{scope}'"));
    let scopes = scopes.collect::<Vec<_>>().join(", ");
    let schemas = places().into_iter();
    let schemas = schemas.map(|place| format!("            {place}: {{ type: object }}\n"));
    let of_places =
        "by the kind of object\n          additionalProperties: false\n          properties:\n";
    let of_calls = "| method | endpoint | scope |\n|---|---|---|\n";
    let of_keys = "| Key | Scopes |\n|---|---|\n";
    let (service, control) = (
        "mock-server/openapi.yaml",
        "mock-server/control-openapi.yaml",
    );
    let endpoints = Endpoint::ALL.len().to_string();
    vec![
        list(
            service,
            ["    Scope:\n      type: string\n      enum: [", "]"],
            scopes.clone(),
        ),
        list(
            control,
            [
                "    Scopes:\n      type: array\n      items:\n        type: string\n        enum: [",
                "]",
            ],
            scopes,
        ),
        list(
            control,
            [of_places, "    DialectChoice:"],
            schemas.collect(),
        ),
        list(
            "mock-server/docs/dialects.md",
            ["by the kind of object: `", "`. "],
            places().join("`, `"),
        ),
        list(
            "mock-server/docs/test-suites.md",
            ["mock-server: 3 of ", " endpoints"],
            endpoints,
        ),
        list(
            "mock-server/docs/worlds.md",
            [of_keys, "\nKeys and"],
            keys(),
        ),
        list(
            "profile-sdk/README.md",
            [of_calls, "| `raw_call` |"],
            calls(),
        ),
    ]
}

/// `UPDATE_EXPECT=1` writes the lists to the pages.
#[test]
fn lists_on_pages_have_the_rows_of_the_tables() {
    let limited = ProfileField::ALL.iter();
    let limited = limited.filter(|field| field.kind().max_characters().is_some());
    let limits = limited.map(|field| {
        let before = format!("</a>`{}` | ", field.name());
        list("docs/service.md", [&before, " |"], field.kind().to_string())
    });
    for (file, [start, end], list) in lists().into_iter().chain(limits) {
        let page = read(file);
        let rest = page.split_once(&start);
        let (before, rest) = rest.unwrap_or_else(|| panic!("{file} has no {start}"));
        let (_, after) = rest.split_once(&end).expect("the end of the list");
        assert_page(file, &format!("{before}{start}{list}{end}{after}"));
    }
}

/// Returns the rows of the keys of `demo` with their scopes.
fn keys() -> String {
    let mut world = World::new(0);
    let keys = serde_json::to_string(&world.keys()).expect("JSON");
    let keys = keys.trim_matches(['{', '}']).split(',');
    let rows = keys.map(|key| {
        let (name, token) = key.split_once(':').expect("a name and a key");
        let authorization = format!("Bearer {}", token.trim_matches('"'));
        let request = Request::new("GET", "/api/v1/me").header("Authorization", &authorization);
        let body: Value = serde_json::from_slice(&handle(&mut world, &request).body).expect("JSON");
        let scopes = body["data"]["key"]["scopes"].as_array().expect("scopes");
        let scopes = match scopes.len() {
            0 => "none".to_owned(),
            all if all == Scope::KNOWN.len() => "all scopes".to_owned(),
            _ => body["data"]["key"]["scopes"]
                .to_string()
                .replace('"', "`")
                .replace(',', ", "),
        };
        format!(
            "| `{}` | {} |\n",
            name.trim_matches('"'),
            scopes.trim_matches(['[', ']'])
        )
    });
    rows.collect()
}

/// Returns the rows of the calls of the SDK.
fn calls() -> String {
    let rows = Operation::ALL.iter().map(|operation| {
        let key = if operation.requires_key() {
            ""
        } else {
            ", no key required"
        };
        let scope = operation
            .scope()
            .map(|scope| format!("`{scope}` "))
            .unwrap_or_default();
        let endpoint = without_prefix(operation);
        format!("| `{}` | `{endpoint}`{key} | {scope}|\n", operation.name())
    });
    rows.collect()
}

fn check_operation(missing: &mut Missing, operation: &Operation, program: &str) {
    let subject = without_prefix(operation);
    let name = operation.name();
    let constant = format!("Operation::{}", name.to_uppercase());
    let mut endpoints = Endpoint::ALL.iter();
    match endpoints.find(|endpoint| is_same(**endpoint, operation)) {
        Some(endpoint) => {
            let table = "mock-server/src/mutants/table.rs";
            missing.unless_in(table, &[format!("Endpoint::{endpoint:?}")], &subject);
        }
        None => missing.unless(false, &subject, "an endpoint of the mock"),
    }
    let start = subject.split('{').next().expect("a method");
    for (file, text) in [
        (
            "mock-server/openapi.yaml",
            format!("\n  {}:\n", operation.path_template()),
        ),
        (
            "mock-server/program/tests/it/mutants.rs",
            format!("\"{start}"),
        ),
        ("profile-sdk/tests/it/calls.rs", constant.clone()),
        ("profile-sdk/tests/it/dialects.rs", constant),
        ("examples/scenarios/sdk.rs", format!(".{name}(")),
    ] {
        missing.unless_in(file, &[text], &subject);
    }
    let mut commands = commands(operation, program);
    for command in &commands {
        let (_, name) = command
            .split_once(' ')
            .expect("the program and the command");
        let row = format!("(\"{name}\"");
        missing.unless_in("profile-cli/tests/it/walk.rs", &[row], &subject);
        let last = name.rsplit(' ').next().expect("a word");
        let ways = [format!("{last}`"), format!("`{last} ")];
        missing.unless_in("profile-cli/README.md", &ways, &subject);
    }
    let has_command = commands != ["profile NEW"];
    missing.unless(
        has_command,
        &subject,
        "a row in permissions.rs of the program",
    );
    let (_, path) = subject.split_once(" /").expect("a method and a path");
    commands.push(format!("profile api {path}"));
    missing.unless_in("examples/scenarios/cli.sh", &commands, &subject);
}

/// Returns the commands of an operation, from the table of the program, or `profile NEW`.
fn commands(operation: &Operation, program: &str) -> Vec<String> {
    let row = format!("\", &[Operation::{}])", operation.name().to_uppercase());
    let commands = program.match_indices(&row).map(|(end, _)| {
        let (_, command) = program[..end].rsplit_once('"').expect("a row of the table");
        format!("profile {command}")
    });
    let mut commands: Vec<_> = commands.collect();
    if commands.is_empty() {
        commands.push("profile NEW".to_owned());
    }
    commands
}

/// Requires a text in the OpenAPI documents, from which a test of the mock generates the JSON.
fn check_documents(missing: &mut Missing, subject: impl Display, text: &str) {
    for document in ["openapi", "control-openapi"] {
        let document = format!("mock-server/{document}.yaml");
        missing.unless_in(&document, &[text.to_owned()], &subject);
    }
}

/// Requires the range and the default of `days` in the mock, in its document, in the help and in
/// docs/service.md.
fn check_days(missing: &mut Missing) {
    let (own, other, default) = (Days::MAX_OWN, Days::MAX_OTHER, Days::DEFAULT.get());
    let mut world = World::new(0);
    let authorization = format!("Bearer {}", world.keys().all);
    for (whose, max) in [("demo", own), ("grace", other)] {
        for (query, days) in [
            (String::new(), Some(default)),
            ("?days=0".to_owned(), None),
            ("?days=1".to_owned(), Some(1)),
            (format!("?days={max}"), Some(max)),
            (format!("?days={}", max + 1), None),
        ] {
            let path = format!("/api/v1/users/{whose}/stats{query}");
            let request = Request::new("GET", &path).header("Authorization", &authorization);
            let response = handle(&mut world, &request);
            let body: Value = serde_json::from_slice(&response.body).expect("JSON");
            let found = body.pointer("/data/period/days").and_then(Value::as_u64);
            let is_same = found == days.map(u64::from);
            missing.unless(is_same, path, &format!("{days:?} days, as in the SDK"));
        }
    }
    let schema = format!(
        "name: days\n      in: query\n      description: >-\n        Number of days, 1 to {own} for the key \
         owner's own profile and 1 to {other} for other profiles\n"
    );
    let default_schema = format!("minimum: 1, maximum: {own}, default: {default} }}");
    let rule = format!(
        "1 to {own} for the caller's own profile, and 1 to {other} for any other one; the default is {default}"
    );
    let page = without_anchors(&read("docs/service.md"));
    missing.unless(page.contains(&rule), &rule, "the range in docs/service.md");
    for (file, text) in [
        ("mock-server/openapi.yaml", schema),
        ("mock-server/openapi.yaml", default_schema),
    ] {
        missing.unless_in(file, &[text], "days");
    }
}

/// Returns the kinds of objects to which a dialect can add fields.
fn places() -> Vec<String> {
    let error = Dialect::from_json(r#"{"extra_fields": {"?": {}}}"#).unwrap_err();
    let places = code_spans(&error.to_string()).split_off(1);
    assert!(places.len() > 5, "{error}");
    places
}
