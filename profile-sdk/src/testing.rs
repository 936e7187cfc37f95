//! Errors, responses and a clock for tests of your program; feature `testing`.
//!
//! A program that calls the service behind a trait of its own can be tested with a fake that returns
//! any response and any error:
//!
//! ```
//! use std::time::Duration;
//!
//! use profile_sdk::testing::ErrorBuilder;
//! use profile_sdk::{Error, ErrorKind, Operation};
//!
//! trait Posts {
//!     async fn publish(&self, text: &str) -> Result<(), Error>;
//! }
//!
//! /// Fails as the client does if the rate limit is exceeded.
//! struct Busy;
//!
//! impl Posts for Busy {
//!     async fn publish(&self, _: &str) -> Result<(), Error> {
//!         Err(ErrorBuilder::new(ErrorKind::RateLimited)
//!             .operation(Operation::CREATE_POST)
//!             .retry_after(Duration::from_secs(7))
//!             .build())
//!     }
//! }
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! let error = Busy.publish("Hello").await.unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "POST /api/v1/me/posts: 429: rate limit exceeded; retry after 7 seconds",
//! );
//! # });
//! ```

pub use crate::call::response_builder::ResponseBuilder;
pub use crate::error::builder::ErrorBuilder;
pub use crate::pacing::test_clock::TestClock;
