//! Receives webhooks with actix-web on 127.0.0.1:8080, or the address in `LISTEN_HOST` and `PORT`. The
//! secret is in `PROFILE_WEBHOOK_SECRET`.

use std::env;
use std::error::Error;
use std::fmt::Display;
use std::io::{self, Write};
use std::time::Duration;

use actix_web::http::StatusCode;
use actix_web::rt::time::timeout;
use actix_web::web::{self, Bytes, Data, Payload};
use actix_web::{App, HttpRequest, HttpResponse, HttpServer};
use webhook_verify::{Headers, Secret, Verified, Verifier};

/// The maximum time for reading a body. actix-web itself limits the time for reading headers.
const TIME_LIMIT: Duration = Duration::from_secs(10);

async fn receive(verifier: Data<Verifier>, request: HttpRequest, body: Payload) -> HttpResponse {
    let reading = body.to_bytes_limited(Verifier::DEFAULT_BODY_LIMIT);
    let body = match timeout(TIME_LIMIT, reading).await {
        Ok(Ok(Ok(body))) => body,
        Ok(Ok(Err(error))) => return reject(StatusCode::BAD_REQUEST, &error),
        Ok(Err(error)) => return reject(StatusCode::PAYLOAD_TOO_LARGE, &error),
        Err(error) => return reject(StatusCode::REQUEST_TIMEOUT, &error),
    };
    let headers = request.headers().iter();
    let headers = headers.map(|(name, value)| (name.as_str(), value.as_bytes()));
    match verifier.verify(Headers::new(headers), body) {
        Ok(delivery) => match handle(&delivery) {
            Ok(()) => HttpResponse::NoContent().finish(),
            Err(error) => {
                let _ = writeln!(io::stderr(), "webhook failed: {:?}", error.to_string());
                HttpResponse::InternalServerError().finish()
            }
        },
        Err(error) => reject(StatusCode::UNAUTHORIZED, &error),
    }
}

/// Logs the reason of a rejection, and responds with the status and no body.
fn reject(status: StatusCode, reason: &dyn Display) -> HttpResponse {
    let _ = writeln!(io::stderr(), "webhook rejected with {status}: {reason}");
    HttpResponse::new(status)
}

/// Handles a verified delivery.
fn handle(delivery: &Verified<Bytes>) -> io::Result<()> {
    // Put it into a queue.
    let mut stdout = io::stdout();
    stdout.write_all(delivery.body())?;
    stdout.flush()
}

/// Returns the value of a variable, or the default if it is empty.
fn variable(name: &str, default: &str) -> String {
    let value = env::var(name).ok().filter(|value| !value.is_empty());
    value.unwrap_or_else(|| default.to_owned())
}

#[actix_web::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let secret =
        env::var("PROFILE_WEBHOOK_SECRET").map_err(|_| "PROFILE_WEBHOOK_SECRET is not set")?;
    let secret = Secret::new(secret).map_err(|error| format!("PROFILE_WEBHOOK_SECRET: {error}"))?;
    let verifier = Data::new(Verifier::new(secret));
    let app = move || {
        let app = App::new().app_data(verifier.clone());
        app.route("/hooks", web::post().to(receive))
    };
    let (host, port) = (
        variable("LISTEN_HOST", "127.0.0.1"),
        variable("PORT", "8080"),
    );
    let server = HttpServer::new(app).bind(format!("{host}:{port}"))?;
    // Answers the deliveries on the way after SIGTERM or Ctrl-C.
    Ok(server.shutdown_timeout(TIME_LIMIT.as_secs()).run().await?)
}

#[cfg(test)]
mod tests {
    use actix_web::test::{TestRequest, call_service, init_service};

    use super::*;

    async fn respond(signature: &str, body: impl Into<Bytes>) -> u16 {
        let verifier = Verifier::new(Secret::new("a secret").unwrap());
        let app = App::new().app_data(Data::new(verifier));
        let app = init_service(app.route("/hooks", web::post().to(receive))).await;
        let request = TestRequest::post()
            .uri("/hooks")
            .insert_header(("X-Service-Signature", signature))
            .set_payload(body);
        call_service(&app, request.to_request())
            .await
            .status()
            .as_u16()
    }

    #[actix_web::test]
    async fn accepts_signed_deliveries_only() {
        let secret = Secret::new("a secret").unwrap();
        let signature = webhook_verify::sign(&secret, "{}");
        assert_eq!(respond(&signature, "{}").await, 204);
        assert_eq!(respond(&signature, "[]").await, 401);
        assert_eq!(respond("", "{}").await, 401);
        assert_eq!(respond(&signature, vec![0; 2_000_000]).await, 413);
    }
}
