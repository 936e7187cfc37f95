//! `mock-server learn`: asks a running service for its habits where the specification is silent.
//!
//! In reading order:
//!
//! - `answer`, `service`: one response, and the client that sends one request at a time
//! - `observations`, `reading`: the collected responses, and the requests that change nothing
//! - `finding`: the conclusion about one silence
//! - `me`, `statistics`, `rejections`: functions from observations to findings
//! - `silences`, `statements`: the tables of the silences and of the sentences of the specification
//! - `report`, `learned_file`: the result for people, for programs and for the mock

mod answer;
mod finding;
mod learned_file;
mod me;
mod observations;
mod reading;
mod rejections;
mod report;
mod service;
mod silences;
mod statements;
mod statistics;

pub(crate) use learned_file::LearnedFile;
pub(crate) use reading::read;
pub(crate) use report::Report;
pub(crate) use service::{Key, Service, base_url};
