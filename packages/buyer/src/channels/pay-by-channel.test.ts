/** Calls over a channel, at a seller that is honest or lies; what was signed is what counts. */
import { apothem } from "@farthing/protocol";
import { expect, test } from "vitest";
import { buyerBench, paymentErrorOf } from "../buyer-bench.testing.ts";
import { memoryLedger } from "../ledger/memory-ledger.ts";
import {
  countingSigner,
  otherPayee,
  payer,
  receiptHeader,
  startSeller,
  type Answer,
} from "../scripted-seller.testing.ts";
import { contractWalletSigner } from "../signer.ts";
import {
  channelSeller,
  stateOf,
  totalsOf,
  type ChannelSellerOptions,
} from "./channel-seller.testing.ts";

const call = 1_000n;

test("the first call deposits ten, the next ones sign one voucher each, and the eleventh tops up", async () => {
  const { script, known } = channelSeller();
  await using seller = await startSeller(script);
  const { pay, signer } = buyerBench();
  for (let count = 1; count <= 11; count++) {
    const response = await pay(seller.url);
    expect([stateOf(response), await response.text()]).toEqual(["charged", "content"]);
  }
  expect(known.vouchers.map(({ type }) => type)).toEqual([
    "deposit",
    ...Array.from({ length: 9 }, () => "voucher"),
    "deposit",
  ]);
  expect(totalsOf(known.vouchers)).toEqual(
    Array.from({ length: 11 }, (_, at) => call * BigInt(at + 1)),
  );
  expect([known.balance, signer.count]).toEqual([20n * call, 13]);
  expect(await pay.channels.list()).toMatchObject([
    { chargedUnits: 11n * call, balanceUnits: 20n * call },
  ]);
});

test("calls at one time take turns on their channel", async () => {
  const { script, known } = channelSeller();
  await using seller = await startSeller(script);
  const { pay } = buyerBench();
  const responses = await Promise.all(Array.from({ length: 5 }, () => pay(seller.url)));
  expect(responses.map(stateOf)).toEqual(Array.from({ length: 5 }, () => "charged"));
  expect(totalsOf(known.vouchers)).toEqual([1n, 2n, 3n, 4n, 5n].map((count) => count * call));
});

const busyCode = "invalid_batch_settlement_evm_channel_busy";

test.each<[string, Answer]>([
  ["in a 409 with a time", { status: 409, headers: { "Retry-After": "1" } }],
  ["in a challenge", channelSeller().challenge(busyCode)],
  [
    "in a receipt",
    { status: 402, headers: receiptHeader({ success: false, errorReason: busyCode }) },
  ],
])("a seller who says %s that its channel is busy gets the same voucher again", async (_, busy) => {
  let asked = 0;
  const { script, known } = channelSeller({ lie: () => (asked++ === 0 ? busy : undefined) });
  await using seller = await startSeller(script);
  const { pay, signer } = buyerBench();
  const response = await pay(seller.url);
  expect([stateOf(response), asked, known.charged]).toEqual(["charged", 2, call]);
  // The deposit and the voucher, each once.
  expect(signer.count).toBe(2);
});

test("a call that costs less than its price leaves the difference to the next one", async () => {
  const { script, known } = channelSeller({ cost: () => 300n });
  await using seller = await startSeller(script);
  const { pay } = buyerBench();
  for (let count = 0; count < 3; count++) await pay(seller.url);
  expect(totalsOf(known.vouchers)).toEqual([1_000n, 1_300n, 1_600n]);
});

test("auto: a seller of both is paid three times singly, and then over a channel", async () => {
  const { script, known } = channelSeller({ hasExact: true });
  await using seller = await startSeller(script);
  const { pay } = buyerBench();
  const states: string[] = [];
  for (let count = 0; count < 5; count++) states.push(stateOf(await pay(seller.url)));
  expect(states).toEqual(["settled", "settled", "settled", "charged", "charged"]);
  expect(known.charged).toBe(2n * call);
});

test("auto: payments of more than an hour ago open no channel", async () => {
  await using seller = await startSeller(channelSeller({ hasExact: true }).script);
  const { pay, clock } = buyerBench();
  for (let count = 0; count < 3; count++) await pay(seller.url);
  clock.time += 60 * 60 * 1000;
  expect(stateOf(await pay(seller.url))).toBe("settled");
});

