/** Which totals are believed: those with the buyer's own signature, and those of the chain. */
import {
  apothem,
  toLowerHex,
  voucherDigest,
  xdc,
  type ChannelConfig,
  type ChannelState,
  type Hex,
  type Network,
} from "@farthing/protocol";
import { channelReads } from "@farthing/protocol/channel-contract";
import * as fc from "fast-check";
import * as Secp256k1 from "ox/Secp256k1";
import * as Signature from "ox/Signature";
import { expect, test } from "vitest";
import { otherPayee, payer, payTo, testKey } from "../scripted-seller.testing.ts";
import { privateKeySigner } from "../signer.ts";
import { channelNode } from "./channel-node.testing.ts";
import type { ChannelRecord } from "./channel-record.ts";
import { channelSelectors, readChannelState } from "./read-channel-state.ts";
import { evaluateCorrective } from "./recover-channel.ts";

const channelId: Hex = `0x${"c1".repeat(32)}`;
const otherKey: Hex = `0x${"22".repeat(32)}`;
const config: ChannelConfig = {
  payer,
  payerAuthorizer: payer,
  receiver: payTo,
  receiverAuthorizer: otherPayee,
  token: apothem.usdc,
  withdrawDelay: 900,
  salt: channelId,
};

const { receiver, token: asset } = config;
const offer = { requirements: { network: apothem, asset, amount: 1_000n, payTo: receiver } };

function recordOf(over: Partial<ChannelRecord>): ChannelRecord {
  return {
    channelId,
    network: apothem.id,
    config,
    host: "seller.example",
    url: "https://seller.example/r",
    method: "GET",
    chargedUnits: 0n,
    signedUnits: 0n,
    unansweredUnits: 0n,
    balanceUnits: 100_000n,
    claimedUnits: 0n,
    withdrawRequestedAt: 0,
    openDeposits: [],
    unexplained: 0,
    spent: [],
    namedCalls: [],
    openedAt: 0,
    usedAt: 0,
    ...over,
  };
}

function signed(units: bigint, privateKey: Hex = testKey) {
  const payload = voucherDigest(apothem.chainId, { channelId, maxClaimableAmount: units });
  const signature = toLowerHex(Signature.toHex(Secp256k1.sign({ payload, privateKey })));
  return { units, signature };
}

function corrective(chargedUnits: bigint, voucher?: ReturnType<typeof signed>) {
  const code = "cumulative_amount_mismatch" as const;
  const said = { kind: "corrective", code, stated: { chargedUnits } } as const;
  return voucher ? { ...said, voucher } : said;
}

const onChain: ChannelState = {
  balance: 50_000n,
  totalClaimed: 7_000n,
  withdrawing: 0n,
  withdrawRequestedAt: 0,
  refundNonce: 0n,
};

const units = fc.bigInt({ min: 0n, max: 20_000n });

test("without the buyer's signature or the chain, no other total is taken", () => {
  fc.assert(
    fc.property(units, units, units, fc.boolean(), (before, total, shown, isForged) => {
      const record = recordOf({ chargedUnits: before, signedUnits: before });
      const voucher = isForged ? signed(shown, otherKey) : undefined;
      const { kind } = evaluateCorrective(record, offer, corrective(total, voucher), undefined);
      expect(kind).toBe(isForged ? "lie" : "unproven");
    }),
    { numRuns: 50 },
  );
});

test("a total is at most the voucher that is shown for it, and what lost calls explain", () => {
  fc.assert(
    fc.property(units, units, units, units, units, (charged, more, spare, total, shown) => {
      const lost = charged + more;
      // A call that cost less than its price leaves a voucher above its total.
      const highest = lost + spare;
      const over = { chargedUnits: charged, signedUnits: highest, unansweredUnits: lost };
      const said = corrective(total, signed(shown));
      const recovery = evaluateCorrective(recordOf(over), offer, said, undefined);
      const isCovered = total <= shown;
      // A higher voucher comes from another program of the same key.
      const isExplained = total <= lost || shown > highest;
      expect(recovery.kind).toBe(isCovered && isExplained ? "recovered" : "lie");
    }),
    { numRuns: 200 },
  );
});

test("a wallet with a key for its vouchers takes totals by that key, not by its own", () => {
  const keyed = { ...config, payerAuthorizer: privateKeySigner(otherKey).address };
  const lost = { chargedUnits: 0n, signedUnits: 1_000n, unansweredUnits: 1_000n };
  const recoveryBy = (key: Hex) => {
    const said = corrective(1_000n, signed(1_000n, key));
    return evaluateCorrective(recordOf({ config: keyed, ...lost }), offer, said, undefined).kind;
  };
  expect([recoveryBy(otherKey), recoveryBy(testKey)]).toEqual(["recovered", "lie"]);
});

test("a lost ledger takes the seller's total and, from the chain, the balance", () => {
  const said = corrective(9_000n, signed(10_000n));
  expect(evaluateCorrective(recordOf({}), offer, said, onChain)).toEqual({
    kind: "recovered",
    base: {
      chargedUnits: 9_000n,
      balanceUnits: 50_000n,
      claimedUnits: 7_000n,
      withdrawRequestedAt: 0,
    },
  });
});

test("a seller that lost its state goes on from what the chain says it has claimed", () => {
  const record = recordOf({ chargedUnits: 9_000n, signedUnits: 9_000n });
  expect(evaluateCorrective(record, offer, corrective(7_000n), onChain)).toMatchObject({
    kind: "recovered",
    base: { chargedUnits: 7_000n },
  });
});

test("what the chain says of a balance changes no total", () => {
  const record = recordOf({ chargedUnits: 9_000n, signedUnits: 9_000n });
  const said = { kind: "corrective", code: "cumulative_exceeds_balance", stated: {} } as const;
  expect(evaluateCorrective(record, offer, said, onChain)).toMatchObject({
    kind: "recovered",
    base: { chargedUnits: 9_000n, balanceUnits: 50_000n },
  });
});

test("a node of another chain says nothing of a channel", async () => {
  const node = channelNode(() => ({ balance: 5n, totalClaimed: 3n }), apothem);
  const read = (network: Network) => readChannelState(node, ["http://node"], network, channelId);
  expect((await read(apothem))?.state).toMatchObject({ balance: 5n, totalClaimed: 3n });
  expect(await read(xdc)).toBeUndefined();
});

test("claims above every charge, and a total below the claims, are lies", () => {
  const record = recordOf({ chargedUnits: 6_500n, signedUnits: 7_200n });
  expect(evaluateCorrective(record, offer, corrective(7_000n), onChain).kind).toBe("lie");
  const below = corrective(6_000n, signed(20_000n));
  expect(evaluateCorrective(recordOf({}), offer, below, onChain).kind).toBe("lie");
});

test("no seller's word lowers the balance, which would make room for another deposit", () => {
  const said = corrective(0n, signed(1_000n));
  const poor = { ...said, stated: { ...said.stated, balanceUnits: 0n } };
  const record = recordOf({ signedUnits: 1_000n });
  expect(evaluateCorrective(record, offer, poor, undefined)).toMatchObject({
    kind: "recovered",
    base: { balanceUnits: 100_000n },
  });
});

test("the calldata written by hand is that of the contract's entry", () => {
  const data = (selector: string) => `${selector}${channelId.slice(2)}`;
  expect(data(channelSelectors.channels)).toBe(channelReads.channels(channelId));
  expect(data(channelSelectors.refundNonce)).toBe(channelReads.refundNonce(channelId));
  const pending = channelReads.pendingWithdrawals(channelId);
  expect(data(channelSelectors.pendingWithdrawals)).toBe(pending);
});
