/**
 * The vault over HTTP, on a chain: what a seller hands over is claimed and swept by the facilitator alone,
 * also when the seller never comes back, and a voucher that could not be claimed is not taken.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Devnet } from "@farthing/devnet";
import {
  channelContract,
  claimBatchDigest,
  depositCollector,
  isObject,
  secp256k1Order,
  type Address,
  type Hex,
  type JsonObject,
} from "@farthing/protocol";
import { channelCalls } from "@farthing/protocol/channel-contract";
import {
  authorizerOf,
  channelNetwork,
  channelOf,
  deposited,
  depositBody,
  signDigest,
  signVoucher,
  type BuyerChannel,
} from "../../../test/support/channels.testing.ts";
import { createClockWithWaits } from "../../../test/support/changed-waits.testing.ts";
import {
  serveOn,
  startChain,
  walletAt,
  type Served,
} from "../../../test/support/facilitator.testing.ts";
import { keyIn } from "../../../test/support/api-keys.testing.ts";

const network = channelNetwork;

/**
 * The claimer looks every ten seconds; here every tenth of one. It waits for a claim less than a block,
 * so that each is in a block only after its look.
 */
const waits = new Map([
  [10_000, 100],
  [20_000, 50],
]);
const clock = createClockWithWaits((ms) => waits.get(ms) ?? ms);

let devnet: Devnet;
let served: Served;
let key: string;
let authorizer: Address;
const channelSecret = "a secret of tests that has more than 32 characters";

beforeAll(async () => {
  devnet = await startChain({ blockTimeSeconds: 1, buyers: 8 });
  const env = { FARTHING_CHANNEL_SECRET: channelSecret };
  served = await serveOn(devnet, { selfBuilt: false, env, clock });
  key = await keyIn(served.databaseUrl, devnet.seller.address);
  authorizer = await authorizerOf(served, withKey());
});
afterAll(async () => {
  await served?.stop();
  await devnet?.stop();
});

const withKey = () => ({ authorization: `Bearer ${key}` });

/** A channel of a buyer with a deposit, made through /settle as a seller does. */
async function openChannel(buyer: number, by: Address = authorizer): Promise<BuyerChannel> {
  const channel = channelOf(devnet, walletAt(devnet.buyers, buyer), by);
  const { channelId } = channel;
  const body = depositBody(channel);
  const settled = await served.post("/settle", body, withKey());
  expect(settled.body).toMatchObject({
    success: true,
    amount: `${deposited}`,
    extra: { channelState: { channelId, balance: `${deposited}`, totalClaimed: "0" } },
  });
  // The same message again moves nothing and has the same result.
  const again = await served.post("/settle", body, withKey());
  expect(again.body).toEqual(settled.body);
  return channel;
}

/** The row that a seller passes on. */
function rowOf(channel: BuyerChannel, charged: bigint, signed = charged) {
  return {
    channelConfig: channel.config,
    maxClaimableAmount: `${signed}`,
    signature: signVoucher(channel, signed),
    charged: `${charged}`,
  };
}

/** Recovers to the same key, which some signers do not prevent. */
function withHighS(signature: Hex): Hex {
  const s = secp256k1Order - BigInt(`0x${signature.slice(66, 130)}`);
  const v = signature.endsWith("1b") ? "1c" : "1b";
  return `0x${signature.slice(2, 66)}${s.toString(16).padStart(64, "0")}${v}`;
}

/** v as 0 or 1, which some signers write. */
function withShortV(signature: Hex): Hex {
  return `0x${signature.slice(2, 130)}${signature.endsWith("1b") ? "00" : "01"}`;
}

const hand = (vouchers: readonly object[]) =>
  served.post("/v1/channels/vouchers", { vouchers }, withKey());

async function stateOf({ channelId }: BuyerChannel): Promise<JsonObject> {
  const { body } = await served.get("/v1/channels/vouchers", withKey());
  const { vouchers } = body;
  const found = Array.isArray(vouchers) ? vouchers.filter(isObject) : [];
  return found.find((one) => one["channelId"] === channelId) ?? {};
}