test("auto: payments to another host, payee or network open no channel", async () => {
  const one = channelSeller({ hasExact: true });
  const offers = [
    channelSeller({ hasExact: true, entry: { payTo: otherPayee } }),
    channelSeller({
      hasExact: true,
      entry: { network: apothem.id, asset: apothem.usdc },
      extra: apothem.domain,
    }),
  ];
  let now = one;
  await using seller = await startSeller({ ...one.script, unpaid: () => now.challenge() });
  await using elsewhere = await startSeller(channelSeller({ hasExact: true }).script);
  const { pay } = buyerBench({ allow: { hosts: ["127.0.0.1", "localhost"] } });
  for (let count = 0; count < 3; count++) await pay(seller.url);
  expect(stateOf(await pay(elsewhere.url))).toBe("settled");
  for (now of offers) expect(stateOf(await pay(seller.url))).toBe("settled");
  now = one;
  expect(stateOf(await pay(seller.url))).toBe("charged");
});

test.each([
  ["never", "settled"],
  ["always", "charged"],
] as const)("%s: the first payment is %s", async (use, state) => {
  await using seller = await startSeller(channelSeller({ hasExact: true }).script);
  const { pay } = buyerBench({ channels: { use } });
  expect(stateOf(await pay(seller.url))).toBe(state);
});

const unusable: readonly (readonly [string, ChannelSellerOptions, string])[] = [
  ["another token", { entry: { asset: otherPayee } }, "asset_not_allowed"],
  ["another domain", { extra: { name: "USD Coin" } }, "token_domain_mismatch"],
  ["an unknown network", { entry: { network: "eip155:1" } }, "channel_unusable"],
  ["a delay above a day", { extra: { withdrawDelay: 86_401 } }, "channel_unusable"],
  ["a delay below the contract's", { extra: { withdrawDelay: 899 } }, "channel_unusable"],
  ["no authorizer", { extra: { receiverAuthorizer: null } }, "channel_unusable"],
  [
    "the authorizer 0",
    { extra: { receiverAuthorizer: `0x${"0".repeat(40)}` } },
    "channel_unusable",
  ],
  ["the payer as its authorizer", { extra: { receiverAuthorizer: payer } }, "channel_unusable"],
  ["deposits by Permit2 only", { extra: { assetTransferMethod: "permit2" } }, "channel_unusable"],
  ["a price above the limit per call", { amount: 100_001n }, "per_payment_cap"],
  ["no price", { amount: 0n }, "channel_unusable"],
];

test.each(unusable)(
  "%s: nothing is signed, and a single payment is made where one is offered",
  async (_, options, code) => {
    await using seller = await startSeller(channelSeller(options).script);
    const { pay, signer } = buyerBench({ channels: { use: "always" } });
    expect((await paymentErrorOf(pay(seller.url))).code).toBe(code);
    expect(signer.count).toBe(0);
    if (code === "per_payment_cap" || options.amount === 0n) return;
    await using both = await startSeller(channelSeller({ ...options, hasExact: true }).script);
    expect(stateOf(await pay(both.url))).toBe("settled");
  },
);

test("a host that is not allowed gets no voucher", async () => {
  await using seller = await startSeller(channelSeller().script);
  const { pay, signer } = buyerBench({ allow: { hosts: ["shop.example"] } });
  expect((await paymentErrorOf(pay(seller.url))).code).toBe("host_not_allowed");
  expect(signer.count).toBe(0);
});

test("a host that was paid over a channel is paid at no other payee", async () => {
  const [one, other] = [channelSeller(), channelSeller({ entry: { payTo: otherPayee } })];
  let isMoved = false;
  const unpaid = () => (isMoved ? other : one).challenge();
  await using seller = await startSeller({ ...one.script, unpaid });
  const { pay, signer } = buyerBench();
  await pay(seller.url);
  isMoved = true;
  const signatures = signer.count;
  expect((await paymentErrorOf(pay(seller.url))).code).toBe("payee_changed");
  expect(signer.count).toBe(signatures);
});

test("a call that is given up while it waits for its turn signs nothing", async () => {
  const stop = new AbortController();
  const { script } = channelSeller({
    lie: () => {
      stop.abort();
      return undefined;
    },
  });
  await using seller = await startSeller(script);
  let challenged = 0;
  let second: Promise<string> | undefined;
  const { pay, signer, ledger } = buyerBench({
    extensions: [{ key: "acme", beforeVerify: () => void challenged++ }],
    limits: { askAbove: "0" },
    // The first call goes on once the other one has its price.
    approve: async () => {
      second ??= pay(seller.url, { signal: stop.signal }).then(stateOf, String);
      await expect.poll(() => challenged).toBe(2);
      return true;
    },
  });
  expect(stateOf(await pay(seller.url))).toBe("charged");
  expect(await second).toContain("AbortError");
  expect(signer.count).toBe(2);
  expect(await ledger.listChannels?.()).toMatchObject([{ signedUnits: call }]);
});

