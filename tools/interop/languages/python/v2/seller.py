"""A shop of one report on the stock SDK, in FastAPI or Flask, as the guide shows it.

Prints the address once it listens. The settings come as JSON in the variable SETTINGS.
"""

import json
import os
import socket
import sys
import threading

from x402.http import AuthHeaders, FacilitatorConfig, PaymentOption
from x402.http.types import RouteConfig
from x402.mechanisms.evm.exact import ExactEvmServerScheme

settings = json.loads(os.environ["SETTINGS"])


class Headers:
    """The API key, and `Prefer: wait=`, which the public surface needs."""

    def get_auth_headers(self) -> AuthHeaders:
        headers = settings["headers"]
        return AuthHeaders(verify=headers, settle=headers, supported=headers)


config = FacilitatorConfig(url=settings["facilitatorUrl"], auth_provider=Headers())
routes = {
    "GET /report": RouteConfig(
        accepts=PaymentOption(
            scheme="exact",
            network=settings["network"],
            pay_to=settings["payTo"],
            price="$0.01",
        ),
        description="Report",
    )
}


def end_with_parent() -> None:
    sys.stdin.read()
    os._exit(0)


threading.Thread(target=end_with_parent, daemon=True).start()
listener = socket.create_server(("127.0.0.1", 0))
address = f"http://127.0.0.1:{listener.getsockname()[1]}"


def serve_fastapi() -> None:
    import uvicorn
    from fastapi import FastAPI
    from x402 import x402ResourceServer
    from x402.http import HTTPFacilitatorClient
    from x402.http.middleware.fastapi import payment_middleware

    server = x402ResourceServer(HTTPFacilitatorClient(config))
    server.register(settings["network"], ExactEvmServerScheme())
    app = FastAPI()
    app.middleware("http")(payment_middleware(routes, server))

    @app.get("/report")
    def report() -> dict[str, int]:
        return {"report": 1}

    print(f"The program listens on {address}", flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])


def serve_flask() -> None:
    from flask import Flask
    from werkzeug.serving import make_server
    from x402 import x402ResourceServerSync
    from x402.http import HTTPFacilitatorClientSync
    from x402.http.middleware.flask import payment_middleware

    server = x402ResourceServerSync(HTTPFacilitatorClientSync(config))
    server.register(settings["network"], ExactEvmServerScheme())
    app = Flask(__name__)
    payment_middleware(app, routes, server)

    @app.get("/report")
    def report() -> dict[str, int]:
        return {"report": 1}

    print(f"The program listens on {address}", flush=True)
    make_server("127.0.0.1", 0, app, threaded=True, fd=listener.fileno()).serve_forever()


{"fastapi": serve_fastapi, "flask": serve_flask}[settings["framework"]]()
