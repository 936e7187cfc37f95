//! Everything that is wrong with a request: the rejections, the rules of the specification behind
//! them, and how the problems of one request are collected.

mod problems;
mod rejection;
mod rule;

pub(super) use problems::{Problems, Rejected};
pub(super) use rejection::Rejection;
pub use rule::Rule;
