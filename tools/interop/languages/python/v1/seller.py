"""A shop of one report on x402 1.0 and FastAPI, which speaks version 1.

Prints the address once it listens. The settings come as JSON in the variable SETTINGS.
"""

import json
import os
import socket
import sys
import threading

import xdc  # noqa: F401, has to come before x402

import uvicorn
from fastapi import FastAPI
from x402.fastapi.middleware import require_payment

settings = json.loads(os.environ["SETTINGS"])


async def create_headers() -> dict[str, dict[str, str]]:
    return {"verify": settings["headers"], "settle": settings["headers"]}


app = FastAPI()
app.middleware("http")(
    require_payment(
        path="/report",
        price="$0.01",
        pay_to_address=settings["payTo"],
        network=settings["network"],
        facilitator_config={
            "url": settings["facilitatorUrl"],
            "create_headers": create_headers,
        },
    )
)


@app.get("/report")
async def report() -> dict[str, int]:
    return {"report": 1}


def end_with_parent() -> None:
    sys.stdin.read()
    os._exit(0)


threading.Thread(target=end_with_parent, daemon=True).start()
listener = socket.create_server(("127.0.0.1", 0))
print(f"The program listens on http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])
