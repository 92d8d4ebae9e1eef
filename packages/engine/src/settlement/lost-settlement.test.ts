/** Which payments a repeat recovers after a loss: those that a relayer wallet has sent. */
import { networkOfChain, type Hex } from "@farthing/protocol";
import { expect, test } from "vitest";
import { silentLog } from "../base/log.ts";
import { createChain } from "../chain/endpoints/chain.ts";
import { queuedSettlement } from "../model/settlement.testing.ts";
import { createFindLost } from "./lost-settlement.ts";

const network = networkOfChain(51);
const wallet = "0x3333333333333333333333333333333333333333";
const sentIn: Hex = `0x${"5e".repeat(32)}`;
const { payer, payTo, nonce, amount, validAfter, validBefore, signature } = queuedSettlement();
const authorization = { from: payer, to: payTo, value: amount, validAfter, validBefore, nonce };

test.each([
  ["a payment that a relayer wallet sent", wallet, "payment", "payment", true],
  ["a payment from another sender", payTo, "payment", "payment", false],
  ["a refund, presented as a payment", wallet, "refund", "payment", false],
  ["what may be a refund, presented as a payment", wallet, "unclear", "payment", false],
  ["a refund, presented as one", wallet, "refund", "refund", true],
] as const)("a repeat finds %s", async (_name, sender, kind, presentedAs, isFound) => {
  const chain = {
    ...createChain({ network, endpoints: [], log: silentLog }),
    read: async ([call]: readonly { readonly method: string }[]) => [
      { ok: true as const, result: call?.method === "eth_getCode" ? "0x" : { from: sender } },
    ],
  };
  const readRefund = async () =>
    kind === "refund" ? ({ kind, nonce } as const) : ({ kind } as const);
  const findLost = createFindLost({
    networkOf: () => ({ chain, view: () => undefined, wallets: [wallet], readRefund }),
  });
  const request = {
    payment: { network, networkName: network.id, authorization, signature: signature },
  };
  const blockHash = `0x${"b1".repeat(32)}` as const;
  const paidBy = { kind: "used", transaction: sentIn, blockNumber: 100, blockHash } as const;
  const found = await findLost(Object(request), paidBy, presentedAs);
  expect(found?.seenUnusedAt).toBe(isFound ? 99 : undefined);
});
