/**
 * thirdweb 5.121 by what its published source reads and sends: with its dependencies it takes 1.1 GB,
 * too much to install for one row. It parses every entry of the `PAYMENT-REQUIRED` header by the
 * schema of version 1, takes the first one for its chain, lets `extra.primaryType` decide what to
 * sign, and sends the flat shape of version 2.
 */
import type { DevnetWallet } from "@farthing/devnet";
import { getAddress } from "viem";
import { generatePrivateKey } from "viem/accounts";
import { chainId, network } from "./deployment.ts";
import { isJson, sign, type Json } from "./differential/requests.ts";
import { readChallenge } from "./stock-sellers.ts";

/** Members of an entry that its schema requires as text. */
const requiredTexts = [
  "maxAmountRequired",
  "resource",
  "description",
  "mimeType",
  "payTo",
  "asset",
];

/** It signs payments that are valid since yesterday. */
const validForSeconds = 86_400;

/** A fetch that pays as thirdweb does, or refuses what thirdweb refuses. */
export function payByMembers(wallet: DevnetWallet): (url: string) => Promise<Response> {
  return async (url) => {
    const { accepts } = await readChallenge(url);
    for (const entry of accepts) checkEntry(entry);
    const entry = accepts.find((one) => isJson(one) && one["network"] === network);
    if (!isJson(entry)) throw new Error(`No entry for ${network}.`);
    const payment = Buffer.from(JSON.stringify(await pay(entry, wallet))).toString("base64");
    return fetch(url, { headers: { "PAYMENT-SIGNATURE": payment } });
  };
}

function checkEntry(entry: unknown): void {
  if (!isJson(entry)) throw new Error("An entry is no object.");
  for (const name of requiredTexts) {
    if (typeof entry[name] !== "string") throw new Error(`An entry has no ${name}.`);
  }
  if (!Number.isInteger(entry["maxTimeoutSeconds"])) throw new Error("An entry has no time limit.");
}

async function pay(entry: Json, { address: from, privateKey }: DevnetWallet): Promise<object> {
  const extra = isJson(entry["extra"]) ? entry["extra"] : {};
  if (extra["primaryType"] !== "TransferWithAuthorization") {
    throw new Error("Without extra.primaryType it asks a service of thirdweb for the contract.");
  }
  const nowSeconds = Math.floor(Date.now() / 1000);
  const authorization = {
    from,
    to: getAddress(String(entry["payTo"])),
    value: String(entry["maxAmountRequired"]),
    validAfter: String(nowSeconds - validForSeconds),
    validBefore: String(nowSeconds + Number(entry["maxTimeoutSeconds"])),
    // Random, and of the right length.
    nonce: generatePrivateKey(),
  };
  const domain = {
    name: String(extra["name"]),
    version: String(extra["version"]),
    chainId,
    verifyingContract: getAddress(String(entry["asset"])),
  };
  const signature = await sign({ authorization, domain, signer: { address: from, privateKey } });
  return { x402Version: 2, scheme: "exact", network, payload: { signature, authorization } };
}
