"""Buys one report with x402 1.0, which speaks version 1, and prints what came back as JSON."""

import asyncio
import json
import os

import xdc  # noqa: F401, has to come before x402

from eth_account import Account
from x402.clients.httpx import x402HttpxClient
from x402.clients.requests import x402_requests

settings = json.loads(os.environ["SETTINGS"])
account = Account.from_key(settings["privateKey"])


def print_response(status: int, text: str, headers) -> None:
    receipts = [name for name in ("PAYMENT-RESPONSE", "X-PAYMENT-RESPONSE") if name in headers]
    print(json.dumps({"status": status, "text": text, "receipts": receipts}))


async def buy_with_httpx() -> None:
    async with x402HttpxClient(account=account) as http:
        response = await http.get(settings["url"])
        print_response(response.status_code, (await response.aread()).decode(), response.headers)


def buy_with_requests() -> None:
    response = x402_requests(account).get(settings["url"], timeout=60)
    print_response(response.status_code, response.text, response.headers)


if settings["client"] == "httpx":
    asyncio.run(buy_with_httpx())
else:
    buy_with_requests()
