/** Buying credits over HTTP, for tests. */
import type { Devnet, DevnetWallet } from "@farthing/devnet";
import { isObject, type Hex, type JsonObject } from "@farthing/protocol";
import * as Secp256k1 from "ox/Secp256k1";
import * as Signature from "ox/Signature";
import * as TypedData from "ox/TypedData";
import type { Browser } from "../../../test/support/browser.testing.ts";
import {
  finalAfterBlocks,
  memberAt,
  textAt,
  type Answer,
} from "../../../test/support/facilitator.testing.ts";

export const purchasesPath = "/v1/account/credits/purchases";

/** Begins a purchase; throws when there is none. */
export async function beginPurchase(browser: Browser, input: object = {}): Promise<JsonObject> {
  const begun = await browser.post(purchasesPath, { credits: 1_000, chainId: 51, ...input });
  if (begun.status !== 201) throw new Error(`no purchase: ${JSON.stringify(begun.body)}`);
  return begun.body;
}

/** Signs what a purchase shows, as a wallet does: nothing is known of it but this. */
export function signPurchase(purchase: JsonObject, { privateKey }: DevnetWallet): Hex {
  const typedData = memberAt(purchase, "typedData");
  if (!isObject(typedData)) throw new Error("there is nothing to sign");
  const payload = TypedData.getSignPayload(JSON.parse(JSON.stringify(typedData)));
  return Signature.toHex(Secp256k1.sign({ payload, privateKey }));
}

/** Pays a purchase. */
export function payPurchase(
  browser: Browser,
  purchase: JsonObject,
  signature: Hex,
): Promise<Answer> {
  return browser.post(`${purchasesPath}/${textAt(purchase, "id")}/payment`, { signature });
}

/** The purchase as it is now. */
export async function readPurchase(
  browser: Browser,
  purchase: JsonObject,
  query = "",
): Promise<JsonObject> {
  return (await browser.get(`${purchasesPath}/${textAt(purchase, "id")}${query}`)).body;
}

/** Looks, holding the answer until there is news, until the purchase is in one of some states. */
export async function purchaseIn(
  browser: Browser,
  purchase: JsonObject,
  ...states: readonly string[]
): Promise<JsonObject> {
  let query = "";
  for (let looks = 0; looks < readsMax; looks++) {
    const now = await readPurchase(browser, purchase, query);
    const state = textAt(now, "state");
    if (states.includes(state)) return now;
    query = `?wait=10&while=${state}`;
  }
  throw new Error(`the purchase is not ${states.join(" or ")}`);
}

const readsMax = 10;

/** Makes everything final that is in a block. */
export async function mineToFinal(devnet: Devnet): Promise<void> {
  for (let block = 0; block < finalAfterBlocks; block++) await devnet.mine();
}

/** What the account may spend. */
export async function availableOf(browser: Browser): Promise<unknown> {
  return (await browser.get("/v1/account/credits")).body["available"];
}
