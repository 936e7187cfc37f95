package main

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"time"
)

func receive(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	// Header.Get returns the first of repeated headers.
	signatures := r.Header.Values("X-Service-Signature")
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
	} else if errors.Is(err, os.ErrDeadlineExceeded) {
		w.WriteHeader(http.StatusRequestTimeout)
	} else if err != nil {
		w.WriteHeader(http.StatusBadRequest)
	} else if len(signatures) != 1 || !isAuthentic([]byte(os.Getenv("PROFILE_WEBHOOK_SECRET")), signatures[0], body) {
		w.WriteHeader(http.StatusUnauthorized)
	} else {
		fmt.Println(string(body)) // Put it into a queue.
		w.WriteHeader(http.StatusNoContent)
	}
}

func main() {
	if os.Getenv("PROFILE_WEBHOOK_SECRET") == "" {
		log.Fatal("PROFILE_WEBHOOK_SECRET is not set")
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "8080"
	}
	http.HandleFunc("/hooks", receive)
	server := http.Server{Addr: "127.0.0.1:" + port, ReadTimeout: 10 * time.Second}
	log.Fatal(server.ListenAndServe())
}
