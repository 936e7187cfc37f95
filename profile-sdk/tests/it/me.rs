//! `GET /me`.

use mock_server::MockServer;

use crate::connect_as_owner;

#[tokio::test]
async fn returns_status_headers_and_body() {
    let service = MockServer::start().await;
    let response = connect_as_owner(&service).me().send().await.unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(response.header("Content-Type"), Some("application/json"));
    let body = std::str::from_utf8(response.body()).unwrap();
    let expected = format!("{{\"data\":{}}}", response.raw_data().unwrap());
    assert_eq!(body, expected);
}
