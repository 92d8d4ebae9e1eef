/**
 * The key of channels in a key service, beside the secret from which earlier channels have theirs. Its
 * faults hold up its own claims alone, and nothing is told as failed.
 */
import type { Devnet } from "@farthing/devnet";
import { isObject, parseWireAddress, type Address, type JsonObject } from "@farthing/protocol";
import { createChannelSigner } from "@farthing/engine";
import { createLog, Fault, Secret } from "@farthing/engine/base";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { readConfig } from "../../src/config/config.ts";
import { startFacilitator } from "../../src/app.ts";
import { examine } from "../../src/operations/doctor.ts";
import { createClockWithWaits } from "../support/changed-waits.testing.ts";
import {
  channelOf,
  depositBody,
  deposited,
  signVoucher,
  type BuyerChannel,
} from "../support/channels.testing.ts";
import {
  environmentOn,
  serveOn,
  startChain,
  textAt,
  walletAt,
  type Served,
} from "../support/facilitator.testing.ts";
import { keyIn } from "../support/api-keys.testing.ts";
import { startKms, type KeyService } from "../support/key-services.testing.ts";

const keyId = "alias/channels";
const secret = "a secret of tests that has more than 32 characters";

/** The claimer looks every ten seconds; here every tenth of one. */
const clock = createClockWithWaits((ms) => (ms === 10_000 ? 100 : ms));

let devnet: Devnet;
let kms: KeyService;
let served: Served;
let apiKey: string;
let buyers = 0;
const lines: string[] = [];

const env = {
  FARTHING_CHANNEL_SECRET: secret,
  FARTHING_CHANNEL_KMS_KEY: keyId,
  FARTHING_METRICS_PORT: "0",
};
const remote = () => walletAt(devnet.buyers, 7).address;
const derived = () => createChannelSigner(new Secret(secret), devnet.seller.address).address;

beforeAll(async () => {
  devnet = await startChain({ blockTimeSeconds: 1, buyers: 8 });
  kms = await startKms(walletAt(devnet.buyers, 7), keyId);
  vi.stubEnv("AWS_ENDPOINT_URL_KMS", kms.url);
  vi.stubEnv("AWS_REGION", "eu-test-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIDTEST");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "aws-secret-access-key");
  const log = createLog("debug", { write: (line) => void lines.push(line) });
  served = await serveOn(devnet, { selfBuilt: false, env, clock, log });
  apiKey = await keyIn(served.databaseUrl, devnet.seller.address);
});
afterAll(async () => {
  await served?.stop();
  await kms?.stop();
  await devnet?.stop();
  vi.unstubAllEnvs();
});

const withKey = () => ({ authorization: `Bearer ${apiKey}` });

async function openChannel(authorizer: Address): Promise<BuyerChannel> {
  const channel = channelOf(devnet, walletAt(devnet.buyers, buyers++), authorizer);
  const { body } = await served.post("/settle", depositBody(channel), withKey());
  expect(body).toMatchObject({ success: true });
  return channel;
}

async function hand(channel: BuyerChannel, charged: bigint): Promise<void> {
  const row = {
    channelConfig: channel.config,
    maxClaimableAmount: `${charged}`,
    signature: signVoucher(channel, charged),
    charged: `${charged}`,
  };
  const { body } = await served.post("/v1/channels/vouchers", { vouchers: [row] }, withKey());
  expect(body).toMatchObject({ refused: [], kept: [{ charged: `${charged}` }] });
}

/** What the rule of an alarm counts. */
async function failedSignatures(): Promise<number> {
  const text = await (await fetch(`${served.metricsUrl}/metrics`)).text();
  const series = /^x402_channel_sign_seconds_count\{outcome="failed"\} (\d+)$/m;
  return Number(series.exec(text)?.[1]);
}

const askForClaims = () => served.post("/v1/channels/claim", {}, withKey());

async function keptOf({ channelId }: BuyerChannel): Promise<JsonObject> {
  const { body } = await served.get("/v1/channels/vouchers", withKey());
  const rows = Array.isArray(body["vouchers"]) ? body["vouchers"].filter(isObject) : [];
  return rows.find((row) => row["channelId"] === channelId) ?? {};
}

/** What a seller sends to /settle, for a voucher of all that was charged. */
function bodyOf(channel: BuyerChannel, charged: bigint, terms: object) {
  const { paymentPayload, paymentRequirements } = depositBody(channel);
  const { config: channelConfig, channelId } = channel;
  const signature = signVoucher(channel, charged);
  const claim = {
    voucher: { channel: channelConfig, maxClaimableAmount: `${charged}` },
    signature,
    totalClaimed: `${charged}`,
  };
  const voucher = { channelId, maxClaimableAmount: `${charged}`, signature };
  const payload = { channelConfig, voucher, claims: [claim], ...terms };
  return {
    x402Version: 2,
    paymentPayload: { ...paymentPayload, payload },
    paymentRequirements: { ...paymentRequirements, amount: "0" },
  };
}

