import { computeChannelId } from "@x402/evm/batch-settlement/client";
import * as fc from "fast-check";
import { readdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { hashTypedData } from "viem";
import { describe, expect, test } from "vitest";
import { spoiled } from "../messages/arbitraries.testing.ts";
import { isObject } from "../encoding/json.ts";
import { hexDigits } from "../encoding/hex.ts";
import { networks } from "../networks/networks.ts";
import { channelCodes, parseChannelCode, wireChannelCode } from "./channel-codes.ts";
import { channelConfig, channelEntry, depositRequest } from "./channel-examples.testing.ts";
import { claimRowsMax, parseChannelPayload, parseChannelRequest } from "./channel-messages.ts";
import {
  channelRefundDigest,
  channelRefundTypes,
  claimBatchDigest,
  claimBatchTypes,
  depositDigest,
  depositNonce,
  depositTypes,
  voucherDigest,
  voucherTypes,
} from "./channel-signatures.ts";
import { depositCollector } from "../networks/channel-addresses.ts";
import { channelDomain, channelIdOf, channelUnitsMax, parseChannelConfig } from "./channel.ts";

const hexOf = (bytes: Uint8Array) => `0x${hexDigits(bytes)}`;

const address = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes): `0x${string}` => `0x${hexDigits(bytes)}`)
  .filter((hex) => BigInt(hex) > 0n);

const bytes32 = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes): `0x${string}` => `0x${hexDigits(bytes)}`);

const units = fc.bigInt({ min: 0n, max: 2n ** 128n - 1n });

const configs = fc.record({
  payer: address,
  payerAuthorizer: address,
  receiver: address,
  receiverAuthorizer: address,
  token: address,
  withdrawDelay: fc.integer({ min: 900, max: 2_592_000 }),
  salt: bytes32,
});

describe.each(networks)(
  "on $name, what is signed equals what the published packages sign",
  (network) => {
    const domain = channelDomain(network.chainId);

    test("the id of a channel", () => {
      fc.assert(
        fc.property(configs, (config) => {
          const parsed = parseChannelConfig(config);
          if (!parsed.ok) throw new Error(parsed.refusal.message);
          expect(channelIdOf(network, parsed.value)).toBe(computeChannelId(config, network.id));
        }),
        { numRuns: 50 },
      );
    });

    test("a voucher, a refund and a batch of claims", () => {
      fc.assert(
        fc.property(bytes32, units, units, (channelId, one, other) => {
          const voucher = { channelId, maxClaimableAmount: one };
          expect(hexOf(voucherDigest(network.chainId, voucher))).toBe(
            hashTypedData({
              domain,
              types: voucherTypes,
              primaryType: "Voucher",
              message: voucher,
            }),
          );
          const refund = { channelId, nonce: one, amount: other };
          expect(hexOf(channelRefundDigest(network.chainId, refund))).toBe(
            hashTypedData({
              domain,
              types: channelRefundTypes,
              primaryType: "Refund",
              message: refund,
            }),
          );
          const claims = [
            { ...voucher, totalClaimed: other },
            { channelId, maxClaimableAmount: other, totalClaimed: one },
          ];
          expect(hexOf(claimBatchDigest(network.chainId, claims))).toBe(
            hashTypedData({
              domain,
              types: claimBatchTypes,
              primaryType: "ClaimBatch",
              message: { claims },
            }),
          );
        }),
        { numRuns: 50 },
      );
    });

    test("a deposit", () => {
      const nonce = depositNonce(channelIdOf(network, channelConfig), 7n);
      const terms = { value: 10_000n, validAfter: 0n, validBefore: 2_000_000_000n, nonce };
      const message = { from: channelConfig.payer, to: depositCollector, ...terms };
      expect(hexOf(depositDigest(network, message))).toBe(
        hashTypedData({
          domain: { ...network.domain, chainId: network.chainId, verifyingContract: network.usdc },
          types: depositTypes,
          primaryType: "ReceiveWithAuthorization",
          message,
        }),
      );
    });
  },
);

test("a deposit of the published client is read", async () => {
  const parsed = parseChannelRequest(await depositRequest());
  if (!parsed.ok) throw new Error(parsed.refusal.message);
  const { payload, requirements } = parsed.value;
  expect(requirements).toMatchObject({
    amount: 1000n,
    payTo: channelConfig.receiver,
    receiverAuthorizer: channelConfig.receiverAuthorizer,
    withdrawDelay: 86_400,
    minDeposit: 10_000n,
  });
  expect(payload).toMatchObject({
    type: "deposit",
    config: channelConfig,
    voucher: { maxClaimableAmount: 1000n },
    deposit: { amount: 10_000n, validAfter: 0n },
  });
});

test("a manager's calls, with an amount of 0 and no extra, are read", async () => {
  const entry = { ...channelEntry, amount: "0", maxTimeoutSeconds: 0, extra: {} };
  const claim = {
    voucher: { channel: channelConfig, maxClaimableAmount: "5000" },
    signature: `0x${"ab".repeat(65)}`,
    totalClaimed: "4000",
  };
  const sent = (payload: object) => ({
    x402Version: 2,
    paymentPayload: { x402Version: 2, accepted: entry, payload },
    paymentRequirements: entry,
  });
  const claims = parseChannelRequest(sent({ type: "claim", claims: [claim] }));
  expect(claims).toMatchObject({
    ok: true,
    value: { payload: { claims: [{ totalClaimed: 4000n }] }, requirements: { amount: 0n } },
  });
  const { receiver, token } = channelConfig;
  expect(parseChannelRequest(sent({ type: "settle", receiver, token }))).toMatchObject({
    ok: true,
    value: { payload: { type: "settle", receiver, token } },
  });
});

