//! A call of each operation.

use std::future::Future;
use std::pin::Pin;

use profile_sdk::{Call, Client, Error, Operation};

use crate::calls::each_call;

type Outcome = Pin<Box<dyn Future<Output = Result<(), Error>>>>;

/// Returns an unsent call of each operation.
pub(crate) fn every_call(client: &Client) -> Vec<(Operation, Outcome)> {
    let mut calls = Vec::new();
    macro_rules! row {
        ($operation:expr, $call:expr) => {
            calls.push(($operation, outcome($call)))
        };
    }
    each_call!(client, row);
    calls
}

fn outcome<T: Send + 'static>(call: Call<T>) -> Outcome {
    Box::pin(async { call.await.map(drop) })
}

#[tokio::test]
async fn covers_every_operation() {
    let client = Client::builder().base_url("http://127.0.0.1:1").build();
    let calls = every_call(&client.unwrap()).into_iter();
    let operations: Vec<_> = calls.map(|(operation, _)| operation).collect();
    assert_eq!(operations, Operation::ALL);
}

#[test]
fn the_readme_lists_every_operation_with_its_scope() {
    const HEAD: &str = "| method | endpoint | scope |\n|---|---|---|\n";
    const LAST_ROW: &str = "| `raw_call` |";
    let readme = include_str!("../../README.md");
    let (before, after) = readme.split_once(HEAD).expect("the head of the table");
    let (_, after) = after.split_once(LAST_ROW).expect("the end of the table");
    let row = |operation: &Operation| {
        let (name, line) = (operation.name(), operation.to_string());
        let line = line.replacen("/api/v1", "", 1);
        let key = match operation.requires_key() {
            true => "",
            false => ", no key required",
        };
        let scope = operation.scope();
        let scope = scope.map_or(String::new(), |scope| format!("`{scope}` "));
        format!("| `{name}` | `{line}`{key} | {scope}|\n")
    };
    let rows: String = Operation::ALL.iter().map(row).collect();
    let expected = format!("{before}{HEAD}{rows}{LAST_ROW}{after}");
    expect_test::expect_file!["../../README.md"].assert_eq(&expected);
}
