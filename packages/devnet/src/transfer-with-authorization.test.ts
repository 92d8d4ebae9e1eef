/**
 * The stand-in's `transferWithAuthorization` against what is known of FiatTokenV2_2: every reason
 * of a refusal word by word, the order in which refusals win over one another, and the events of
 * what goes through.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Address, Hex } from "@farthing/protocol";
import {
  encodeAuthorization,
  sign,
  toCompact,
  toHighS,
  withParts,
  type Overload,
  type Terms,
} from "./authorizations.testing.ts";
import {
  logNumber,
  now,
  startTokenBench,
  topicAddress,
  type TokenBench,
} from "./token-bench.testing.ts";

const zeroAddress: Address = "0x0000000000000000000000000000000000000000";
const overloads = ["bytes", "vrs"] as const;
const transfer = "transferWithAuthorization";

const paused = "Pausable: paused";
const blacklisted = "Blacklistable: account is blacklisted";
const tooEarly = "FiatTokenV2: authorization is not yet valid";
const expired = "FiatTokenV2: authorization is expired";
const used = "FiatTokenV2: authorization is used or canceled";
const invalidSignature = "FiatTokenV2: invalid signature";
const highS = "ECRecover: invalid signature 's' value";
const badV = "ECRecover: invalid signature 'v' value";
const badLength = "ECRecover: invalid signature length";
const noSigner = "ECRecover: invalid signature";
const toZero = "ERC20: transfer to the zero address";
const tooLittle = "ERC20: transfer amount exceeds balance";

let bench: TokenBench;
beforeAll(async () => {
  bench = await startTokenBench();
});
afterAll(() => bench?.devnet.stop());
beforeEach(() => bench.reset());

const wallet = (): Address => bench.devnet.smartWallet.address;
const buyer = (index: number): { address: Address; privateKey: Hex } => {
  const found = bench.devnet.buyers[index];
  if (!found) throw new Error(`no buyer ${index}`);
  return found;
};

/** One way in which a transfer fails, with the reason the token gives. */
interface Refusal {
  condition: string;
  reason: string;
  terms?: () => Partial<Terms>;
  prepare?: () => Promise<unknown>;
  /** Makes the signature sent from the right one. */
  signature?: (right: Hex, terms: Terms) => Hex;
  /** Only the bytes overload can carry it. */
  only?: Overload;
}

const lastValue = (1n << 256n) - 1n;
type Spoil = (right: Hex, terms: Terms) => Hex;
const otherSigner: Spoil = (_, terms) => bench.signTransfer(terms, buyer(1).privateKey);
const signedFor =
  (changes: () => Partial<Terms>): Spoil =>
  (_, terms) =>
    bench.signTransfer({ ...terms, ...changes() }, buyer(0).privateKey);
const fromWallet = () => ({ from: wallet() });
const mode = (name: Parameters<TokenBench["devnet"]["walletMode"]>[0]) => () =>
  bench.devnet.walletMode(name);

