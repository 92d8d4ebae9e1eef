/** Which transfers of relayer wallets become settlements again, and as what. */
import { networkOfChain, type Address, type Authorization } from "@farthing/protocol";
import { expect, test } from "vitest";
import { createLog, silentLog } from "../base/log.ts";
import { systemClock } from "../base/clock.ts";
import { createChain } from "../chain/endpoints/chain.ts";
import type { SentTransfer } from "../chain/logs/sent-transfers.ts";
import type { Claim, Settlement } from "../model/settlement.ts";
import { queuedSettlement } from "../model/settlement.testing.ts";
import { createAdoptTransfers } from "./adopt-transfers.ts";
import type { Proof } from "./chain-proofs.ts";
import type { RefundReading } from "./lost-refunds.ts";

const network = networkOfChain(51);
const wallet = "0x3333333333333333333333333333333333333333";
const known = queuedSettlement();
const { payer, nonce, payTo, amount } = known;
const authorization: Authorization = {
  from: payer,
  to: payTo,
  value: amount,
  validAfter: 0n,
  validBefore: known.validBefore,
  nonce,
};

function transferWith(changes: Partial<Authorization> = {}): SentTransfer {
  return {
    event: {
      kind: "used",
      payer,
      nonce,
      transaction: `0x${"5e".repeat(32)}`,
      blockNumber: 100,
      blockHash: `0x${"b1".repeat(32)}`,
      logIndex: 0,
      transfer: { from: payer, to: payTo, value: amount },
    },
    call: { authorization: { ...authorization, ...changes }, signature: known.signature },
  };
}

interface Situation {
  readonly stored?: Settlement;
  readonly reading?: RefundReading;
  /** The payment that the transfer may refund. */
  readonly refunded?: Settlement;
}

async function adopt(transfer: SentTransfer, situation: Situation = {}) {
  const { stored, reading = { kind: "payment" }, refunded } = situation;
  const claims: Claim[] = [];
  const proofs: Proof[] = [];
  const lines: string[] = [];
  const adoptAll = createAdoptTransfers({
    chain: {
      ...createChain({ network, endpoints: [], log: silentLog }),
      read: async (calls) => calls.map(() => ({ ok: true, result: "0x" })),
    },
    clock: systemClock,
    log: createLog("info", { write: (line) => void lines.push(line) }),
    view: () => undefined,
    newId: () => "stl_again",
    readRefund: async () => reading,
    store: {
      findSettlementsByKey: async (keys) =>
        keys.map((key) => (key.payer === payer ? stored : refunded)),
      claimSettlements: async (asked) => {
        claims.push(...asked);
        return asked.map(() => ({ kind: "created", settlement: known }));
      },
    },
    adopt: async (found) => void proofs.push(...found),
  });
  const recovered = await adoptAll([transfer, transfer]);
  const problem: unknown = lines[0] && JSON.parse(lines[0]).problem;
  return { recovered, claims, concluded: proofs.length, problem };
}

const refund: RefundReading = { kind: "refund", nonce: `0x${"cd".repeat(32)}` };

/** A payment by the recipient of the transfer, to a third address. */
const paidTo = (to: Address) => queuedSettlement({ id: "stl_paid", payer: payTo, payTo: to });

test("a lost payment is claimed once, as it was signed and for no account", async () => {
  const { recovered, claims, concluded } = await adopt(transferWith());
  expect([recovered, concluded]).toEqual([1, 1]);
  expect(claims).toMatchObject([
    { id: "stl_again", payer, nonce, payTo, amount, owner: null, credits: 0, isRecovered: true },
  ]);
  expect(claims[0]).toMatchObject({ seenUnusedAt: 99, refund: undefined, claimingCall: null });
});

test.each([
  ["open", "submitted", 1],
  ["failed", "failed", 1],
  ["confirmed", "confirmed", 0],
] as const)("one that is %s in the store is not claimed again", async (_name, state, concluded) => {
  const stored = queuedSettlement({ state });
  expect(await adopt(transferWith(), { stored })).toMatchObject({ claims: [], concluded });
});

test.each([
  ["another amount", { value: amount + 1n }],
  ["another recipient", { to: wallet }],
] as const)("calldata that shows %s than the logs is left out", async (_name, changes) => {
  const { claims, problem } = await adopt(transferWith(changes));
  expect([claims, problem]).toEqual([[], "its transaction does not show the authorization"]);
});

test.each([
  ["a refund is its payment's", paidTo(payer), { of: "stl_paid", unitsMin: 0n }],
  ["a payment with the nonce of another's refund is a payment", paidTo(wallet), undefined],
])("%s", async (_name, refunded, as) => {
  const { claims } = await adopt(transferWith(), { reading: refund, refunded });
  expect(claims.map((one) => one.refund)).toEqual([as]);
});

test.each([
  ["whose payment is not known", refund, /refunds a payment that the database does not have/],
  ["that may be a refund", { kind: "unclear" }, /paid too often/],
] as const)("a transfer %s is no payment", async (_name, reading, problem) => {
  const found = await adopt(transferWith(), { reading });
  expect(found).toMatchObject({ claims: [], problem: expect.stringMatching(problem) });
});
