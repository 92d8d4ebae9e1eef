"""A buyer of the published SDK over httpx: `buyer.py <url>`, with the variables of `farthing conform`."""

import asyncio
import os
import sys

from eth_account import Account
from x402 import x402Client
from x402.http.clients import x402HttpxClient
from x402.mechanisms.evm.exact import register_exact_evm_client


async def buy() -> bool:
    client = register_exact_evm_client(x402Client(), Account.from_key(os.environ["CONFORM_KEY"]))
    async with x402HttpxClient(client, timeout=8) as http:
        return (await http.get(sys.argv[1])).is_success


sys.exit(0 if asyncio.run(buy()) else 1)
