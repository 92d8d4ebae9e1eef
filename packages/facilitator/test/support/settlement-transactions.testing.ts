/** The transactions of settlements that are still on their way. */
import type { Devnet } from "@farthing/devnet";
import type { JsonObject } from "@farthing/protocol";
import { expect } from "vitest";
import type { Served } from "./facilitator.testing.ts";

/**
 * The hash of the transaction that carries a settlement. On a busy machine `respond-async` answers
 * before there is one.
 */
export async function untilSent(at: Served, answer: JsonObject): Promise<string> {
  const hash = async () => {
    const { body } = await at.get(`/settlements/${String(answer["id"])}`);
    return String(body["transaction"]);
  };
  await expect.poll(hash).not.toBe("");
  return hash();
}

/**
 * Mines a block unless the transaction is in one. A test that lets a block vanish mines no further:
 * nothing takes back what the service has seen as final.
 */
export async function mineUnlessMined(devnet: Devnet, transaction: unknown): Promise<void> {
  // A payment that waits has no hash, which a page shows as an empty text.
  const isSent = typeof transaction === "string" && transaction !== "";
  const isMined = isSent && (await devnet.rpc("eth_getTransactionReceipt", [transaction])) !== null;
  if (!isMined) await devnet.mine();
}
