//! Problems with requests: the rejections, the rules of the specification, and the collection of
//! the problems of one request.

mod problems;
mod rejection;
mod rule;

pub(super) use problems::{Problems, Rejected};
pub(super) use rejection::Rejection;
pub use rule::Rule;
