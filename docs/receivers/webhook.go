package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"strings"
)

// isAuthentic takes the header X-Service-Signature and the raw request body.
func isAuthentic(secret []byte, signature string, body []byte) bool {
	received, err := hex.DecodeString(strings.TrimPrefix(signature, "sha256="))
	mac := hmac.New(sha256.New, secret)
	mac.Write(body)
	isEqual := hmac.Equal(received, mac.Sum(nil))
	// Anyone can sign with an empty secret.
	return len(secret) > 0 && strings.HasPrefix(signature, "sha256=") && err == nil && isEqual
}

// readSecret returns the secret in the environment, or an error if it is empty, or was not copied exactly.
func readSecret() ([]byte, error) {
	secret := os.Getenv("PROFILE_WEBHOOK_SECRET")
	if secret == "" {
		return nil, errors.New("PROFILE_WEBHOOK_SECRET is not set")
	}
	if secret != strings.TrimPrefix(strings.Trim(secret, " \t\r\n"), "\ufeff") {
		return nil, errors.New("PROFILE_WEBHOOK_SECRET starts or ends with white space or a byte order mark")
	}
	return []byte(secret), nil
}
