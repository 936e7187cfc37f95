//! `mock-server learn`: asks a running service for its habits where the specification is silent.
//!
//! The data flows in one direction. The requests of one table are sent to the service, and the responses
//! are collected. Then the same requests go to a mock with the observed profile: for each question, the
//! value of the setting is the one with which the mock answers as the service did. What remains different
//! is a finding.
//!
//! In reading order:
//!
//! - `key`, `call`, `answer`: the API key, one request, and one response
//! - `names`, `resource`, `steps`: the values in requests, links and posts, and the table of the requests
//! - `service`: the client that sends one request at a time
//! - `observations`: the collected responses
//! - `reading`, `writing`, `changes`: send the requests, and compare the profile before and after
//! - `delivery`: recorded webhook deliveries
//! - `finding`: the conclusion about one question
//! - `conclusions/reference`: the mock that answers the same requests
//! - `conclusions/views`, `questions`: the parts of responses to compare, and the table of the questions
//! - `conclusions/learner`: the search for the values of the settings
//! - `conclusions/observed`, `rejections`, `deliveries`: the settings that consist of observed values
//! - `conclusions/statements`, `comparison`: contradictions to the specification, and what the mock does
//!   otherwise
//! - `report`: the result for people, for programs and for the mock

mod answer;
mod call;
mod changes;
mod conclusions;
mod delivery;
mod finding;
mod key;
mod names;
mod observations;
mod reading;
mod report;
mod resource;
mod service;
mod steps;
mod writing;

pub(crate) use changes::Changes;
pub(crate) use delivery::Delivery;
pub(crate) use key::{Key, base_url};
pub(crate) use observations::Observations;
pub(crate) use reading::read;
pub(crate) use report::Report;
pub(crate) use service::Service;
pub(crate) use writing::{Created, clean_up, describe, write};
