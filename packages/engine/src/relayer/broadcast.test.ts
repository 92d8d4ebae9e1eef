/** What a node's reply to signed bytes says: only what it names as ours is accepted. */
import { networkOfChain } from "@farthing/protocol";
import { expect, test } from "vitest";
import { silentLog } from "../base/log.ts";
import { createChain } from "../chain/endpoints/chain.ts";
import type { RpcEndpoint, RpcReply } from "../chain/endpoints/rpc-endpoint.ts";
import { broadcast } from "./broadcast.ts";
import { signedTransaction } from "./relayer-transaction.testing.ts";

const ours = signedTransaction(1);
const refused = (message: string): RpcReply => {
  return { ok: false, error: { code: -32_000, message, data: undefined } };
};

test.each([
  ["the hash of these bytes", { ok: true, result: ours.hash }, "accepted"],
  ["the hash of others", { ok: true, result: signedTransaction(2).hash }, "unknown"],
  ["that it has them", refused("already known"), "accepted"],
  ["that it is behind", refused("header not found"), "unknown"],
  ["that the nonce is used", refused("nonce too low"), "nonce_too_low"],
] as const)("%s", async (_, reply: RpcReply, outcome) => {
  const endpoint: RpcEndpoint = {
    index: 0,
    send: async (calls) => ({ kind: "answered", answers: calls.map(() => reply) }),
  };
  const chain = createChain({ network: networkOfChain(51), endpoints: [endpoint], log: silentLog });
  expect(await broadcast(chain, 0, [ours], silentLog)).toEqual([outcome]);
});
