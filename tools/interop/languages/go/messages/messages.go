// Package messages has the messages of x402 as the SDK for Go of the x402 project reads and writes
// them: the members it knows, their types, and what it refuses. The facts come from its public
// source (github.com/x402-foundation/x402/go/v2, releases 2.14 to 2.28); the code is our own.
package messages

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// Terms are one offer of a challenge. The SDK forgets every other member.
type Terms struct {
	Scheme            string         `json:"scheme"`
	Network           string         `json:"network"`
	Asset             string         `json:"asset"`
	Amount            string         `json:"amount"`
	PayTo             string         `json:"payTo"`
	MaxTimeoutSeconds int            `json:"maxTimeoutSeconds"`
	Extra             map[string]any `json:"extra,omitempty"`
}

// Resource says what is sold.
type Resource struct {
	URL         string   `json:"url"`
	Description string   `json:"description,omitempty"`
	MimeType    string   `json:"mimeType,omitempty"`
	ServiceName string   `json:"serviceName,omitempty"`
	Tags        []string `json:"tags,omitempty"`
	IconURL     string   `json:"iconUrl,omitempty"`
}

// Challenge is the content of the header PAYMENT-REQUIRED.
type Challenge struct {
	X402Version int            `json:"x402Version"`
	Error       string         `json:"error,omitempty"`
	Resource    *Resource      `json:"resource,omitempty"`
	Accepts     []Terms        `json:"accepts"`
	Extensions  map[string]any `json:"extensions,omitempty"`
}

// Payment is the content of the header PAYMENT-SIGNATURE.
type Payment struct {
	X402Version int            `json:"x402Version"`
	Payload     map[string]any `json:"payload"`
	Accepted    Terms          `json:"accepted"`
	Resource    *Resource      `json:"resource,omitempty"`
	Extensions  map[string]any `json:"extensions,omitempty"`
}

// Receipt is the response to /settle, and the content of the header PAYMENT-RESPONSE. The first
// three members must be there in a response with status 200, also when the settlement failed.
type Receipt struct {
	Success      *bool          `json:"success"`
	Transaction  *string        `json:"transaction"`
	Network      *string        `json:"network"`
	ErrorReason  string         `json:"errorReason,omitempty"`
	ErrorMessage string         `json:"errorMessage,omitempty"`
	Payer        string         `json:"payer,omitempty"`
	Amount       string         `json:"amount,omitempty"`
	Extensions   map[string]any `json:"extensions,omitempty"`
	Extra        map[string]any `json:"extra,omitempty"`
}

// Verdict is the response to /verify.
type Verdict struct {
	IsValid        *bool          `json:"isValid"`
	InvalidReason  string         `json:"invalidReason,omitempty"`
	InvalidMessage string         `json:"invalidMessage,omitempty"`
	Payer          string         `json:"payer,omitempty"`
	Extensions     map[string]any `json:"extensions,omitempty"`
	Extra          map[string]any `json:"extra,omitempty"`
}

// Supported is the response to /supported.
type Supported struct {
	Kinds []struct {
		X402Version *int           `json:"x402Version"`
		Scheme      string         `json:"scheme"`
		Network     string         `json:"network"`
		Extra       map[string]any `json:"extra,omitempty"`
	} `json:"kinds"`
	Extensions []string            `json:"extensions"`
	Signers    map[string][]string `json:"signers"`
}

// DecodeHeader reads a header: base64 of the standard alphabet with its padding, then JSON.
func DecodeHeader[T any](value string) (message T, err error) {
	text, err := base64.StdEncoding.DecodeString(value)
	if err != nil {
		return message, fmt.Errorf("the header is not base64: %w", err)
	}
	return message, json.Unmarshal(text, &message)
}

// EncodeHeader writes a header.
func EncodeHeader(message any) (string, error) {
	text, err := json.Marshal(message)
	return base64.StdEncoding.EncodeToString(text), err
}

// Facilitator is a surface with the headers of its calls.
type Facilitator struct {
	URL     string
	Headers map[string]string
	Client  *http.Client
}

// Supports returns whether the surface settles a scheme on a network, by version 2.
func (f Facilitator) Supports(scheme, network string) (bool, error) {
	var supported Supported
	if err := f.call("GET", "/supported", nil, &supported); err != nil {
		return false, err
	}
	found := false
	for _, kind := range supported.Kinds {
		if kind.X402Version == nil || kind.Scheme == "" || kind.Network == "" {
			return false, errors.New("/supported has a kind without version, scheme or network")
		}
		found = found || *kind.X402Version == 2 && kind.Scheme == scheme && kind.Network == network
	}
	return found, nil
}

// Verify asks whether a payment is good; a refusal is an error.
func (f Facilitator) Verify(payment Payment, terms Terms) error {
	var verdict Verdict
	if err := f.call("POST", "/verify", body(payment, terms), &verdict); err != nil {
		return err
	}
	if verdict.IsValid == nil {
		return errors.New("/verify has no isValid")
	}
	if !*verdict.IsValid {
		return errors.New(verdict.InvalidReason)
	}
	return nil
}

// Settle moves the money. A pending settlement that names its transaction is asked for once more.
func (f Facilitator) Settle(payment Payment, terms Terms) (receipt Receipt, err error) {
	for range 2 {
		receipt = Receipt{}
		if err = f.call("POST", "/settle", body(payment, terms), &receipt); err != nil {
			return receipt, err
		}
		if receipt.Success == nil || receipt.Transaction == nil || receipt.Network == nil {
			return receipt, errors.New("/settle lacks success, transaction or network")
		}
		if receipt.ErrorReason != "settlement_pending" || *receipt.Transaction == "" {
			break
		}
	}
	return receipt, nil
}

func body(payment Payment, terms Terms) map[string]any {
	return map[string]any{"x402Version": 2, "paymentPayload": payment, "paymentRequirements": terms}
}

// call sends a request of the SDK's facilitator client. Every status but 200 is an error.
func (f Facilitator) call(method, path string, content, into any) error {
	var text []byte
	if content != nil {
		var err error
		if text, err = json.Marshal(content); err != nil {
			return err
		}
	}
	request, err := http.NewRequest(method, f.URL+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	for name, value := range f.Headers {
		request.Header.Set(name, value)
	}
	response, err := f.Client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: HTTP %d: %s", path, response.StatusCode, raw)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("%s: %w: %s", path, err, raw)
	}
	return nil
}
