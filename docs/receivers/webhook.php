<?php

// `$signature` is the header X-Service-Signature, and `$body` is the raw request body.
function is_authentic(string $secret, ?string $signature, string $body): bool
{
    // Anyone can sign with an empty secret, and `getenv` makes one of a variable that is not set.
    if ($secret === '' || !preg_match('/\Asha256=([0-9A-Fa-f]{64})\z/', $signature ?? '', $found)) {
        return false;
    }
    return hash_equals(hash_hmac('sha256', $body, $secret), strtolower($found[1]));
}

// Returns the secret in the environment. Throws if it is empty, or was not copied exactly.
function read_secret(): string
{
    $secret = (string) getenv('PROFILE_WEBHOOK_SECRET');
    if ($secret === '') {
        throw new RuntimeException('PROFILE_WEBHOOK_SECRET is not set');
    }
    if ($secret !== trim($secret, " \t\r\n") || str_starts_with($secret, "\u{FEFF}")) {
        throw new RuntimeException('PROFILE_WEBHOOK_SECRET starts or ends with white space or a byte order mark');
    }
    return $secret;
}
