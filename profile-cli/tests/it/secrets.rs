//! The key shows up in nothing that the program prints.

use mock_server::MockServer;
use mock_server::wiremock::matchers::any;
use mock_server::wiremock::{Mock, Request, ResponseTemplate};

use crate::program::{Place, run};

const CANARY: &str = "canary-93d1b7";

#[tokio::test]
async fn no_output_shows_the_key() {
    let place = Place::new().await;
    let commands: [&[&str]; 9] = [
        &["show"],
        &["set", "--bio", "b"],
        &["edit"],
        &["link", "add", "--title", "t", "--url", "x:y"],
        &["link", "delete", "link_1", "--yes"],
        &["post", "create", "p"],
        &["stats", "demo"],
        &["analytics"],
        &["badge", "list"],
    ];
    let echoing = MockServer::start().await;
    let echo = |request: &Request| {
        ResponseTemplate::new(400).set_body_string(format!("{:?}", request.headers))
    };
    let echo = Mock::given(any()).respond_with(echo);
    echo.mount(echoing.wiremock()).await;
    let places = [
        place.service.uri(),
        echoing.uri(),
        "http://127.0.0.1:1",
        "not a URL",
    ];
    for base_url in places {
        for key in [
            CANARY.to_owned(),
            format!("{CANARY} two"),
            format!("{CANARY}é"),
        ] {
            for command in commands {
                for json in [None, Some("--json")] {
                    let environment = [
                        ("PROFILE_BASE_URL", base_url),
                        ("PROFILE_API_KEY", &key),
                        ("EDITOR", "true"),
                    ];
                    let arguments: Vec<_> = command.iter().copied().chain(json).collect();
                    let printed = run(place.home.path(), &environment, &arguments).to_string();
                    assert!(!printed.contains(CANARY), "{printed}");
                    assert!(!printed.starts_with("exit 0"), "{printed}");
                }
            }
        }
    }
}