const refusals: Refusal[] = [
  { condition: "paused", reason: paused, prepare: () => bench.devnet.usdc.pause() },
  {
    condition: "from is blacklisted",
    reason: blacklisted,
    prepare: () => bench.devnet.usdc.blacklist(buyer(0).address),
  },
  {
    condition: "to is blacklisted",
    reason: blacklisted,
    prepare: () => bench.devnet.usdc.blacklist(bench.devnet.seller.address),
  },
  {
    condition: "to is the token",
    reason: blacklisted,
    terms: () => ({ to: bench.devnet.token }),
  },
  {
    condition: "to is the token, which cannot be taken off the list",
    reason: blacklisted,
    prepare: () => bench.devnet.usdc.unBlacklist(bench.devnet.token),
    terms: () => ({ to: bench.devnet.token }),
  },
  { condition: "now is validAfter", reason: tooEarly, terms: () => ({ validAfter: now }) },
  {
    condition: "now is before validAfter",
    reason: tooEarly,
    terms: () => ({ validAfter: now + 1n }),
  },
  { condition: "now is validBefore", reason: expired, terms: () => ({ validBefore: now }) },
  {
    condition: "now is after validBefore",
    reason: expired,
    terms: () => ({ validBefore: now - 1n }),
  },
  { condition: "the nonce is used", reason: used, prepare: () => bench.pay("bytes") },
  {
    condition: "the nonce is canceled",
    reason: used,
    prepare: () =>
      bench.devnet.cancelAuthorization({
        privateKey: buyer(0).privateKey,
        nonce: bench.terms().nonce,
      }),
  },
  { condition: "another signer", reason: invalidSignature, signature: otherSigner },
  {
    condition: "another value was signed",
    reason: invalidSignature,
    signature: signedFor(() => ({ value: 2_000_000n })),
  },
  {
    condition: "another payee was signed",
    reason: invalidSignature,
    signature: signedFor(() => ({ to: buyer(1).address })),
  },
  {
    condition: "another nonce was signed",
    reason: invalidSignature,
    signature: signedFor(() => ({ nonce: `0x${"b2".repeat(32)}` })),
  },
  {
    condition: "other times were signed",
    reason: invalidSignature,
    signature: signedFor(() => ({ validBefore: now + 61n })),
  },
  {
    condition: "signed for the other chain and its token",
    reason: invalidSignature,
    signature: (_, terms) =>
      sign(50, "TransferWithAuthorization", { ...terms }, buyer(0).privateKey),
  },
  {
    condition: "a ReceiveWithAuthorization signature",
    reason: invalidSignature,
    signature: (_, terms) =>
      sign(51, "ReceiveWithAuthorization", { ...terms }, buyer(0).privateKey),
  },
  { condition: "from is zero", reason: invalidSignature, terms: () => ({ from: zeroAddress }) },
  { condition: "high s", reason: highS, signature: toHighS },
  { condition: "v is 0", reason: badV, signature: (right) => withParts(right, { v: 0 }) },
  { condition: "v is 1", reason: badV, signature: (right) => withParts(right, { v: 1 }) },
  { condition: "v is 29", reason: badV, signature: (right) => withParts(right, { v: 29 }) },
  {
    condition: "high s and wrong v",
    reason: highS,
    signature: (right) => badBoth(right),
  },
  {
    condition: "r and s are zero",
    reason: noSigner,
    signature: (right) =>
      withParts(right, { r: `0x${"00".repeat(32)}`, s: `0x${"00".repeat(32)}` }),
  },
  { condition: "no signature", reason: badLength, signature: () => "0x", only: "bytes" },
  { condition: "64 bytes (EIP-2098)", reason: badLength, signature: toCompact, only: "bytes" },
  { condition: "66 bytes", reason: badLength, signature: (right) => `${right}00`, only: "bytes" },
  { condition: "to is zero", reason: toZero, terms: () => ({ to: zeroAddress }) },
  {
    condition: "one unit more than the balance",
    reason: tooLittle,
    terms: () => ({ value: 1_000_000_001n }),
  },
  { condition: "value of 2^256-1", reason: tooLittle, terms: () => ({ value: lastValue }) },
  {
    condition: "the payee's balance would pass 2^255-1",
    reason: "FiatTokenV2_2: Balance exceeds (2^255 - 1)",
    prepare: () => bench.devnet.usdc.setBalance(bench.devnet.seller.address, (1n << 255n) - 1n),
  },
  {
    condition: "contract wallet: another signer",
    reason: invalidSignature,
    terms: fromWallet,
    signature: otherSigner,
  },
  {
    condition: "contract wallet: no signature",
    reason: invalidSignature,
    terms: fromWallet,
    signature: () => "0x",
    only: "bytes",
  },
  {
    condition: "contract wallet: no longer the owner",
    reason: invalidSignature,
    terms: fromWallet,
    prepare: () => bench.devnet.walletOwner(buyer(1).address),
  },
  ...(["refuse", "revert", "burn-gas"] as const).map((name) => ({
    condition: `contract wallet: ${name}`,
    reason: invalidSignature,
    terms: fromWallet,
    prepare: mode(name),
  })),
  {
    condition: "contract wallet: balance too low",
    reason: tooLittle,
    terms: () => ({ from: wallet(), value: 1_000_000_001n }),
  },
];

describe.each(overloads)("transferWithAuthorization (%s) refuses", (overload) => {
  const own = refusals.filter(({ only }) => only === undefined || only === overload);
  test.each(own)("$condition: $reason", async ({ reason, terms, prepare, signature }) => {
    await prepare?.();
    const stated = bench.terms(terms?.());
    const right = bench.signTransfer(stated);
    const sent = signature ? signature(right, stated) : right;
    const outcome = await bench.run(encodeAuthorization(transfer, overload, stated, sent));
    expect(outcome).toEqual({ reverted: reason, events: [], logs: [] });
  });
});

/** One transfer that goes through, also where one would rather it did not. */
interface Success {
  condition: string;
  terms?: () => Partial<Terms>;
  prepare?: () => Promise<unknown>;
  signature?: (right: Hex, terms: Terms) => Hex;
  only?: Overload;
}

