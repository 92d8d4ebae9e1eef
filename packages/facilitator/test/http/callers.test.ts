/** Who may call: API keys in every wrong form, other accounts' things, and callers who ask too often. */
import type { Devnet } from "@farthing/devnet";
import {
  addressOfKey,
  wireChannelCode,
  type Address,
  type Hex,
  type JsonObject,
} from "@farthing/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createApiKey } from "../../src/features/api-keys/key-text.ts";
import { systemClock } from "@farthing/engine/base";
import {
  bodyOn,
  countOf,
  newDatabaseUrl,
  serveOn,
  startChain,
  textAt,
  usesOf,
  walletAt,
  withMember,
  type Answer,
  type Served,
} from "../support/facilitator.testing.ts";
import { channelOf, depositBody } from "../support/channels.testing.ts";
import type { KeyMode } from "../../src/http/access/request-key.ts";
import { openStore, type ServiceStore } from "../../src/features/open-store.ts";

let devnet: Devnet;
let store: ServiceStore;
let served: Served;
let key = "";
let otherKey = "";

beforeAll(async () => {
  devnet = await startChain({ relayers: 3 });
  const databaseUrl = newDatabaseUrl();
  store = await openStore(databaseUrl);
  key = await keyFor(devnet.seller.address);
  otherKey = await keyFor(devnet.treasury.address);
  served = await serveOn(devnet, { selfBuilt: false, databaseUrl, store });
});
afterAll(async () => {
  await served?.stop();
  await devnet?.stop();
});

async function keyFor(account: Address, mode: KeyMode = "test", expiresAt: number | null = null) {
  const made = await createApiKey(store, systemClock, { account, mode, label: "t", expiresAt });
  return made.text;
}

const bearer = (text: string) => ({ authorization: `Bearer ${text}` });

function expectProblem(answer: Answer, status: number, code: string, says = /./): void {
  expect([answer.status, answer.body]).toMatchObject([
    status,
    {
      error: code,
      message: expect.stringMatching(says),
      requestId: expect.stringMatching(/^req_/),
    },
  ]);
}

/** The same key with its last character changed: the checksum is wrong. */
function mistyped(text: string): string {
  return `${text.slice(0, -1)}${text.endsWith("0") ? "1" : "0"}`;
}

async function revoked(): Promise<string> {
  const text = await keyFor(devnet.seller.address);
  expect(await store.revokeApiKey(text.slice(8, 20), Date.now())).toBe(true);
  return text;
}

describe("401", () => {
  const forms: [string, () => Promise<Record<string, string>>][] = [
    ["no header", async () => ({})],
    ["an empty header", async () => ({ authorization: "" })],
    ["Basic", async () => ({ authorization: `Basic ${btoa(key)}` })],
    ["the key alone", async () => ({ authorization: key })],
    ["two words", async () => bearer(`${key} ${key}`)],
    ["no key", async () => bearer("")],
    ["a key of nobody", async () => bearer(key.replace(/_([0-9A-Za-z]{12})/, "_AAAAAAAAAAAA"))],
    ["a mistyped key", async () => bearer(mistyped(key))],
    ["another secret", async () => bearer(`${key.slice(0, 30)}${otherKey.slice(30)}`)],
    ["a very long key", async () => bearer("x".repeat(8_000))],
    [
      "an expired key",
      async () => bearer(await keyFor(devnet.seller.address, "test", Date.now() - 1)),
    ],
    ["a revoked key", async () => bearer(await revoked())],
  ];

  test.each(forms)("%s", async (_, headersOf) => {
    const headers = await headersOf();
    const body = bodyOn(devnet);
    for (const answer of [
      await served.post("/verify", body, headers),
      await served.post("/settle", body, headers),
      // Before the body is looked at.
      await served.post("/settle", "no JSON", headers),
      await served.get("/settlements/stl_1", headers),
    ]) {
      expectProblem(answer, 401, "unauthorized", /valid API key/);
      expect(answer.body).not.toHaveProperty("isValid");
    }
    expect(await usesOf(devnet, body)).toEqual([]);
  });

  test("a live key on the test network, and the answer says which is needed", async () => {
    const live = bearer(await keyFor(devnet.seller.address, "live"));
    for (const path of ["/verify", "/settle"]) {
      const answer = await served.post(path, bodyOn(devnet), live);
      expectProblem(answer, 401, "unauthorized", /needs a test key, this is a live key/);
    }
  });

  test("a payment for another network than the requirements does not make a good key look wrong", async () => {
    const body = withMember(bodyOn(devnet), "paymentPayload.accepted.network", "eip155:50");
    const verified = await served.post("/verify", body, bearer(key));
    expect([verified.status, verified.body]).toMatchObject([
      200,
      { isValid: false, invalidReason: "network_mismatch" },
    ]);
    const settled = await served.post("/settle", body, bearer(key));
    expect([settled.status, settled.body]).toMatchObject([
      200,
      { success: false, errorReason: "network_mismatch" },
    ]);
  });

  test("the scheme's name in any case, and blanks, are fine", async () => {
    const headers = { authorization: `bEARER   ${key} ` };
    expect((await served.post("/verify", bodyOn(devnet), headers)).status).toBe(200);
  });
});

