/** Settles payments all at once, and finds what carried them and its gas. */
import type { Devnet } from "@farthing/devnet";
import { runLoad } from "./load.ts";
import { headOf, usesSince } from "./measure.ts";

/** Twice as long as a lone payment or a rush of a thousand takes to be confirmed. */
const answerMs = 20_000;

/** Settles each request body once. Returns the transactions with the payments that each carried. */
export async function settleAtOnce(
  devnet: Devnet,
  url: string,
  bodies: string[],
): Promise<Map<string, number>> {
  const firstBlock = (await headOf(devnet)) + 1;
  await runLoad({
    url,
    path: "/settle",
    callers: bodies.length,
    next: () => bodies.pop(),
    warmUpMs: 0,
    countMs: answerMs,
  });
  return usesSince(devnet, firstBlock);
}

export async function gasUsedBy(devnet: Devnet, hash: string): Promise<number> {
  const receipt = await devnet.rpc<{ gasUsed: string }>("eth_getTransactionReceipt", [hash]);
  return Number(receipt.gasUsed);
}
