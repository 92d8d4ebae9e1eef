// A shop of one report on net/http or Gin. charge.go and paid.go beside it come from the guide.
// It prints its address once it listens. The settings come as JSON in the variable SETTINGS.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"

	"github.com/gin-gonic/gin"
)

func main() {
	var settings struct {
		Framework, FacilitatorURL, PayTo string
		Headers                          map[string]string
	}
	if err := json.Unmarshal([]byte(os.Getenv("SETTINGS")), &settings); err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	address := "http://" + listener.Addr().String()
	shop := Shop{
		Facilitator: settings.FacilitatorURL,
		APIKey:      strings.TrimPrefix(settings.Headers["Authorization"], "Bearer "),
		PayTo:       settings.PayTo,
		PublicURL:   address,
	}
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	fmt.Println("The program listens on", address)
	log.Fatal(http.Serve(listener, handlerOf(settings.Framework, shop)))
}

func handlerOf(framework string, shop Shop) http.Handler {
	if framework == "gin" {
		gin.SetMode(gin.ReleaseMode)
		router := gin.New()
		router.GET("/report", Paid(shop, "10000"), func(c *gin.Context) {
			c.JSON(http.StatusOK, gin.H{"report": 1})
		})
		return router
	}
	mux := http.NewServeMux()
	report := func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, `{"report":1}`) }
	mux.Handle("GET /report", shop.Charge("10000", http.HandlerFunc(report)))
	return mux
}
