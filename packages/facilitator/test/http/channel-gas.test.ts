/** Strangers who would burn the operator's gas, or a node's time, by what is sent for channels. */
import type { Devnet } from "@farthing/devnet";
import { channelRefundDigest, claimBatchDigest, type JsonObject } from "@farthing/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { keyIn } from "../support/api-keys.testing.ts";
import {
  channelOf,
  deposited,
  depositBody,
  signDigest,
  signVoucher,
  type BuyerChannel,
} from "../support/channels.testing.ts";
import {
  countOf,
  serveOn,
  startChain,
  walletAt,
  type Answer,
  type Served,
} from "../support/facilitator.testing.ts";

let devnet: Devnet;
let served: Served;
let key: Record<string, string>;

beforeAll(async () => {
  devnet = await startChain({ buyers: 4 });
  served = await serveOn(devnet, {
    selfBuilt: false,
    env: {
      FARTHING_TRUSTED_PROXIES: "127.0.0.1",
      // 40 payments in each half at 104,000 gas and 12.5 gwei: one network may use 4.
      FARTHING_KEYLESS_GAS_PER_DAY: "0.104",
    },
  });
  key = { authorization: `Bearer ${await keyIn(served.databaseUrl, devnet.seller.address)}` };
});
afterAll(async () => {
  await served?.stop();
  await devnet?.stop();
});

const ask = (path: string, from: string, body: JsonObject): Promise<Answer> =>
  served.post(`/api/facilitator${path}`, body, { "x-forwarded-for": from });

/** A channel of a buyer with its deposit, which the seller's key has paid for. */
async function openChannel(buyer: number): Promise<BuyerChannel> {
  const channel = channelOf(devnet, walletAt(devnet.buyers, buyer));
  const { body } = await served.post("/settle", depositBody(channel), key);
  expect(body).toMatchObject({ success: true });
  return channel;
}

const signedBySeller = (digest: Uint8Array) => signDigest(digest, devnet.seller.privateKey);

/** Calls for a channel by a caller without a key. */
function callsFrom(from: string, channel: BuyerChannel) {
  const { channelId, config } = channel;
  const { receiver, token } = config;
  const settle = (payload: object) => {
    const body = depositBody(channel);
    const paymentPayload = { ...body.paymentPayload, payload };
    return ask("/settle", from, { ...body, paymentPayload });
  };
  return {
    claim(units: bigint) {
      const entry = { channelId, maxClaimableAmount: units, totalClaimed: units };
      const row = {
        voucher: { channel: config, maxClaimableAmount: `${units}` },
        signature: signVoucher(channel, units),
        totalClaimed: `${units}`,
      };
      const claimAuthorizerSignature = signedBySeller(claimBatchDigest(51, [entry]));
      return settle({ type: "claim", claims: [row], claimAuthorizerSignature });
    },
    refund() {
      const terms = { channelId, nonce: 0n, amount: 5n };
      return settle({
        type: "refund",
        channelConfig: config,
        voucher: { channelId, maxClaimableAmount: "2", signature: signVoucher(channel, 2n) },
        amount: "5",
        refundNonce: "0",
        claims: [],
        refundAuthorizerSignature: signedBySeller(channelRefundDigest(51, terms)),
      });
    },
    sweep: () => settle({ type: "settle", receiver, token }),
  };
}

const usedUp = { status: 429, body: { error: "caller_gas_share_used", retryable: true } };

test("all that is sent for channels counts in the gas budget of callers without a key", async () => {
  const from = "198.19.0.1";
  const { claim, refund, sweep } = callsFrom(from, await openChannel(0));
  // A claim of a row counts as one and a third of a payment, a sweep as one.
  for (const call of [() => claim(1n), sweep, () => claim(2n)]) {
    expect((await call()).body).toMatchObject({ success: true });
  }
  const before = await countOf(devnet, served.relayer);
  const deposit = depositBody(channelOf(devnet, walletAt(devnet.buyers, 1)));
  const refused = [
    sweep,
    refund,
    () => claim(3n),
    () => ask("/verify", from, deposit),
    () => ask("/settle", from, deposit),
  ];
  for (const call of refused) expect(await call()).toMatchObject(usedUp);
  expect(await countOf(devnet, served.relayer)).toBe(before);
});

test("a call that is not sent keeps no gas of the budget, and there is a bound on such calls", async () => {
  const channel = await openChannel(2);
  const { claim, sweep } = callsFrom("198.21.0.1", channel);
  const failed = { errorReason: "invalid_batch_settlement_evm_claim_simulation_failed" };
  const before = await countOf(devnet, served.relayer);
  for (let calls = 0; calls < 20; calls++) {
    expect((await claim(deposited + 1n)).body).toMatchObject(failed);
  }
  expect(await countOf(devnet, served.relayer)).toBe(before);
  // Twenty of them count as less than half of a payment.
  expect((await claim(1n)).body).toMatchObject({ success: true });
  expect((await sweep()).body).toMatchObject({ success: true });
  const other = callsFrom("198.22.0.1", channel);
  let calls = 0;
  let said = await other.claim(deposited + 1n);
  for (; said.status === 200 && calls < 200; calls++) said = await other.claim(deposited + 1n);
  expect(said).toMatchObject(usedUp);
  // Until what is left is less than a claim: two and two thirds of four payments, fifty for each.
  expect(calls).toBeGreaterThan(120);
  expect(calls).toBeLessThan(140);
});
