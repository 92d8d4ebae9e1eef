// A shop of one report with the messages and the order of the SDK for Go of the x402 project: verify,
// run the handler, settle. It prints its address once it listens. The settings come as JSON in the
// variable SETTINGS.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"reflect"
	"time"

	"farthing.example/interop/messages"
)

// The SDK's facilitator client waits this long since 2.26; it waited 30 seconds before.
const facilitatorTimeout = 90 * time.Second

type shop struct {
	facilitator messages.Facilitator
	terms       messages.Terms
	address     string
}

func main() {
	var told struct {
		FacilitatorURL, Network, PayTo string
		Headers                        map[string]string
	}
	if err := json.Unmarshal([]byte(os.Getenv("SETTINGS")), &told); err != nil {
		log.Fatal(err)
	}
	facilitator := messages.Facilitator{
		URL: told.FacilitatorURL, Headers: told.Headers,
		Client: &http.Client{Timeout: facilitatorTimeout},
	}
	// The SDK ends the program when the facilitator does not settle what a route asks for.
	isSupported, err := facilitator.Supports("exact", told.Network)
	if err != nil || !isSupported {
		log.Fatalf("the facilitator supports it: %t, %v", isSupported, err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	address := "http://" + listener.Addr().String()
	// What `Price: "$0.01"` becomes on Apothem.
	terms := messages.Terms{
		Scheme: "exact", Network: told.Network, PayTo: told.PayTo, Amount: "10000",
		Asset: "0xb5AB69F7bBada22B28e79C8FFAECe55eF1c771D4", MaxTimeoutSeconds: 300,
		Extra: map[string]any{"name": "USDC", "version": "2"},
	}
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	fmt.Println("The program listens on", address)
	log.Fatal(http.Serve(listener, shop{facilitator, terms, address}))
}

func (s shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := r.Header.Get("PAYMENT-SIGNATURE")
	if header == "" {
		s.ask(w, "Payment required")
		return
	}
	payment, err := messages.DecodeHeader[messages.Payment](header)
	if err != nil || payment.X402Version != 2 {
		http.Error(w, `{"error":"invalid_payload"}`, http.StatusBadRequest)
		return
	}
	if !s.isOffer(payment.Accepted) {
		s.ask(w, "No matching payment requirements")
		return
	}
	if err := s.facilitator.Verify(payment, s.terms); err != nil {
		s.ask(w, err.Error())
		return
	}
	body := []byte(`{"report":1}`)
	receipt, err := s.facilitator.Settle(payment, s.terms)
	if err != nil {
		failed, none := false, ""
		receipt = messages.Receipt{
			Success: &failed, Transaction: &none, Network: &s.terms.Network, ErrorReason: err.Error(),
		}
	}
	encoded, err := messages.EncodeHeader(receipt)
	if err != nil {
		log.Fatal(err)
	}
	w.Header().Set("PAYMENT-RESPONSE", encoded)
	w.Header().Set("Content-Type", "application/json")
	if !*receipt.Success {
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(http.StatusPaymentRequired)
		body = []byte("{}")
	}
	w.Write(body)
}

// isOffer compares the terms that a buyer accepted with those of the route: all members are equal,
// and those of `extra` are there.
func (s shop) isOffer(accepted messages.Terms) bool {
	for name, value := range s.terms.Extra {
		if !reflect.DeepEqual(accepted.Extra[name], value) {
			return false
		}
	}
	accepted.Extra = s.terms.Extra
	return reflect.DeepEqual(accepted, s.terms)
}

func (s shop) ask(w http.ResponseWriter, reason string) {
	challenge := messages.Challenge{
		X402Version: 2, Error: reason, Accepts: []messages.Terms{s.terms},
		Resource: &messages.Resource{URL: s.address + "/report"},
	}
	encoded, err := messages.EncodeHeader(challenge)
	if err != nil {
		log.Fatal(err)
	}
	w.Header().Set("PAYMENT-REQUIRED", encoded)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusPaymentRequired)
	json.NewEncoder(w).Encode(challenge)
}
