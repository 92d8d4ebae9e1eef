"""Buys one report with the stock SDK over httpx or requests, and prints what came back as JSON."""

import asyncio
import json
import os

from eth_account import Account
from x402 import x402Client, x402ClientSync
from x402.mechanisms.evm.exact import register_exact_evm_client

settings = json.loads(os.environ["SETTINGS"])
account = Account.from_key(settings["privateKey"])


def print_response(status: int, text: str, headers) -> None:
    receipts = [name for name in ("PAYMENT-RESPONSE", "X-PAYMENT-RESPONSE") if name in headers]
    print(json.dumps({"status": status, "text": text, "receipts": receipts}))


async def buy_with_httpx() -> None:
    from x402.http.clients import x402HttpxClient

    client = register_exact_evm_client(x402Client(), account)
    # httpx gives up after five seconds unless told otherwise; a settlement may take longer.
    async with x402HttpxClient(client, timeout=60) as http:
        response = await http.get(settings["url"])
        print_response(response.status_code, response.text, response.headers)


def buy_with_requests() -> None:
    from x402.http.clients import x402_requests

    client = register_exact_evm_client(x402ClientSync(), account)
    response = x402_requests(client).get(settings["url"], timeout=60)
    print_response(response.status_code, response.text, response.headers)


if settings["client"] == "httpx":
    asyncio.run(buy_with_httpx())
else:
    buy_with_requests()
