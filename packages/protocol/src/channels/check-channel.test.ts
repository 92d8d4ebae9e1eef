/** Which vouchers and totals are good, as the contract sees them. */
import { expect, test } from "vitest";
import { apothem } from "../networks/networks.ts";
import { signDigest } from "../signatures/sign-digest.ts";
import { isLowS, secp256k1Order, splitSignature } from "../signatures/signature.ts";
import { channelConfig, receiverAccount } from "./channel-examples.testing.ts";
import { voucherDigest } from "./channel-signatures.ts";
import { channelIdOf, type ChannelState } from "./channel.ts";
import { checkChannel, checkTotal, checkVoucher } from "./check-channel.ts";

const word = (units: bigint) => units.toString(16).padStart(64, "0");

test("a voucher counts with the one form of a signature that the contract takes", () => {
  const channelId = channelIdOf(apothem, channelConfig);
  const voucher = { channelId, maxClaimableAmount: 5n };
  // The key of the example's voucherAccount.
  const signature = signDigest(`0x${"22".repeat(32)}`, voucherDigest(apothem.chainId, voucher));
  const check = (text: string) =>
    checkVoucher(apothem, channelConfig, { ...voucher, signature: `0x${text}` }).ok;
  const [r, s, v] = [signature.slice(2, 66), signature.slice(66, 130), signature.slice(130)];
  expect(check(`${r}${s}${v}`)).toBe(true);
  const high = word(secp256k1Order - BigInt(`0x${s}`));
  const parity = Number.parseInt(v, 16) - 27;
  expect(check(`${r}${high}${parity === 0 ? "1c" : "1b"}`)).toBe(false);
  expect(check(`${r}${s}0${parity}`)).toBe(false);
  const compact = BigInt(`0x${s}`) | (BigInt(parity) << 255n);
  expect(check(`${r}${word(compact)}`)).toBe(false);
});

const parts = (r: bigint, s: bigint) => splitSignature(`0x${word(r)}${word(s)}1b`);

const isLow = (s: bigint) => isLowS({ r: `0x${word(1n)}`, s: `0x${word(s)}`, yParity: 0 });

test("half of the order is the highest s that is low, and r and s are from 1 to below the order", () => {
  const half = secp256k1Order / 2n;
  expect([isLow(half), isLow(half + 1n)]).toEqual([true, false]);
  expect(parts(1n, secp256k1Order - 1n)).toBeDefined();
  for (const wrong of [0n, secp256k1Order]) {
    expect([parts(wrong, 1n), parts(1n, wrong)]).toEqual([undefined, undefined]);
  }
});

test("a channel's token is the asset, and that is USDC", () => {
  const { receiver: payTo, token } = channelConfig;
  const other = receiverAccount.address;
  const codeOf = (config: typeof channelConfig, asset: `0x${string}`) => {
    const checked = checkChannel(config, { network: apothem, asset, payTo });
    return checked.ok ? undefined : checked.refusal.code;
  };
  expect(codeOf({ ...channelConfig, token: apothem.usdc }, apothem.usdc)).toBeUndefined();
  expect(codeOf({ ...channelConfig, token }, other)).toBe("token_mismatch");
  expect(codeOf({ ...channelConfig, token: other }, other)).toBe("token_mismatch");
});

const totalCode = (...check: Parameters<typeof checkTotal>) => {
  const checked = checkTotal(...check);
  return checked.ok ? undefined : checked.refusal.code;
};

test("a total is above what was claimed and at most what the channel holds", () => {
  const state: ChannelState = {
    balance: 10n,
    totalClaimed: 4n,
    withdrawing: 0n,
    withdrawRequestedAt: 0,
    refundNonce: 0n,
  };
  expect([totalCode(5n, state), totalCode(10n, state)]).toEqual([undefined, undefined]);
  expect(totalCode(11n, state)).toBe("cumulative_exceeds_balance");
  expect(totalCode(11n, state, { deposited: 1n })).toBeUndefined();
  expect(totalCode(4n, state)).toBe("cumulative_below_claimed");
  // A refund charges nothing.
  expect(totalCode(4n, state, { isRefund: true })).toBeUndefined();
  expect(totalCode(3n, state, { isRefund: true })).toBe("cumulative_below_claimed");
  expect(totalCode(0n, { ...state, balance: 0n, totalClaimed: 0n })).toBe("channel_not_found");
});
