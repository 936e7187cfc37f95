//! A program with a test suite: it tidies the owner's links, and its tests run it against the mock.
//!
//! `cargo test -p examples` runs the tests, `cargo run -p examples --example test_with_mock` the
//! program.

#![allow(clippy::print_stdout, reason = "printing is what this program is for")]

use std::error::Error;

use mock_server::MockServer;
use profile_sdk::{ApiKey, Client, LinkUpdate};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let service = MockServer::start().await;
    service.update(|world| world.add_link("demo", " My blog ", "https://example.org"))?;
    let client = Client::builder()
        .base_url(service.uri())
        .api_key(ApiKey::new(service.key())?)
        .build()?;
    println!("{} titles tidied", tidy_titles(&client).await?);
    Ok(())
}

/// Takes the white space from around the titles of the owner's links, and says of how many.
async fn tidy_titles(client: &Client) -> Result<usize, profile_sdk::Error> {
    let mut tidied = 0;
    for link in client.me().await?.links.unwrap_or_default() {
        let (Some(id), Some(title)) = (link.id, link.title) else {
            continue;
        };
        if title.trim() != title {
            let update = LinkUpdate::new().title(title.trim());
            client.update_link(&id, &update).await?;
            tidied += 1;
        }
    }
    Ok(tidied)
}

#[cfg(test)]
mod tests {
    use mock_server::{Dialect, Fault, FaultRule, MockServer};
    use profile_sdk::{ApiKey, Client, ErrorKind};
    use serde_json::json;

    use super::tidy_titles;

    /// A service with one title to tidy, and a client of it.
    async fn start() -> (MockServer, Client) {
        let service = MockServer::start().await;
        let untidy = |world: &mut mock_server::World| {
            world.add_link("demo", " My blog ", "https://example.org")
        };
        service.update(untidy).unwrap();
        let client = client_with(&service, service.key());
        (service, client)
    }

    fn client_with(service: &MockServer, key: &str) -> Client {
        Client::builder()
            .base_url(service.uri())
            .api_key(ApiKey::new(key).unwrap())
            .jitter(|| 0.0) // A repeated call does not wait.
            .build()
            .unwrap()
    }

    #[tokio::test]
    async fn only_untidy_titles_are_changed() {
        let (service, client) = start().await;
        assert_eq!(tidy_titles(&client).await.unwrap(), 1);
        assert_eq!(tidy_titles(&client).await.unwrap(), 0);

        // The journal tells what was sent: one edit, of the title alone.
        service
            .expect("PATCH", "/me/links/{id}")
            .body(json!({"title": "My blog"}))
            .once();
        service.assert_no_violations();
    }

    #[tokio::test]
    async fn a_service_that_fails_once_does_not_matter() {
        let (service, client) = start().await;
        let fails_once = FaultRule::new(Fault::status(503)).method("PATCH").times(1);
        service.add_fault(fails_once).unwrap();

        assert_eq!(tidy_titles(&client).await.unwrap(), 1);
        service.expect("PATCH", "/me/links/{id}").times(2);
    }

    #[tokio::test]
    async fn a_key_that_may_not_edit_links_is_told() {
        let (service, _) = start().await;
        let client = client_with(&service, &service.keys().profile);
        let error = tidy_titles(&client).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Forbidden);
    }

    // Where the specification is silent, services differ; the program works with all of them.
    #[tokio::test]
    async fn every_dialect_is_understood() {
        for (setting, alternative, dialect) in Dialect::alternatives() {
            let (service, client) = start().await;
            service.set_dialect(dialect).unwrap();
            // The barest service shows no links, so there is nothing to tidy.
            let expected = usize::from(alternative != "minimal");
            let tidied = tidy_titles(&client).await.unwrap();
            assert_eq!(tidied, expected, "{setting}: {alternative}");
        }
    }
}