test("a deposit above the approver's limit is asked for, though the price is below it", async () => {
  await using seller = await startSeller(channelSeller().script);
  const asked: string[] = [];
  const { pay, signer } = buyerBench({
    limits: { askAbove: "0.005" },
    approve: ({ checks }) => {
      asked.push(
        ...checks.filter(({ verdict }) => verdict === "ask").map(({ message }) => message),
      );
      return false;
    },
  });
  expect((await paymentErrorOf(pay(seller.url))).code).toBe("approval_required");
  expect([asked, signer.count]).toEqual([[expect.stringContaining("deposit of 0.01 USDC")], 0]);
});

test("a deposit is valid for five minutes at most", async () => {
  const { script, known } = channelSeller({ entry: { maxTimeoutSeconds: 86_400 } });
  await using seller = await startSeller(script);
  const { pay, clock } = buyerBench();
  await pay(seller.url);
  const [first] = known.vouchers;
  const ends = first?.type === "deposit" ? Number(first.deposit.validBefore) : Infinity;
  expect(ends - clock.time / 1000).toBeLessThanOrEqual(300);
});

test("a contract wallet has a channel only with a key for its vouchers", async () => {
  const { script, known } = channelSeller();
  await using seller = await startSeller(script);
  const owner = countingSigner();
  const signer = contractWalletSigner(otherPayee, owner);
  const { pay } = buyerBench({ signer });
  expect((await paymentErrorOf(pay(seller.url))).code).toBe("channel_unusable");
  const { pay: other } = buyerBench({ signer, channels: { voucherSigner: owner } });
  await other(seller.url).catch(() => {});
  const [first] = known.vouchers;
  expect(first && "config" in first && first.config.payerAuthorizer).toBe(owner.address);
});

test("a deposit stays within its limits, and a call that would need more is refused", async () => {
  const { script, known } = channelSeller({ minDeposit: 900_000n });
  await using seller = await startSeller(script);
  const { pay } = buyerBench({ channels: { depositMax: "0.0025" } });
  await pay(seller.url);
  expect(known.balance).toBe(2_500n);
  // What was charged is not held any more, so there is room for a top-up.
  for (let count = 0; count < 4; count++) await pay(seller.url);
  // Twice 500 were left, so 2,000 were added.
  expect(known.balance).toBe(6_500n);
  const { pay: poor, signer } = buyerBench({ channels: { depositMax: "0.0009" } });
  const error = await paymentErrorOf(poor(seller.url));
  expect([error.code, error.problem.payment_state, signer.count]).toEqual([
    "channel_limit",
    "unused",
    0,
  ]);
});

test("all sellers together hold no more than the limit in all", async () => {
  const one = channelSeller({ minDeposit: 600_000n });
  const other = channelSeller({ minDeposit: 600_000n, entry: { payTo: otherPayee } });
  await using first = await startSeller(one.script);
  await using second = await startSeller(other.script);
  const { pay } = buyerBench();
  await pay(first.url);
  await pay(second.url);
  expect([one.known.balance, other.known.balance]).toEqual([600_000n, 401_000n]);
});

test("a top-up counts what its channel holds against the limit in all", async () => {
  const { script, known } = channelSeller({ cost: () => 500n });
  await using seller = await startSeller(script);
  const { pay } = buyerBench({ channels: { depositTotalMax: "0.003" } });
  // Of the first deposit 500 base units are left, too little for the next call.
  for (let count = 0; count < 6; count++) await pay(seller.url);
  expect([known.balance, known.charged]).toEqual([5_500n, 3_000n]);
});

test("a deposit whose answer was lost is sent again, where it is just enough for the call", async () => {
  const { script, known } = channelSeller({
    minDeposit: call,
    lie: ({ honest }) => (known.vouchers.length === 1 ? { ...honest(), cut: "before" } : undefined),
  });
  await using seller = await startSeller(script);
  const { pay } = buyerBench();
  expect((await paymentErrorOf(pay(seller.url))).code).toBe("no_answer");
  await pay(seller.url).catch(() => {});
  const salts = known.vouchers.map((one) => ("deposit" in one ? one.deposit.salt : undefined));
  expect([salts.length > 1, new Set(salts.slice(0, 2)).size]).toEqual([true, 1]);
});

