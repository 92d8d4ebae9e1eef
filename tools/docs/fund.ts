/**
 * Replaces a faucet. An argument is a file with keys, whose wallets get coins for gas, or an
 * address, which gets USDC.
 */
import { readFileSync } from "node:fs";
import * as Address from "ox/Address";
import * as Secp256k1 from "ox/Secp256k1";
import { networkOfChain } from "@farthing/protocol";

/** 10 XDC, in wei. */
const coins = `0x${(10n * 10n ** 18n).toString(16)}`;

/** 10 USDC, in base units. */
const units = 10_000_000n;

/** An account whose key the local chain holds. */
const minter = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";

/** mint(address,uint256) of the stand-in token. */
const mintSelector = "0x40c10f19";

const word = (value: bigint): string => value.toString(16).padStart(64, "0");

for (const url of (process.env["DOCS_RPC_URLS"] ?? "").split(" ")) {
  const chainId = Number(await call(url, "eth_chainId", []));
  const token = networkOfChain(chainId === 50 ? 50 : 51).usdc;
  for (const argument of process.argv.slice(2)) {
    if (argument.startsWith("0x")) {
      const data = `${mintSelector}${word(BigInt(argument))}${word(units)}`;
      await call(url, "eth_sendTransaction", [{ from: minter, to: token, data }]);
      await call(url, "evm_mine", []);
      continue;
    }
    for (const key of readFileSync(argument, "utf8")
      .trim()
      .split(/[\s,]+/)) {
      const publicKey = Secp256k1.getPublicKey({ privateKey: `0x${key.slice(2)}` });
      await call(url, "anvil_setBalance", [Address.fromPublicKey(publicKey), coins]);
    }
  }
}

async function call(url: string, method: string, params: unknown[]): Promise<string> {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const answer = await fetch(url, { method: "POST", headers, body });
  const { result, error } = await answer.json();
  if (error !== undefined) throw new Error(`${method}: ${error.message}`);
  return String(result);
}
