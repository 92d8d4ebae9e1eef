/** Which entry of a challenge is paid, over real HTTP, and what happens to the others. */
import { encodeHeader, headerNames, xdc } from "@farthing/protocol";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { buyerBench, paymentErrorOf } from "../buyer-bench.testing.ts";
import { orderOffers } from "./choose-offer.ts";
import type { Offer } from "./read-challenge.ts";
import { bodyChallenge, oneCent, payTo, startSeller } from "../scripted-seller.testing.ts";

const v2 = {
  scheme: "exact",
  network: "eip155:50",
  amount: "10000",
  asset: xdc.usdc,
  payTo,
  maxTimeoutSeconds: 60,
  extra: { assetTransferMethod: "eip3009", name: "USDC", version: "2" },
};
const v1 = {
  scheme: "exact",
  network: "xdc",
  maxAmountRequired: "10000",
  asset: xdc.usdc,
  payTo,
  maxTimeoutSeconds: 60,
  resource: "https://seller.example/r",
  extra: { name: "USDC", version: "2" },
};
const official = (accepts: readonly unknown[]) => encodeHeader({ x402Version: 2, accepts });

test.each([
  ["mixed, version 1 first", [v1, v2], "v2"],
  ["mixed, version 2 first", [v2, v1], "v2"],
  ["one broken entry in front", [{ scheme: "exact" }, null, 7, v2], "v2"],
  ["an unknown network beside it", [{ ...v2, network: "eip155:8453" }, v1], "v1"],
  ["an unpayable version 2 entry", [{ ...v2, asset: payTo }, v1], "v1"],
  ["another scheme", [{ ...v2, scheme: "upto" }, v2], "v2"],
  ["permit2 beside it", [{ ...v2, extra: { assetTransferMethod: "permit2" } }, v2], "v2"],
  ["an unknown flow beside it", [{ ...v2, extra: { paymentFlow: "escrow" } }, v1], "v1"],
] as const)("%s", async (_, accepts, shape) => {
  await using seller = await startSeller({ unpaid: bodyChallenge(accepts) });
  const { pay, signer } = buyerBench();
  await pay(seller.url);
  expect(seller.payment().shape).toBe(shape);
  expect(signer.count).toBe(1);
});

test("a lower price and settling after the work win, wherever they stand in the list", async () => {
  const dear = { ...v2, amount: "20000" };
  const upfront = { ...v2, amount: "5000", extra: { ...v2.extra, paymentFlow: "upfront" } };
  for (const accepts of [
    [dear, upfront, v2],
    [v2, dear, upfront],
    [upfront, v2, dear],
  ]) {
    await using seller = await startSeller({ unpaid: bodyChallenge(accepts) });
    await buyerBench().pay(seller.url);
    expect(seller.payment().authorization.value).toBe(10_000n);
  }
});

test("the header's entry is paid before the body's, also when the body's is cheaper", async () => {
  const unpaid = {
    ...bodyChallenge([{ ...v2, amount: "1" }]),
    headers: { [headerNames.paymentRequired]: official([v2]) },
  };
  await using seller = await startSeller({ unpaid });
  await buyerBench().pay(seller.url);
  expect(seller.payment().authorization.value).toBe(10_000n);
});

test("a header in base64url is left aside; the body is paid", async () => {
  const odd = official([{ ...v2, note: "???>>>~~~" }])
    .replaceAll("+", "-")
    .replaceAll("/", "_");
  expect(odd).toMatch(/[-_]/);
  const headers = { [headerNames.paymentRequired]: odd };
  await using seller = await startSeller({ unpaid: { ...bodyChallenge([v1]), headers } });
  await buyerBench().pay(seller.url);
  expect(seller.payment().shape).toBe("v1");
  await using mute = await startSeller({ unpaid: { status: 402, headers } });
  const error = await paymentErrorOf(buyerBench().pay(mute.url));
  expect([error.code, error.message]).toEqual([
    "challenge_invalid",
    expect.stringContaining("base64url"),
  ]);
});

test("a header that was sent twice is refused, whatever the body says", async () => {
  const headers = { [headerNames.paymentRequired]: [official([v2]), official([v2])] };
  await using seller = await startSeller({ unpaid: { ...bodyChallenge([v2]), headers } });
  const { pay, signer } = buyerBench();
  const error = await paymentErrorOf(pay(seller.url));
  expect(error.code).toBe("challenge_invalid");
  expect(error.message).toContain("more than once");
  expect(signer.count).toBe(0);
});

test.each([
  ["no challenge", { status: 402, body: "<html>pay me</html>" }],
  ["an empty list", bodyChallenge([])],
  ["nothing", { status: 402 }],
  ["a body without end", { status: 402, body: `{"accepts":[${" ".repeat(40_000)}]}` }],
  ["deep nesting", { status: 402, body: `{"accepts":${"[".repeat(5000)}${"]".repeat(5000)}}` }],
])("a 402 with %s is refused", async (_, unpaid) => {
  await using seller = await startSeller({ unpaid });
  const { pay, signer } = buyerBench();
  expect((await paymentErrorOf(pay(seller.url))).code).toBe("challenge_invalid");
  expect(signer.count).toBe(0);
});

test("the order of a list never changes what is paid first", () => {
  const requirement = fc.record({
    version: fc.constantFrom(1 as const, 2 as const),
    amount: fc.bigInt({ min: 1n, max: 5n }),
    paymentFlow: fc.constantFrom("authorization", "upfront"),
  });
  fc.assert(
    fc.property(fc.array(requirement, { minLength: 1 }), fc.nat(), (list, seed) => {
      const offers = (items: typeof list): Offer[] =>
        items.map((item, index) => ({
          source: "body",
          index,
          raw: {},
          requirements: { ...oneCent, ...item },
        }));
      const turned = [...list.slice(seed % list.length), ...list.slice(0, seed % list.length)];
      const terms = (items: typeof list) => {
        const first = orderOffers(offers(items), "v2")[0]?.requirements;
        return [first?.version, first?.amount, first?.paymentFlow];
      };
      expect(terms(turned)).toEqual(terms(list));
    }),
  );
});
