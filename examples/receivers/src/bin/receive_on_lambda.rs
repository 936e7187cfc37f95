//! Receives webhooks on AWS Lambda, behind an HTTP API of API Gateway or a function URL; for a REST
//! API, enable the feature `apigw_rest` of `lambda_http`. The secret is in `PROFILE_WEBHOOK_SECRET`.

use std::env;
use std::io::{self, Write};

use lambda_http::http::StatusCode;
use lambda_http::{Body, Error, Request, Response, run, service_fn};
use webhook_verify::{Secret, Verified, Verifier};

async fn receive(verifier: &Verifier, request: Request) -> Result<Response<Body>, Error> {
    let status = match verifier.verify_request(request) {
        Ok(request) => match handle(request.body()) {
            Ok(()) => StatusCode::NO_CONTENT,
            Err(error) => {
                let _ = writeln!(io::stderr(), "webhook failed: {:?}", error.to_string());
                StatusCode::INTERNAL_SERVER_ERROR
            }
        },
        Err(error) => {
            let _ = writeln!(io::stderr(), "webhook rejected: {error}");
            StatusCode::UNAUTHORIZED
        }
    };
    Ok(Response::builder().status(status).body(Body::Empty)?)
}

/// Handles a verified delivery.
fn handle(delivery: &Verified<Body>) -> io::Result<()> {
    // Put it into a queue such as SQS.
    let mut stdout = io::stdout();
    stdout.write_all(delivery.body())?;
    stdout.flush()
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    let secret =
        env::var("PROFILE_WEBHOOK_SECRET").map_err(|_| "PROFILE_WEBHOOK_SECRET is not set")?;
    let secret = Secret::new(secret).map_err(|error| format!("PROFILE_WEBHOOK_SECRET: {error}"))?;
    let verifier = Verifier::new(secret);
    run(service_fn(|request| receive(&verifier, request))).await
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Calls the handler with an event of API Gateway.
    async fn respond(signature: &str, body: &str, is_base64: bool) -> u16 {
        let event = json!({
            "version": "2.0",
            "routeKey": "$default",
            "rawPath": "/hooks",
            "rawQueryString": "",
            "headers": {"host": "example.com", "x-service-signature": signature},
            "requestContext": {"http": {"method": "POST", "path": "/hooks"}},
            "body": body,
            "isBase64Encoded": is_base64,
        });
        let request = lambda_http::request::from_str(&event.to_string()).unwrap();
        let verifier = Verifier::new(Secret::new("a secret").unwrap());
        let response = receive(&verifier, request).await.unwrap();
        response.status().as_u16()
    }

    #[tokio::test]
    async fn accepts_signed_deliveries_only() {
        let secret = Secret::new("a secret").unwrap();
        let signature = webhook_verify::sign(&secret, "{}");
        assert_eq!(respond(&signature, "{}", false).await, 204);
        assert_eq!(respond(&signature, "e30=", true).await, 204);
        assert_eq!(respond(&signature, "[]", false).await, 401);
        assert_eq!(respond("", "{}", false).await, 401);
    }
}
