"""A facilitator of the published SDK behind Flask, with the variables of `farthing conform`."""

import os

from flask import Flask, jsonify, request
from x402 import x402FacilitatorSync
from x402.mechanisms.evm import FacilitatorWeb3Signer
from x402.mechanisms.evm.exact import register_exact_evm_facilitator
from x402.schemas import parse_payment_payload, parse_payment_requirements

signer = FacilitatorWeb3Signer(os.environ["CONFORM_KEY"], os.environ["CONFORM_RPC_URL"])
facilitator = register_exact_evm_facilitator(
    x402FacilitatorSync(), signer, networks=os.environ["CONFORM_NETWORK"]
)
app = Flask(__name__)


def answer(call):
    try:
        body = request.get_json(force=True)
        payload = parse_payment_payload(body["paymentPayload"])
        requirements = parse_payment_requirements(
            payload.x402_version, body["paymentRequirements"]
        )
        result = call(payload, requirements)
    except Exception as error:
        return jsonify({"error": str(error)}), 500
    return jsonify(result.model_dump(by_alias=True, exclude_none=True))


@app.post("/verify")
def verify():
    return answer(facilitator.verify)


@app.post("/settle")
def settle():
    return answer(facilitator.settle)


@app.get("/supported")
def supported():
    return jsonify(facilitator.get_supported().model_dump(by_alias=True, exclude_none=True))


app.run("127.0.0.1", int(os.environ["PORT"]), threaded=True)
