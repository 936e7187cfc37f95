package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// isAuthentic takes the header X-Service-Signature and the raw request body.
func isAuthentic(secret []byte, signature string, body []byte) bool {
	received, err := hex.DecodeString(strings.TrimPrefix(signature, "sha256="))
	mac := hmac.New(sha256.New, secret)
	mac.Write(body)
	isEqual := hmac.Equal(received, mac.Sum(nil))
	return strings.HasPrefix(signature, "sha256=") && err == nil && isEqual
}
