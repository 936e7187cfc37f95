<?php

require __DIR__ . '/../webhook.php';

// The function must not warn either.
set_error_handler(fn ($level, $message) => throw new ErrorException($message));

foreach (file('php://stdin', FILE_IGNORE_NEW_LINES) as $line) {
    [$secret, $signature, $body] = array_map('base64_decode', explode(' ', $line));
    echo json_encode(is_authentic($secret, $signature === '' ? null : $signature, $body)), "\n";
}
