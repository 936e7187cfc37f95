//! `--jq`: results that an expression cannot handle.

use mock_server::wiremock::ResponseTemplate;

use crate::program::Fixture;
use crate::pseudo_terminal::Terminal;

#[tokio::test]
async fn rejects_deeply_nested_json() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let answer = ResponseTemplate::new(200).set_body_string(deep);
    let fixture = Fixture::responding(answer).await;
    let run = fixture.run(&["api", "me", "--jq", ".data.handle"]);
    run.fails(2, "failed: cannot index [[");
    assert!(fixture.run(&["api", "me", "--json"]).succeeded());
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_on_a_terminal_are_text() {
    let fixture = Fixture::new().await;
    let value = "error: --jq: the filter ";
    for (arguments, start) in [
        (&["show", "--jq", ".handle | .[]"][..], value),
        (&["show", "--jq", ".["], "error: --jq: invalid "),
        (&["set", "--bio=b", "--jq", ".id | .[]"], value),
        (
            &["show", "--json", "--jq", ".["],
            "{\"error\":{\"code\":\"usage\",",
        ),
    ] {
        let program = fixture.program(arguments).env("NO_COLOR", "1");
        let (_, seen) = Terminal::start(program).ends();
        let last = seen.lines().last().unwrap();
        assert!(last.starts_with(start), "{seen}");
    }
}
