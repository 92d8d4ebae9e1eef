// Buys one report and prints what came back as JSON. pay.go beside it comes from the guide.
package main

import (
	"encoding/json"
	"io"
	"log"
	"os"
	"strings"

	"github.com/ethereum/go-ethereum/crypto"
)

func main() {
	var settings struct{ PrivateKey, URL string }
	if err := json.Unmarshal([]byte(os.Getenv("SETTINGS")), &settings); err != nil {
		log.Fatal(err)
	}
	wallet, err := crypto.HexToECDSA(strings.TrimPrefix(settings.PrivateKey, "0x"))
	if err != nil {
		log.Fatal(err)
	}
	response, err := Get(settings.URL, wallet, 50_000)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		log.Fatal(err)
	}
	receipts := []string{}
	for _, name := range []string{"PAYMENT-RESPONSE", "X-PAYMENT-RESPONSE"} {
		if response.Header.Get(name) != "" {
			receipts = append(receipts, name)
		}
	}
	printed := map[string]any{"status": response.StatusCode, "text": string(text), "receipts": receipts}
	if err := json.NewEncoder(os.Stdout).Encode(printed); err != nil {
		log.Fatal(err)
	}
}
