/** A receipt shows uses of authorizations by the logs of the token alone. */
import { networkOfChain, type Address, type Hex } from "@farthing/protocol";
import { expect, test } from "vitest";
import { silentLog } from "../../base/log.ts";
import { topics } from "../contracts/usdc.ts";
import { createChain } from "../endpoints/chain.ts";
import type { RpcEndpoint } from "../endpoints/rpc-endpoint.ts";
import { readReceipts } from "./reads.ts";

const network = networkOfChain(51);
const hash: Hex = `0x${"5e".repeat(32)}`;
const word = (number: number) => `0x${number.toString(16).padStart(64, "0")}`;

/** The logs of a payment as they stand in a block, by whichever contract. */
function paymentBy(address: Address) {
  const place = { address, transactionHash: hash, blockNumber: "0x7", blockHash: word(7) };
  const used = { topics: [topics.used, word(1), word(2)], data: "0x", logIndex: "0x0" };
  const transfer = { topics: [topics.transfer, word(1), word(3)], data: word(9), logIndex: "0x1" };
  return [used, transfer].map((log) => ({ ...place, ...log }));
}

test.each([
  ["the token", network.usdc, [9n]],
  ["a wallet's own contract", "0x1111111111111111111111111111111111111111", []],
] as const)("logs of %s", async (_, address, amounts) => {
  const result = { status: "0x1", blockNumber: "0x7", logs: paymentBy(address) };
  const endpoint: RpcEndpoint = {
    index: 0,
    send: async (calls) => ({
      kind: "answered",
      answers: calls.map(() => ({ ok: true, result })),
    }),
  };
  const chain = createChain({ network, endpoints: [endpoint], log: silentLog });
  const [receipt] = await readReceipts(chain, [hash]);
  expect(receipt?.events.map(({ transfer }) => transfer?.value)).toEqual(amounts);
});