test("a deposit that is out is not forgotten when the wallet refuses the next call, and ends by itself", async () => {
  let isLost = true;
  const { script, known } = channelSeller({
    lie: ({ honest }) => (isLost ? { ...honest(), cut: "before" } : undefined),
  });
  await using seller = await startSeller(script);
  const own = countingSigner();
  let refuses = false;
  const signTypedData: typeof own.signTypedData = (data) =>
    refuses ? Promise.reject(new Error("no")) : own.signTypedData(data);
  const { pay, clock } = buyerBench({ signer: { ...own, signTypedData } });
  const tries = async () => pay(seller.url).then(stateOf, String);
  await tries();
  refuses = true;
  await tries();
  refuses = false;
  await tries();
  clock.time += 10 * 60 * 1000;
  isLost = false;
  await tries();
  const salts = known.vouchers.flatMap((one) => ("deposit" in one ? one.deposit.salt : []));
  expect(salts[1]).toBe(salts[0]);
  expect(salts.at(-1)).not.toBe(salts[0]);
});

test("charges count against the limit per day, with single payments", async () => {
  const { script } = channelSeller({ hasExact: true, amount: 10_000n });
  await using seller = await startSeller(script);
  const { pay, clock } = buyerBench({ limits: { perDay: "0.05" } });
  for (let count = 0; count < 5; count++) await pay(seller.url);
  expect((await paymentErrorOf(pay(seller.url))).code).toBe("cumulative_cap");
  clock.time += 26 * 60 * 60 * 1000;
  expect(["charged", "settled"]).toContain(stateOf(await pay(seller.url)));
});

test("what another program has spent over the channel before counts for no day of this one", async () => {
  await using seller = await startSeller(channelSeller().script);
  const { pay } = buyerBench();
  for (let count = 0; count < 4; count++) await pay(seller.url);
  const { pay: other } = buyerBench({ limits: { perDay: "0.002" } });
  expect(stateOf(await other(seller.url))).toBe("charged");
  expect(stateOf(await other(seller.url))).toBe("charged");
  expect((await paymentErrorOf(other(seller.url))).code).toBe("cumulative_cap");
});

test("calls at one time stay within the limit per day", async () => {
  const { script, known } = channelSeller();
  await using seller = await startSeller(script);
  const { pay } = buyerBench({ limits: { perDay: "0.003" } });
  const calls = Array.from({ length: 5 }, () => pay(seller.url).then(stateOf, String));
  const states = await Promise.all(calls);
  expect(states.filter((state) => state === "charged")).toHaveLength(3);
  expect(known.charged).toBe(3n * call);
});

test("a refusal of the wallet leaves nothing written and nothing sent", async () => {
  const { script, known } = channelSeller();
  await using seller = await startSeller(script);
  const signer = {
    ...countingSigner(),
    signTypedData: async () => Promise.reject(new Error("no")),
  };
  const { pay, ledger } = buyerBench({ signer });
  expect((await paymentErrorOf(pay(seller.url))).code).toBe("signing_failed");
  expect(known.vouchers).toEqual([]);
  expect(await ledger.listChannels?.()).toMatchObject([{ openDeposits: [], unansweredUnits: 0n }]);
});

test("a named call is never made twice", async () => {
  const { script, known } = channelSeller();
  await using seller = await startSeller(script);
  const ledger = memoryLedger();
  const { pay } = buyerBench({ ledger });
  const payment = { requestId: "order" };
  await pay(seller.url, { payment });
  expect((await paymentErrorOf(pay(seller.url, { payment }))).code).toBe("request_id_conflict");
  expect(known.vouchers).toHaveLength(1);
  // A ledger that knows nothing of the channel: once more, with the total that the seller has proved.
  const { pay: other } = buyerBench();
  expect(stateOf(await other(seller.url, { payment }))).toBe("charged");
  expect(totalsOf(known.vouchers)).toEqual([call, call, 2n * call]);
});

test("of many named calls the newest twenty are remembered, so none of them is made twice", async () => {
  const { script, known } = channelSeller({ cost: () => 0n });
  await using seller = await startSeller(script);
  const { pay } = buyerBench();
  const order = (nth: number) => pay(seller.url, { payment: { requestId: `order-${nth}` } });
  for (let nth = 0; nth <= 20; nth++) await order(nth);
  for (const nth of [1, 20]) {
    expect((await paymentErrorOf(order(nth))).code).toBe("request_id_conflict");
  }
  expect(known.vouchers).toHaveLength(21);
});
