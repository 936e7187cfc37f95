//! Publishes a post once, although the program may be killed at any moment: `publish_once NAME TEXT`. Run it again
//! until it succeeds. The SQLite database `posts.db` has the intent before a call is sent, and the post ends with its
//! name, by which a later run recognizes it. `PROFILE_BASE_URL` and `PROFILE_API_KEY` select the account.

use std::env;
use std::error::Error;
use std::time::{Duration, UNIX_EPOCH};

use profile_sdk::Client;
use rusqlite::{Connection, params};

type AnyError = Box<dyn Error + Send + Sync>;

/// The maximum time of a call, 60 seconds, and of a write that the service carries out late.
const SETTLED: Duration = Duration::from_secs(120);

/// `sent` has the milliseconds since 1970 at which a call began that may have created the post.
const TABLE: &str = "
    CREATE TABLE IF NOT EXISTS posts (
        name TEXT PRIMARY KEY, body TEXT NOT NULL, sent INTEGER, is_published INTEGER NOT NULL DEFAULT 0
    );";

/// Publishes a post, or returns `false` if it is unclear whether a call has created it. `settled` is the time after
/// which a call that began has created its post, or never will.
async fn publish_once(
    client: &Client,
    database: &Connection,
    [name, text]: [&str; 2],
    settled: Duration,
) -> Result<bool, AnyError> {
    let insert = "INSERT INTO posts (name, body) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
    database.execute(insert, [name, &format!("{text} #{name}")])?;
    let publish = || database.execute("UPDATE posts SET is_published = 1 WHERE name = ?1", [name]);
    for _ in 0..5 {
        let row = "SELECT body, sent, is_published FROM posts WHERE name = ?1";
        let row = database.query_row(row, [name], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        });
        let (body, sent, is_published): (String, Option<i64>, bool) = row?;
        if is_published {
            return Ok(true);
        }
        if let Some(sent) = sent {
            // The call may have been killed, and the service may still carry it out.
            let end = Duration::from_millis(sent.try_into()?) + settled;
            tokio::time::sleep(end.saturating_sub(UNIX_EPOCH.elapsed()?).min(settled)).await;
            let Some(posts) = client.me().await?.posts else {
                return Ok(false);
            };
            if posts.iter().any(|post| post.body.as_ref() == Some(&body)) {
                publish()?;
                return Ok(true);
            }
        }
        let now = i64::try_from(UNIX_EPOCH.elapsed()?.as_millis())?;
        let begin = "UPDATE posts SET sent = ?1 WHERE name = ?2 AND sent IS ?3";
        if database.execute(begin, params![now, name, sent])? == 0 {
            continue; // Another run has begun a call.
        }
        match client.create_post(&body).send().await {
            // A page is probably not from the service.
            Ok(response) if response.is_page() => {}
            Ok(_) => {
                publish()?;
                return Ok(true);
            }
            Err(error) if error.may_have_been_applied() => {}
            Err(error) => {
                let undo = "UPDATE posts SET sent = NULL WHERE name = ?1 AND sent = ?2";
                database.execute(undo, params![name, now])?;
                return Err(error.into());
            }
        }
    }
    Err("the responses are lost again and again; run the program again later".into())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), AnyError> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let [name, text] = &arguments[..] else {
        return Err("usage: publish_once NAME TEXT".into());
    };
    let database = Connection::open("posts.db")?;
    database.execute_batch(TABLE)?;
    match publish_once(&Client::from_env()?, &database, [name, text], SETTLED).await? {
        true => Ok(()),
        false => Err("unclear: the service does not list posts; look at the profile".into()),
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::pin::pin;
    use std::task::Poll;
    use std::thread;

    use mock_server::journal::{RecordedRequest, RequestOutcome, RequestPattern};
    use mock_server::{Dialect, Fault, FaultRule, MockServer};
    use profile_sdk::ApiKey;
    use tokio::runtime;

    use super::*;

    /// A service that is as usual, one that carries out the first write late, and one that lists no posts.
    #[derive(Clone, Copy, PartialEq)]
    enum Kind {
        Usual,
        Late,
        WithoutPosts,
    }

    fn start(kind: Kind) -> MockServer {
        let service = MockServer::start_blocking();
        match kind {
            Kind::Usual => {}
            Kind::Late => {
                let late =
                    FaultRule::new(Fault::status(504)).late_write(Duration::from_millis(300));
                let late = late.matching(RequestPattern::new("POST", "/me/posts"));
                service.add_fault(late.times(1)).unwrap();
            }
            Kind::WithoutPosts => service.set_dialect(Dialect::minimal()).unwrap(),
        }
        service
    }

    /// Runs the program until it ends, or has made this number of steps. Then nothing of it is left but the database,
    /// as after a kill.
    fn run(service: &MockServer, database: &Connection, mut steps: u32) -> Option<bool> {
        let runtime = runtime::Builder::new_current_thread().enable_all().build();
        runtime.unwrap().block_on(async {
            let key = ApiKey::new(service.key()).unwrap();
            let client = Client::new(service.uri(), key).unwrap();
            let settled = Duration::from_secs(3);
            let mut program = pin!(publish_once(&client, database, ["v1", "Hello"], settled));
            let result = poll_fn(|context| match steps.checked_sub(1) {
                None => Poll::Ready(None),
                Some(left) => {
                    steps = left;
                    program.as_mut().poll(context).map(Some)
                }
            });
            result.await.map(Result::unwrap)
        })
    }

    /// Kills the program after a number of steps, and runs it again.
    fn kill(kind: Kind, steps: u32) {
        let service = start(kind);
        let database = Connection::open_in_memory().unwrap();
        database.execute_batch(TABLE).unwrap();
        run(&service, &database, steps);
        let is_published = run(&service, &database, u32::MAX).unwrap();
        let is_late = |request: &RecordedRequest| request.outcome == RequestOutcome::Late;
        while service.journal().requests().iter().any(is_late) {
            thread::yield_now();
        }
        let world = service.world().unwrap();
        let posts = &world.account("demo").unwrap().posts;
        let count = posts.iter().filter(|post| post.body == "Hello #v1").count();
        assert!(is_published || kind == Kind::WithoutPosts, "{steps}");
        assert!(
            count == 1 || (!is_published && count == 0),
            "{steps}: {count}"
        );
        assert_eq!(run(&service, &database, u32::MAX), Some(is_published));
    }

    #[test]
    fn a_program_that_was_killed_at_any_step_publishes_once() {
        thread::scope(|scope| {
            for kind in [Kind::Usual, Kind::Late, Kind::WithoutPosts] {
                for steps in 0..40 {
                    scope.spawn(move || kill(kind, steps));
                }
            }
        });
    }
}
