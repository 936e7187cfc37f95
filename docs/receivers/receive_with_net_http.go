package main

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func enqueue(body []byte) error {
	_, err := os.Stdout.Write(body) // Put it into a queue.
	return err
}

func receive(secret []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		reject := func(status int, reason string) {
			log.Printf("webhook rejected with %d: %s", status, reason)
			w.WriteHeader(status)
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		// Header.Get returns the first of repeated headers.
		signatures := r.Header.Values("X-Service-Signature")
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			reject(http.StatusRequestEntityTooLarge, "the body is too large")
		} else if errors.Is(err, os.ErrDeadlineExceeded) {
			reject(http.StatusRequestTimeout, "the body did not arrive in time")
		} else if err != nil {
			reject(http.StatusBadRequest, "the body broke off")
		} else if len(signatures) != 1 || !isAuthentic(secret, signatures[0], body) {
			reject(http.StatusUnauthorized, "the signature is missing or not valid")
		} else if err := enqueue(body); err != nil {
			log.Printf("webhook failed: %q", err.Error())
			w.WriteHeader(http.StatusInternalServerError)
		} else {
			w.WriteHeader(http.StatusNoContent)
		}
	}
}

// orDefault returns the value of a variable, or the default if it is empty.
func orDefault(variable, value string) string {
	if found := os.Getenv(variable); found != "" {
		return found
	}
	return value
}

func main() {
	// Otherwise, a log whose reader has ended ends the program.
	signal.Ignore(syscall.SIGPIPE)
	secret, err := readSecret()
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("/hooks", receive(secret))
	address := net.JoinHostPort(orDefault("LISTEN_HOST", "127.0.0.1"), orDefault("PORT", "8080"))
	server := http.Server{Addr: address, ReadTimeout: 10 * time.Second}
	stopped, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	go func() {
		if err := server.ListenAndServe(); err != http.ErrServerClosed {
			log.Fatal(err)
		}
	}()
	<-stopped.Done()
	// Answers the deliveries on the way, and ends.
	if err := server.Shutdown(context.Background()); err != nil {
		log.Fatal(err)
	}
}