test("new channels name the remote key, and both keys claim", async () => {
  const { body } = await served.get("/supported", withKey());
  const kinds = Array.isArray(body["kinds"]) ? body["kinds"].filter(isObject) : [];
  const kind = kinds.find(({ scheme }) => scheme === "batch-settlement");
  expect(parseWireAddress(textAt(kind ?? {}, "extra.receiverAuthorizer"))).toBe(remote());
  const [one, other] = [await openChannel(remote()), await openChannel(remote())];
  const earlier = await openChannel(derived());
  const before = kms.signed;
  for (const channel of [one, other, earlier]) await hand(channel, 60_000n);
  await askForClaims();
  for (const channel of [one, other, earlier]) {
    await expect.poll(() => keptOf(channel)).toMatchObject({ claimed: "60000", claimBy: null });
  }
  // Vouchers are kept without it, and a claim of several channels is one signature.
  expect(kms.signed).toBe(before + 1);
  expect(await failedSignatures()).toBe(0);
});

test("while the key service fails, its claims wait, all others are made, and nothing has failed", async () => {
  const waiting = await openChannel(remote());
  const earlier = await openChannel(derived());
  kms.fault = "signs with another key";
  for (const channel of [waiting, earlier]) await hand(channel, 60_000n);
  await askForClaims();
  await expect.poll(() => keptOf(earlier)).toMatchObject({ claimed: "60000" });
  expect(await keptOf(waiting)).toMatchObject({ claimed: "0", claimBy: expect.any(Number) });
  for (const terms of [
    { type: "claim", channelConfig: undefined, voucher: undefined },
    { type: "refund", amount: "40000", refundNonce: "0" },
  ]) {
    const asked = await served.post("/settle", bodyOf(waiting, 60_000n, terms), withKey());
    expect(asked).toMatchObject({ status: 503, body: { retryable: true } });
  }
  const asked = () => lines.filter((line) => line.includes('"channel_signing_failed"')).length;
  // Each of many looks finds it paused.
  expect(asked()).toBeLessThan(5);
  expect(await failedSignatures()).toBeGreaterThan(0);
  kms.fault = "none";
  await expect.poll(() => keptOf(waiting)).toMatchObject({ claimed: "60000", claimBy: null });
  expect(lines.some((line) => line.includes('"channel_signing_resumed"'))).toBe(true);
  const before = await devnet.usdc.balanceOf(waiting.config.payer);
  const terms = { type: "refund", amount: "40000", refundNonce: "0" };
  const refund = await served.post("/settle", bodyOf(waiting, 60_000n, terms), withKey());
  expect(refund.body).toMatchObject({ success: true, amount: "40000" });
  const after = await devnet.usdc.balanceOf(waiting.config.payer);
  expect(after - before).toBe(deposited - 60_000n);
});

test("without the account's key nobody has a refund signed by it", async () => {
  const channel = await openChannel(remote());
  const before = kms.signed;
  const terms = { type: "refund", amount: "99000", refundNonce: "0" };
  const refund = await served.post("/api/facilitator/settle", bodyOf(channel, 1_000n, terms));
  const code = "invalid_batch_settlement_evm_authorizer_not_configured";
  expect(refund.body).toMatchObject({ success: false, errorReason: code });
  expect(kms.signed).toBe(before);
});

test("the doctor has the key service sign, and a key that it does not have stops the start", async () => {
  const lineOf = async (changed: object) => {
    const settings = environmentOn(devnet, { env: { ...env, ...changed } });
    const { value } = await examine({ env: settings }, { rateSeconds: 0 }).next();
    return value?.lines.find(({ name }: { name: string }) => name === "channels");
  };
  expect(await lineOf({})).toMatchObject({
    status: "ok",
    text: `AWS KMS signs for channels as ${remote()}`,
  });
  const unknown = { FARTHING_CHANNEL_KMS_KEY: "alias/none" };
  expect(await lineOf(unknown)).toMatchObject({ status: "fail" });
  kms.fault = "refuses";
  expect(await lineOf({})).toMatchObject({
    status: "fail",
    text: "AWS KMS: AccessDeniedException",
  });
  kms.fault = "none";
  const config = readConfig({ env: environmentOn(devnet, { env: { ...env, ...unknown } }) });
  const error: unknown = await startFacilitator({ config }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Fault);
  expect(error).toMatchObject({
    code: "configuration",
    message: expect.stringMatching(/check FARTHING_CHANNEL_KMS_KEY.*"alias\/none"/),
  });
});
