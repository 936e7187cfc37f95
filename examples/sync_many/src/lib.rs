#![doc = include_str!("../README.md")]

mod account;
mod account_list;
mod progress;
mod record;
mod sync;

pub use account::Account;
pub use account_list::{InvalidList, read_accounts};
pub use progress::Progress;
pub use record::{Record, RecordError, State};
pub use sync::{Outcome, Summary, Sync};
