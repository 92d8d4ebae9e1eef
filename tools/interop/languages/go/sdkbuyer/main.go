// Buys one report with the messages of the SDK for Go of the x402 project, and prints what came back
// as JSON. With the setting `isOld` it signs as the releases before 2.15 do.
package main

import (
	"crypto/ecdsa"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"log"
	"math/big"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"farthing.example/interop/messages"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/common/math"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/signer/core/apitypes"
)

// The SDK pays for the tokens of its own table and, unless it is told otherwise, at most one dollar.
// These are its tokens on XDC.
var tokens = map[string]string{
	"eip155:50": "0xfA2958CB79b0491CC627c1557F441eF849Ca8eb1",
	"eip155:51": "0xb5AB69F7bBada22B28e79C8FFAECe55eF1c771D4",
}

const amountMax = 1_000_000

type settings struct {
	PrivateKey, URL string
	IsOld           bool
}

func main() {
	var told settings
	if err := json.Unmarshal([]byte(os.Getenv("SETTINGS")), &told); err != nil {
		log.Fatal(err)
	}
	wallet, err := crypto.HexToECDSA(strings.TrimPrefix(told.PrivateKey, "0x"))
	if err != nil {
		log.Fatal(err)
	}
	if err := buy(told, wallet); err != nil {
		log.Fatal(err)
	}
}

func buy(told settings, wallet *ecdsa.PrivateKey) error {
	asked, err := http.Get(told.URL)
	if err != nil {
		return err
	}
	asked.Body.Close()
	if asked.StatusCode != http.StatusPaymentRequired {
		return errors.New("the shop asks for no payment: " + asked.Status)
	}
	challenge, err := messages.DecodeHeader[messages.Challenge](asked.Header.Get("PAYMENT-REQUIRED"))
	if err != nil {
		return err
	}
	terms, err := choose(challenge)
	if err != nil {
		return err
	}
	payload, err := sign(terms, wallet, told.IsOld)
	if err != nil {
		return err
	}
	header, err := messages.EncodeHeader(messages.Payment{
		X402Version: 2, Payload: payload, Accepted: terms,
		Resource: challenge.Resource, Extensions: challenge.Extensions,
	})
	if err != nil {
		return err
	}
	request, err := http.NewRequest("GET", told.URL, nil)
	if err != nil {
		return err
	}
	request.Header.Set("PAYMENT-SIGNATURE", header)
	paid, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer paid.Body.Close()
	return report(paid)
}

// choose takes the first offer that it can pay.
func choose(challenge messages.Challenge) (messages.Terms, error) {
	for _, terms := range challenge.Accepts {
		amount, err := strconv.ParseInt(terms.Amount, 10, 64)
		known := tokens[terms.Network]
		if err == nil && amount <= amountMax && terms.Scheme == "exact" && known != "" &&
			strings.EqualFold(terms.Asset, known) {
			return terms, nil
		}
	}
	return messages.Terms{}, errors.New("no offer can be paid")
}

// sign authorizes the transfer, from its start or, before 2.15, from ten minutes ago for an hour.
func sign(terms messages.Terms, wallet *ecdsa.PrivateKey, isOld bool) (map[string]any, error) {
	now := time.Now().Unix()
	validAfter, validBefore := int64(0), now+int64(terms.MaxTimeoutSeconds)
	if isOld {
		validAfter, validBefore = now-600, now+3600
	}
	var nonce [32]byte
	rand.Read(nonce[:])
	authorization := map[string]any{
		"from": crypto.PubkeyToAddress(wallet.PublicKey).Hex(), "to": terms.PayTo,
		"value":       terms.Amount,
		"validAfter":  strconv.FormatInt(validAfter, 10),
		"validBefore": strconv.FormatInt(validBefore, 10),
		"nonce":       hexutil.Encode(nonce[:]),
	}
	chain, ok := new(big.Int).SetString(strings.TrimPrefix(terms.Network, "eip155:"), 10)
	name, hasName := terms.Extra["name"].(string)
	version, hasVersion := terms.Extra["version"].(string)
	if !ok || !hasName || !hasVersion {
		return nil, errors.New("the offer names no chain, or no domain of its token")
	}
	hash, _, err := apitypes.TypedDataAndHash(apitypes.TypedData{
		PrimaryType: "TransferWithAuthorization",
		Types: apitypes.Types{
			"EIP712Domain": members("name string", "version string", "chainId uint256",
				"verifyingContract address"),
			"TransferWithAuthorization": members("from address", "to address", "value uint256",
				"validAfter uint256", "validBefore uint256", "nonce bytes32"),
		},
		Domain: apitypes.TypedDataDomain{
			Name: name, Version: version, ChainId: (*math.HexOrDecimal256)(chain),
			VerifyingContract: terms.Asset,
		},
		Message: authorization,
	})
	if err != nil {
		return nil, err
	}
	signature, err := crypto.Sign(hash, wallet)
	if err != nil {
		return nil, err
	}
	signature[64] += 27 // as the token expects it
	return map[string]any{"signature": hexutil.Encode(signature), "authorization": authorization}, nil
}

func members(list ...string) (types []apitypes.Type) {
	for _, member := range list {
		name, kind, _ := strings.Cut(member, " ")
		types = append(types, apitypes.Type{Name: name, Type: kind})
	}
	return types
}

// report prints the response. A receipt counts once it can be read.
func report(response *http.Response) error {
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	receipts := []string{}
	if header := response.Header.Get("PAYMENT-RESPONSE"); header != "" {
		receipt, err := messages.DecodeHeader[messages.Receipt](header)
		if err != nil {
			return err
		}
		if receipt.Success != nil && *receipt.Success && receipt.Transaction != nil {
			receipts = append(receipts, *receipt.Transaction)
		}
	}
	printed := map[string]any{"status": response.StatusCode, "text": string(text), "receipts": receipts}
	return json.NewEncoder(os.Stdout).Encode(printed)
}
