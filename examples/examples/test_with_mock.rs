//! A program that trims the titles of links, with tests that run it against the mock.
//!
//! Run the tests with `cargo test -p examples`, and the program with
//! `cargo run -p examples --example test_with_mock`.

#![allow(clippy::print_stdout, reason = "this program prints to stdout")]

use std::error::Error;

use mock_server::MockServer;
use profile_sdk::{ApiKey, Client, LinkUpdate};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let service = MockServer::start().await;
    service.update(|world| world.add_link("demo", " My blog ", "https://example.org"))??;
    let client = Client::builder()
        .base_url(service.uri())
        .api_key(ApiKey::new(service.key())?)
        .build()?;
    println!("trimmed {} titles", trim_titles(&client).await?);
    Ok(())
}

/// Trims the titles of the owner's links, and returns the number of changed links.
async fn trim_titles(client: &Client) -> Result<usize, profile_sdk::Error> {
    let mut changed = 0;
    for link in client.me().await?.links.unwrap_or_default() {
        let (Some(id), Some(title)) = (link.id, link.title) else {
            continue;
        };
        if title.trim() != title {
            let update = LinkUpdate::new().title(title.trim());
            client.update_link(&id, &update).await?;
            changed += 1;
        }
    }
    Ok(changed)
}

#[cfg(test)]
mod tests {
    use mock_server::journal::RequestPattern;
    use mock_server::{Dialect, Fault, FaultRule, MockServer};
    use profile_sdk::{ApiKey, Client, ErrorKind};
    use serde_json::json;

    use super::trim_titles;

    /// Starts a service with one title to trim, and creates a client.
    async fn start() -> (MockServer, Client) {
        let service = MockServer::start().await;
        let add_link = |world: &mut mock_server::World| {
            world.add_link("demo", " My blog ", "https://example.org")
        };
        service.update(add_link).unwrap().unwrap();
        let client = client_with(&service, service.key());
        (service, client)
    }

    fn client_with(service: &MockServer, key: &str) -> Client {
        Client::builder()
            .base_url(service.uri())
            .api_key(ApiKey::new(key).unwrap())
            .jitter(|| 0.0) // Retries do not wait.
            .build()
            .unwrap()
    }

    #[tokio::test]
    async fn changes_only_titles_with_surrounding_space() {
        let (service, client) = start().await;
        assert_eq!(trim_titles(&client).await.unwrap(), 1);
        assert_eq!(trim_titles(&client).await.unwrap(), 0);

        // Only one edit was sent, with only the title.
        let edit = RequestPattern::new("PATCH", "/me/links/{id}");
        let edit = edit.body(json!({"title": "My blog"}));
        service.expect_matching(edit).once();
        service.assert_no_violations();
    }

    #[tokio::test]
    async fn retries_a_503() {
        let (service, client) = start().await;
        let fails_once = FaultRule::new(Fault::status(503))
            .matching(RequestPattern::any().method("PATCH"))
            .times(1);
        service.add_fault(fails_once).unwrap();

        assert_eq!(trim_titles(&client).await.unwrap(), 1);
        service.expect("PATCH", "/me/links/{id}").times(2);
    }

    #[tokio::test]
    async fn reports_a_missing_scope() {
        let (service, _) = start().await;
        let client = client_with(&service, &service.keys().profile);
        let error = trim_titles(&client).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Forbidden);
    }

    // A dialect is a set of choices where the specification is silent.
    #[tokio::test]
    async fn works_with_every_dialect() {
        for (setting, alternative, dialect) in Dialect::alternatives() {
            let (service, client) = start().await;
            service.set_dialect(dialect).unwrap();
            // With the setting `minimal`, the profile does not contain links.
            let expected = usize::from(alternative != "minimal");
            let changed = trim_titles(&client).await.unwrap();
            assert_eq!(changed, expected, "{setting}: {alternative}");
        }
    }
}
