"""A seller of the published SDK in FastAPI, with the variables of `farthing conform`."""

import os

import uvicorn
from fastapi import FastAPI
from x402 import x402ResourceServer
from x402.http import FacilitatorConfig, HTTPFacilitatorClient, PaymentOption
from x402.http.middleware.fastapi import payment_middleware
from x402.http.types import RouteConfig
from x402.mechanisms.evm.exact import ExactEvmServerScheme
from x402.schemas import AssetAmount

env = os.environ
client = HTTPFacilitatorClient(FacilitatorConfig(url=env["CONFORM_FACILITATOR_URL"]))
server = x402ResourceServer(client)
server.register(env["CONFORM_NETWORK"], ExactEvmServerScheme())
price = AssetAmount(
    amount=env["CONFORM_PRICE"],
    asset=env["CONFORM_ASSET"],
    extra={"name": env["CONFORM_ASSET_NAME"], "version": env["CONFORM_ASSET_VERSION"]},
)
accepts = PaymentOption(
    scheme="exact", network=env["CONFORM_NETWORK"], pay_to=env["CONFORM_PAY_TO"], price=price
)
app = FastAPI()
routes = {"GET /report": RouteConfig(accepts=accepts, description="Report")}
app.middleware("http")(payment_middleware(routes, server))
reports = 0


@app.get("/report")
def report() -> dict[str, int]:
    global reports
    reports += 1
    return {"report": reports}


uvicorn.run(app, host="127.0.0.1", port=int(env["PORT"]), log_level="warning")
