<?php

// `$signature` is the header X-Service-Signature, and `$body` is the raw request body.
function is_authentic(string $secret, ?string $signature, string $body): bool
{
    if (!preg_match('/\Asha256=([0-9A-Fa-f]{64})\z/', $signature ?? '', $found)) {
        return false;
    }
    return hash_equals(hash_hmac('sha256', $body, $secret), strtolower($found[1]));
}