test("a spoiled message is refused with a code and a sentence, or is well-formed", async () => {
  const request = await depositRequest();
  fc.assert(
    fc.property(spoiled(JSON.parse(JSON.stringify(request))), (input) => {
      const parsed = parseChannelRequest(input);
      if (parsed.ok) return;
      expect(channelCodes).toContain(parsed.refusal.code);
      expect(parsed.refusal.message).toMatch(/^\S.* .*\.$/);
    }),
    { numRuns: 1_000 },
  );
});

test.each([
  ["a delay below fifteen minutes", { withdrawDelay: 899 }, "withdraw_delay_out_of_range"],
  ["a delay above thirty days", { withdrawDelay: 2_592_001 }, "withdraw_delay_out_of_range"],
  ["no receiver", { receiver: `0x${"0".repeat(40)}` }, "payload_type"],
  ["no authorizer of the receiver", { receiverAuthorizer: `0x${"0".repeat(40)}` }, "payload_type"],
])("a channel with %s is refused", (_, members, code) => {
  expect(parseChannelConfig({ ...channelConfig, ...members })).toMatchObject({
    ok: false,
    refusal: { code },
  });
});

test("an amount that the contract cannot count is refused", async () => {
  const { paymentPayload } = await depositRequest();
  const { payload } = paymentPayload;
  const voucher = isObject(payload) ? payload["voucher"] : {};
  const spoiledVoucher = {
    ...(isObject(voucher) ? voucher : {}),
    maxClaimableAmount: `${2n ** 128n}`,
  };
  expect(parseChannelPayload({ ...payload, voucher: spoiledVoucher })).toMatchObject({ ok: false });
});

test("a part of a refund is above 0 and within what the contract counts; none means all", async () => {
  const { paymentPayload } = await depositRequest();
  const { deposit: _none, ...of } = { deposit: 0, ...paymentPayload.payload };
  const read = (amount: unknown) => parseChannelPayload({ ...of, type: "refund", amount });
  expect([read(undefined), read(null)]).toMatchObject([{ ok: true }, { ok: true }]);
  const most = channelUnitsMax;
  expect(read(`${most}`)).toMatchObject({ ok: true, value: { amount: most } });
  for (const wrong of ["0", `${most + 1n}`, 5, "5.0", "-1", ""]) {
    expect(read(wrong)).toMatchObject({ ok: false, refusal: { code: "refund_amount_invalid" } });
  }
});

test("a deposit of nothing is refused, and one whose salt is no number of 32 bytes", async () => {
  const { paymentPayload } = await depositRequest();
  const text = JSON.stringify(paymentPayload.payload);
  const salts = text.match(/0x[0-9a-f]{64}(?=")/g) ?? [];
  const salt = salts.find((one) => one !== channelConfig.salt && text.includes(`"salt":"${one}"`));
  const read = (from: string, to: string) =>
    parseChannelPayload(JSON.parse(text.replace(from, to))).ok;
  expect(["1", "0"].map((amount) => read('"amount":"10000"', `"amount":"${amount}"`))).toEqual([
    true,
    false,
  ]);
  const readSalt = (digits: string) => read(salt ?? "none", `0x${digits}`);
  expect(["7", "f".repeat(64), "", "f".repeat(65)].map(readSalt)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test("a claim has a row, and no more than a transaction takes", () => {
  const row = {
    voucher: { channel: channelConfig, maxClaimableAmount: "5" },
    signature: `0x${"ab".repeat(65)}`,
    totalClaimed: "5",
  };
  const read = (count: number) =>
    parseChannelPayload({ type: "claim", claims: Array.from({ length: count }, () => row) }).ok;
  expect([0, 1, claimRowsMax, claimRowsMax + 1].map(read)).toEqual([false, true, true, false]);
});

test("what the buyer has accepted is of the scheme and the network that the seller requires", async () => {
  const request = await depositRequest();
  const codeOf = (change: object) => {
    const accepted = { ...channelEntry, ...change };
    const paymentPayload = { ...request.paymentPayload, accepted };
    const parsed = parseChannelRequest({ ...request, paymentPayload });
    return parsed.ok ? undefined : parsed.refusal.code;
  };
  expect(codeOf({})).toBeUndefined();
  expect(codeOf({ network: "eip155:50" })).toBe("network_mismatch");
  expect(codeOf({ scheme: "exact" })).toBe("scheme");
});

test("the codes are those of the published package, but for other ways to transfer", () => {
  const folder = dirname(fileURLToPath(import.meta.resolve("@x402/evm")));
  const texts = readdirSync(folder).flatMap((name) =>
    name.endsWith(".mjs") ? [readFileSync(`${folder}/${name}`, "utf8")] : [],
  );
  const published = new Set(texts.join("\n").match(/invalid_batch_settlement_evm_[a-z0-9_]+/g));
  const others = [...published].filter((code) => /permit2|eip2612|erc20_approval/.test(code));
  expect(channelCodes.map(wireChannelCode).toSorted()).toEqual(
    [...published].filter((code) => !others.includes(code)).toSorted(),
  );
  for (const code of channelCodes) expect(parseChannelCode(wireChannelCode(code))).toBe(code);
  expect(parseChannelCode("invalid_batch_settlement_evm_new")).toBeUndefined();
});
