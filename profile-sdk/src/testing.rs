//! Errors, responses and a clock for tests of your program; feature `testing`.
//!
//! A program that calls the service behind a trait of its own can be tested with a fake that returns
//! any response and any error:
//!
//! ```
//! use profile_sdk::testing::ErrorBuilder;
//! use profile_sdk::{Error, ErrorKind, Operation, Post};
//!
//! trait Posts {
//!     fn publish(&self, text: &str) -> impl Future<Output = Result<Option<Post>, Error>> + Send;
//! }
//!
//! /// Fails with a timeout, after which the post may exist.
//! struct Unclear;
//!
//! impl Posts for Unclear {
//!     async fn publish(&self, _: &str) -> Result<Option<Post>, Error> {
//!         let error = ErrorBuilder::new(ErrorKind::Timeout).operation(Operation::CREATE_POST);
//!         Err(error.build())
//!     }
//! }
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! let error = Unclear.publish("Hello").await.unwrap_err();
//! assert!(error.may_have_been_applied());
//! # });
//! ```

pub use crate::call::response_builder::ResponseBuilder;
pub use crate::error::builder::ErrorBuilder;
pub use crate::pacing::test_clock::TestClock;