test.each(["/supported", "/health", "/ready", "/v1/status", "/api/facilitator/supported"])(
  "%s needs no key",
  async (path) => {
    expect((await served.get(path)).status).toBe(200);
  },
);

describe("403", () => {
  test("a payment to another account: nothing is evaluated and nothing moves", async () => {
    const before = await countOf(devnet, served.relayer);
    for (const path of ["/verify", "/settle"]) {
      const answer = await served.post(path, bodyOn(devnet), bearer(otherKey));
      expectProblem(answer, 403, "payee_mismatch", /needs that address's key/);
      // Stock sellers pass the message on to their buyers.
      expect(answer.body["message"]).not.toContain(devnet.treasury.address);
      expect(answer.body).not.toHaveProperty("success");
    }
    expect(await countOf(devnet, served.relayer)).toBe(before);
  });
});

describe("404", () => {
  test("another account's settlement is as good as none", async () => {
    const { body } = await served.post("/settle", bodyOn(devnet), bearer(key));
    const path = `/settlements/${textAt(body, "id")}`;
    expect((await served.get(`${path}?wait=10`, bearer(key))).body).toMatchObject({
      success: true,
    });
    const unknown = await served.get("/settlements/stl_1", bearer(otherKey));
    const others = await served.get(path, bearer(otherKey));
    expectProblem(others, 404, "not_found");
    const { requestId: _, ...shown } = others.body;
    expect(unknown.body).toMatchObject(shown);
  });
});

test("what was settled with a key is nobody's on the face that asks for none", async () => {
  const { body } = await served.post("/settle", bodyOn(devnet), bearer(key));
  const hosted = "/api/facilitator/settlements";
  const keyed = await served.get(`${hosted}/${textAt(body, "id")}`);
  expectProblem(keyed, 404, "not_found");
  const { body: open } = await served.post("/api/facilitator/settle", bodyOn(devnet));
  const shown = await served.get(`${hosted}/${textAt(open, "id")}`);
  expect([shown.status, shown.body]).toMatchObject([200, { success: true }]);
});

test("version 1 is served on the hosted face alone", async () => {
  const body = bodyOn(devnet, { shape: "v1" });
  expect((await served.post("/verify", body, bearer(key))).body).toMatchObject({
    isValid: false,
    invalidReason: "unsupported_network",
    invalidMessage: expect.stringContaining("x402 version 1 is not served here; see /supported"),
  });
  const hosted = await served.post("/api/facilitator/verify", body);
  expect(hosted.body).toMatchObject({ isValid: true });
});

const wrongSignature: Hex = `0x${"5a".repeat(64)}1b`;

const junk = () => bodyOn(devnet, { alter: () => wrongSignature });

interface JunkDeposit {
  readonly voucher?: Hex;
  readonly authorization?: Hex;
  readonly privateKey?: Hex;
}

/** A deposit into a channel that has none yet. */
function junkDeposit({ voucher: signature, authorization, privateKey }: JunkDeposit = {}) {
  const payer = privateKey
    ? { address: addressOfKey(privateKey), privateKey }
    : walletAt(devnet.buyers, 0);
  const body = depositBody(channelOf(devnet, payer));
  const { payload } = body.paymentPayload;
  const { erc3009Authorization } = payload.deposit.authorization;
  const signed = {
    ...erc3009Authorization,
    ...(authorization && { signature: authorization }),
  };
  const deposit = { ...payload.deposit, authorization: { erc3009Authorization: signed } };
  const voucher = { ...payload.voucher, ...(signature && { signature }) };
  return {
    ...body,
    paymentPayload: { ...body.paymentPayload, payload: { ...payload, deposit, voucher } },
  };
}

/** A voucher of a channel that has no deposit. */
function emptyChannel(): JsonObject {
  const body = junkDeposit();
  const { channelConfig, voucher } = body.paymentPayload.payload;
  const payload = { type: "voucher", channelConfig, voucher };
  return { ...body, paymentPayload: { ...body.paymentPayload, payload } };
}

/** What anybody sends for nothing, with what is said to it. */
const junkKinds = (): ReadonlyMap<string, () => JsonObject> =>
  new Map([
    ["invalid_signature", junk],
    ["self_payment", () => bodyOn(devnet, { authorization: { from: devnet.seller.address } })],
    [wireChannelCode("voucher_signature"), () => junkDeposit({ voucher: wrongSignature })],
    [
      wireChannelCode("receive_authorization_signature"),
      () => junkDeposit({ authorization: wrongSignature }),
    ],
    [
      wireChannelCode("insufficient_balance"),
      () => junkDeposit({ privateKey: `0x${"77".repeat(32)}` }),
    ],
  ]);

describe("429", () => {
  let strict: Served;
  let other: JsonObject;
  beforeAll(async () => {
    strict = await serveOn(devnet, { wallets: [1], env: { FARTHING_RATE_LIMIT: "3" } });
    other = bodyOn(devnet);
  });
  afterAll(() => strict?.stop());

  test("beyond the limit, with when to come back; what is free stays so", async () => {
    const allowed = [
      await strict.post("/verify", other),
      await strict.post("/verify", other),
      await strict.post("/verify", other),
    ];
    expect(allowed.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(allowed.map(({ headers }) => headers.get("ratelimit-policy"))).toEqual(
      allowed.map(() => '"default";q=3;w=10'),
    );
    expect(allowed.map(({ headers }) => headers.get("ratelimit"))).toEqual(
      [2, 1, 0].map((left) => expect.stringMatching(new RegExp(`^"default";r=${left};t=\\d+$`))),
    );
    for (const answer of [
      await strict.post("/verify", other),
      await strict.get("/settlements/stl_1"),
    ]) {
      expectProblem(answer, 429, "rate_limited", /More than 3 requests in 10 seconds/);
      expect(answer.body).toMatchObject({ retryable: true });
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
      expect(answer.headers.get("ratelimit")).toMatch(/^"default";r=0;t=\d+$/);
    }
    for (const path of ["/supported", "/health", "/v1/status"]) {
      expect((await strict.get(path)).status).toBe(200);
    }
    // What was found valid is settled all the same: /settle counts for itself.
    const settled = [
      await strict.post("/settle", other),
      await strict.post("/settle", other),
      await strict.post("/settle", other),
    ];
    // Three exchanges were opened: the second and third settle get the facts of the first one.
    expect(settled.map(({ status }) => status)).toEqual([200, 409, 409]);
    const late = await strict.post("/settle", other);
    expectProblem(late, 429, "rate_limited", /More than 3 requests in 10 seconds/);
    expect(late.headers.get("ratelimit")).toMatch(/^"settle";r=0;t=\d+$/);
  });

  test("for wrong keys as well, by where they come from", async () => {
    const guarded = await serveOn(devnet, {
      wallets: [2],
      selfBuilt: false,
      env: { FARTHING_RATE_LIMIT: "3" },
    });
    const wrong = { authorization: "Bearer fk_live_wrong" };
    const statuses: number[] = [];
    for (let tries = 0; tries < 4; tries++) {
      statuses.push((await guarded.post("/verify", other, wrong)).status);
    }
    await guarded.stop();
    expect(statuses).toEqual([401, 401, 401, 429]);
  });

  test("a seller with a key may ask ten times as often", async () => {
    const databaseUrl = newDatabaseUrl();
    const own = await openStore(databaseUrl);
    const account = devnet.seller.address;
    const made = await createApiKey(own, systemClock, { account, mode: "test", label: "t" });
    const shop = await serveOn(devnet, {
      wallets: [2],
      selfBuilt: false,
      databaseUrl,
      store: own,
      env: { FARTHING_RATE_LIMIT: "1" },
    });
    const ask = async () => (await shop.post("/verify", other, bearer(made.text))).status;
    const statuses: number[] = [];
    for (let tries = 0; tries < 11; tries++) statuses.push(await ask());
    await shop.stop();
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 429]);
  });

  describe("a flood of junk through a seller's key", () => {
    let shop: Served;
    let headers: Record<string, string>;
    beforeAll(async () => {
      const databaseUrl = newDatabaseUrl();
      const own = await openStore(databaseUrl);
      const account = devnet.seller.address;
      const made = await createApiKey(own, systemClock, { account, mode: "test", label: "t" });
      headers = bearer(made.text);
      // 30 requests in a window with a key.
      const env = { FARTHING_RATE_LIMIT: "3" };
      shop = await serveOn(devnet, {
        wallets: [2],
        selfBuilt: false,
        databaseUrl,
        store: own,
        env,
      });
    });
    afterAll(() => shop?.stop());

    const ask = async (path: string, body: JsonObject) =>
      (await shop.post(path, body, { ...headers, prefer: "wait=20" })).body;

    test("does not keep honest buyers from being served", async () => {
      const settled = junkKinds();
      const verified = new Map([
        ...settled,
        [wireChannelCode("channel_not_found"), emptyChannel] as const,
      ]);
      const flood = async (path: string, kinds: ReturnType<typeof junkKinds>) => {
        // Where one kind counted, the last of the honest buyers would be refused.
        const bodies = [...kinds].flatMap(([said, bodyOf]) =>
          Array.from({ length: 4 }, () => [said, bodyOf()] as const),
        );
        for (const [said, body] of bodies) {
          const { invalidReason, errorReason = invalidReason } = await ask(path, body);
          expect(errorReason).toBe(said);
        }
      };
      await flood("/verify", verified);
      await flood("/settle", settled);
      const served = await Promise.all(
        Array.from({ length: 27 }, async () => {
          const body = bodyOn(devnet);
          return [await ask("/verify", body), await ask("/settle", body)];
        }),
      );
      expect(served).toMatchObject(served.map(() => [{ isValid: true }, { success: true }]));
    });

    test("is bounded itself: beyond as many again as the key may ask, it counts", async () => {
      const answers: unknown[] = [];
      for (let sent = 0; sent < 60; sent++) answers.push((await ask("/verify", junk()))["error"]);
      expect(answers.at(-1)).toBe("rate_limited");
    });
  });
});
