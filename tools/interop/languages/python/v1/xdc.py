"""Teaches x402 1.0, the last release that speaks version 1 alone, the networks of XDC.

Its list of networks is closed and its table of tokens has no entry for them, so import this first.
"""

from typing import Literal

import x402.chains
import x402.networks

# A challenge of ours has entries of both versions, and this release parses all of them.
x402.networks.SupportedNetworks = Literal["xdc", "xdc-apothem", "eip155:50", "eip155:51"]
x402.chains.NETWORK_TO_ID |= {"xdc": "50", "xdc-apothem": "51"}
USDC = {"human_name": "usdc", "name": "USDC", "decimals": 6, "version": "2"}
x402.chains.KNOWN_TOKENS |= {
    "50": [{**USDC, "address": "0xfA2958CB79b0491CC627c1557F441eF849Ca8eb1"}],
    "51": [{**USDC, "address": "0xb5AB69F7bBada22B28e79C8FFAECe55eF1c771D4"}],
}