const successes: Success[] = [
  { condition: "an ordinary payment" },
  { condition: "value 0", terms: () => ({ value: 0n }) },
  { condition: "payer is payee", terms: () => ({ to: buyer(0).address }) },
  { condition: "no end", terms: () => ({ validBefore: lastValue }) },
  { condition: "the first second of the window", terms: () => ({ validAfter: now - 1n }) },
  { condition: "the last second of the window", terms: () => ({ validBefore: now + 1n }) },
  { condition: "the whole balance", terms: () => ({ value: 1_000_000_000n }) },
  {
    condition: "a blacklisted relayer",
    prepare: async () => {
      for (const { address } of bench.devnet.relayers) await bench.devnet.usdc.blacklist(address);
    },
  },
  {
    condition: "taken off the blacklist, with the balance it had",
    prepare: async () => {
      await bench.devnet.usdc.blacklist(buyer(0).address);
      await bench.devnet.usdc.unBlacklist(buyer(0).address);
    },
  },
  {
    condition: "after a pause",
    prepare: async () => {
      await bench.devnet.usdc.pause();
      await bench.devnet.usdc.unpause();
    },
  },
  { condition: "contract wallet: signed by its owner", terms: fromWallet },
  {
    condition: "contract wallet: signed by its new owner",
    terms: fromWallet,
    prepare: () => bench.devnet.walletOwner(buyer(1).address),
    signature: otherSigner,
  },
  {
    condition: "contract wallet: accepts no signature",
    terms: fromWallet,
    prepare: mode("accept-all"),
    signature: () => "0x",
    only: "bytes",
  },
  {
    condition: "contract wallet: accepts a signature of 130 bytes",
    terms: fromWallet,
    prepare: mode("accept-all"),
    signature: (right) => `${right}${right.slice(2)}`,
    only: "bytes",
  },
  {
    condition: "contract wallet: accepts what would be a wrong v and s",
    terms: fromWallet,
    prepare: mode("accept-all"),
    signature: (right) => withParts(toHighS(right), { v: 0 }),
  },
];

describe.each(overloads)("transferWithAuthorization (%s) takes", (overload) => {
  const own = successes.filter(({ only }) => only === undefined || only === overload);
  test.each(own)("$condition", async ({ terms, prepare, signature }) => {
    await prepare?.();
    const stated = bench.terms(terms?.());
    const right = bench.signTransfer(stated);
    const sent = signature ? signature(right, stated) : right;
    const { usdc } = bench.devnet;
    const before = await usdc.balanceOf(stated.from);

    const outcome = await bench.run(encodeAuthorization(transfer, overload, stated, sent));

    expect(outcome.reverted).toBeUndefined();
    expect(outcome.events).toEqual(["AuthorizationUsed", "Transfer"]);
    const [usedLog, transferLog] = outcome.logs;
    if (!usedLog || !transferLog) throw new Error("no logs");
    expect(topicAddress(usedLog.topics[1])).toBe(stated.from.toLowerCase());
    expect(usedLog.topics[2]).toBe(stated.nonce);
    expect(topicAddress(transferLog.topics[1])).toBe(stated.from.toLowerCase());
    expect(topicAddress(transferLog.topics[2])).toBe(stated.to.toLowerCase());
    expect(logNumber(transferLog)).toBe(stated.value);
    expect(await usdc.authorizationState(stated.from, stated.nonce)).toBe(true);
    const moved = stated.from === stated.to ? 0n : stated.value;
    expect(await usdc.balanceOf(stated.from)).toBe(before - moved);
  });
});

const badBoth = (right: Hex): Hex => withParts(toHighS(right), { v: 0 });

test.each(overloads)("the first failing check names the refusal (%s)", async (overload) => {
  const { usdc } = bench.devnet;
  const { nonce } = bench.terms();
  await bench.devnet.cancelAuthorization({ privateKey: buyer(0).privateKey, nonce });
  await usdc.setBalance(buyer(0).address, 5n);
  await usdc.blacklist(buyer(0).address);
  await usdc.blacklist(zeroAddress);
  await usdc.pause();
  // Far from `now`: the repairs between two attempts have blocks of their own, a second each.
  const later = now + 600n;
  const terms = bench.terms({ to: zeroAddress, validAfter: later, validBefore: now });
  let spoil = badBoth;
  const attempt = async () => {
    const sent = spoil(bench.signTransfer(terms));
    return (await bench.run(encodeAuthorization(transfer, overload, terms, sent))).reverted;
  };

  // Everything is wrong at first; each step repairs what was named.
  expect(await attempt()).toBe(paused);
  await usdc.unpause();
  expect(await attempt()).toBe(blacklisted);
  await usdc.unBlacklist(buyer(0).address);
  expect(await attempt()).toBe(blacklisted);
  await usdc.unBlacklist(zeroAddress);
  expect(await attempt()).toBe(tooEarly);
  terms.validAfter = 0n;
  expect(await attempt()).toBe(expired);
  terms.validBefore = later;
  expect(await attempt()).toBe(used);
  terms.nonce = `0x${"c3".repeat(32)}`;
  expect(await attempt()).toBe(highS);
  spoil = (right) => withParts(right, { v: 0 });
  expect(await attempt()).toBe(badV);
  spoil = () => bench.signTransfer(terms, buyer(1).privateKey);
  expect(await attempt()).toBe(invalidSignature);
  spoil = (right) => right;
  expect(await attempt()).toBe(toZero);
  terms.to = bench.devnet.seller.address;
  expect(await attempt()).toBe(tooLittle);
  terms.value = 5n;
  expect(await attempt()).toBeUndefined();
});