describe("a seller that hands its vouchers over", () => {
  test("is paid when it asks, and gets its totals back", async () => {
    const channel = await openChannel(0);
    const before = await devnet.usdc.balanceOf(devnet.seller.address);
    const kept = await hand([rowOf(channel, 60_000n)]);
    expect(kept).toMatchObject({
      status: 200,
      body: { refused: [], kept: [{ charged: "60000" }] },
    });
    // A lower total replaces nothing.
    const lower = await hand([rowOf(channel, 50_000n)]);
    expect(lower.body).toMatchObject({ kept: [{ charged: "60000" }] });
    const higher = await hand([rowOf(channel, 100_000n)]);
    expect(higher.body).toMatchObject({ kept: [{ charged: "100000" }] });
    expect(await served.post("/v1/channels/claim", {}, withKey())).toMatchObject({ status: 202 });
    await expect.poll(() => stateOf(channel)).toMatchObject({ claimed: "100000", claimBy: null });
    await expect
      .poll(async () => (await devnet.usdc.balanceOf(devnet.seller.address)) - before)
      .toBe(100_000n);
  });

  test("is paid by itself when a payer withdraws, and never comes back", async () => {
    const channel = await openChannel(1);
    await hand([rowOf(channel, 40_000n)]);
    expect(await stateOf(channel)).toMatchObject({ claimed: "0" });
    await devnet.rpc("anvil_impersonateAccount", [channel.config.payer]);
    const data = channelCalls.initiateWithdraw(channel.config, deposited);
    await devnet.rpc("eth_sendTransaction", [
      { from: channel.config.payer, to: channelContract, data },
    ]);
    await expect.poll(() => stateOf(channel)).toMatchObject({ claimed: "40000" });
  });

  test("may sign its claims itself", async () => {
    const { privateKey, address } = devnet.seller;
    const channel = await openChannel(2, address);
    const entry = {
      channelId: channel.channelId,
      maxClaimableAmount: 30_000n,
      totalClaimed: 30_000n,
    };
    const row = rowOf(channel, 30_000n);
    const unsigned = await hand([row]);
    const code = "invalid_batch_settlement_evm_authorizer_not_configured";
    expect(unsigned.body).toMatchObject({ kept: [], refused: [{ errorReason: code }] });
    const claimSignature = signDigest(claimBatchDigest(51, [entry]), privateKey);
    const other = { ...entry, totalClaimed: 29_999n };
    const wrong = signDigest(claimBatchDigest(51, [other]), privateKey);
    expect((await hand([{ ...row, claimSignature: wrong }])).body).toMatchObject({ kept: [] });
    // The same signature in forms that the contract does not take.
    for (const form of [withHighS(claimSignature), withShortV(claimSignature)]) {
      expect((await hand([{ ...row, claimSignature: form }])).body).toMatchObject({ kept: [] });
    }
    expect((await hand([{ ...row, claimSignature }])).body).toMatchObject({ refused: [] });
    await served.post("/v1/channels/claim", {}, withKey());
    await expect.poll(() => stateOf(channel)).toMatchObject({ claimed: "30000" });
  });
});

describe("a voucher that could not be claimed is not taken", () => {
  test("above the balance, above what is signed, signed by others, or of others", async () => {
    const channel = await openChannel(3);
    const stranger = { ...channel, privateKey: walletAt(devnet.buyers, 4).privateKey };
    const elsewhere = { ...channel.config, receiver: walletAt(devnet.buyers, 4).address };
    const prefix = "invalid_batch_settlement_evm_";
    const rows: readonly (readonly [object, string])[] = [
      [rowOf(channel, deposited + 1n), "cumulative_exceeds_balance"],
      [rowOf(channel, 2_000n, 1_000n), "charge_exceeds_signed_cumulative"],
      [rowOf(stranger, 1_000n), "voucher_signature"],
      [{ ...rowOf(channel, 1_000n), channelConfig: elsewhere }, "receiver_mismatch"],
    ];
    for (const [row, code] of rows) {
      const { body } = await hand([row]);
      expect(body).toMatchObject({ kept: [], refused: [{ errorReason: `${prefix}${code}` }] });
    }
  });

  test.each([
    ["no rows", { vouchers: [] }],
    ["a row without a signature", { vouchers: [{ charged: "1" }] }],
    ["too many rows", { vouchers: Array.from({ length: 81 }, () => ({})) }],
  ])("a body with %s is refused", async (_, body) => {
    const response = await served.post("/v1/channels/vouchers", body, withKey());
    expect(response).toMatchObject({ status: 400, body: { error: "invalid_request" } });
  });

  test("a row that says what it sold in another shape is refused", async () => {
    const channel = await openChannel(5);
    const row = rowOf(channel, 1_000n);
    for (const sold of ["GET /r", [{ route: "GET /r" }], [{ route: "a\nb", units: "1" }]]) {
      expect((await hand([{ ...row, sold }])).status).toBe(400);
    }
    const sold = [{ route: "GET /r", units: "1000" }];
    expect((await hand([{ ...row, sold }])).body).toMatchObject({ refused: [] });
  });

  test("without a key nothing is kept or told", async () => {
    const response = await served.post("/v1/channels/vouchers", { vouchers: [{}] });
    expect(response).toMatchObject({ status: 401, body: { error: "unauthorized" } });
    expect(await served.get("/v1/channels/vouchers")).toMatchObject({ status: 401 });
  });
});

test("money that is paid to the collector itself is refused", async () => {
  const body = {
    x402Version: 2,
    paymentPayload: {
      x402Version: 2,
      scheme: "exact",
      network: network.id,
      payload: {
        signature: `0x${"11".repeat(65)}`,
        authorization: {
          from: walletAt(devnet.buyers, 5).address,
          to: depositCollector,
          value: "1000",
          validAfter: "0",
          validBefore: "4000000000",
          nonce: `0x${"22".repeat(32)}`,
        },
      },
    },
    paymentRequirements: {
      scheme: "exact",
      network: network.id,
      amount: "1000",
      asset: network.usdc,
      payTo: depositCollector,
      maxTimeoutSeconds: 60,
    },
  };
  const { body: verdict } = await served.post("/api/facilitator/verify", body);
  expect(verdict).toMatchObject({ isValid: false, invalidReason: "pay_to_mismatch" });
});
