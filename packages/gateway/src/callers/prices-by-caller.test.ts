/** One route, several prices: who pays what, and what a stranger tries to pay less. */
import { createPrivateKey, generateKeyPairSync, sign, type KeyObject } from "node:crypto";
import { agentKeyId, decodeHeader, headerNames } from "@farthing/protocol";
import { payFor } from "@farthing/seller/testing/buyer";
import { listen, type Listening } from "@farthing/seller/testing/listen";
import { signatureHeaders } from "web-bot-auth";
import { signerFromJWK } from "web-bot-auth/crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { explainRequest } from "../inspection/explain.ts";
import { configOf, startBefore, takesEveryPayment } from "../gateway.testing.ts";
import type { Gateway } from "../gateway.ts";
import type { DirectoryFetch } from "./fetch-directory.ts";

const publicUrl = "http://localhost";

/** Friday, at 21:00 in Madrid. */
const evening = Date.UTC(2026, 10, 27, 20, 0);

const entries = [
  { name: "office", networks: ["192.0.2.0/24"], free: true },
  { name: "partner", headers: { "X-Plan": "partner" }, price: "0.002" },
  { name: "friends", agents: ["agent.example"], multiplier: "0.5" },
  { name: "free-agents", agents: ["free.example"], free: true },
  {
    name: "night",
    hours: { from: "22:00", to: "06:00", zone: "Europe/Madrid", days: ["fri"] },
    multiplier: "0.25",
  },
];

const changes = {
  publicUrl,
  trustedProxies: ["127.0.0.1"],
  agents: { registrationUrl: "https://api.example.com/agents" },
  routes: [{ match: "GET /sold", upstream: "api", price: "0.01", for: entries }],
};

interface Agent {
  readonly host: string;
  readonly jwk: {
    readonly kty: string;
    readonly crv: string;
    readonly x: string;
    readonly d: string;
  };
}

function newAgent(host: string): Agent {
  const { privateKey } = generateKeyPairSync("ed25519");
  const { x = "", d = "" } = privateKey.export({ format: "jwk" });
  return { host, jwk: { kty: "OKP", crv: "Ed25519", x, d } };
}

const friend = newAgent("agent.example");
const freeAgent = newAgent("free.example");
const stranger = newAgent("stranger.example");

/** What each host publishes, and how often it was asked. */
let directories = new Map<string, () => Promise<DirectoryFetch>>();
let lookups: string[] = [];
const publish = ({ host, jwk: { kty, crv, x } }: Agent) =>
  directories.set(host, async () => ({ kind: "fetched", document: { keys: [{ kty, crv, x }] } }));

const lines: Record<string, unknown>[] = [];
const write = (fields: object): void => void lines.push({ ...fields });

let now = evening;
let upstream: Listening;
let gateway: Gateway;
beforeAll(async () => {
  upstream = await listen((_request, response) => {
    response.setHeader("Cache-Control", "public, max-age=60");
    response.end("content");
  });
  gateway = await startBefore(
    upstream.url,
    { ...changes, facilitator: "embedded" },
    {
      facilitator: takesEveryPayment,
      log: { info: write, warn: write, error: write },
      nowMs: () => now,
      fetchDirectory: async (host) => {
        lookups.push(host);
        const found = await directories.get(host)?.();
        return found ?? { kind: "failed", why: "its directory cannot be reached" };
      },
    },
  );
});
afterAll(async () => {
  await gateway.stop();
  await upstream.close();
});
beforeEach(() => {
  // Later than all that was learnt before.
  now = now - (now % 86_400_000) + 7 * 86_400_000 + 20 * 3_600_000;
  directories = new Map();
  lookups = [];
  publish(friend);
  publish(freeAgent);
});

type Sent = Readonly<Record<string, string>>;
const url = () => `${gateway.url}/sold`;
const ask = (headers: Sent = {}) => fetch(url(), { headers });

/** Signs as the published library does. */
async function signedBy(
  { host, jwk }: Agent,
  {
    to = `${publicUrl}/sold`,
    from = now,
    forMs = 60_000,
    agent = `"https://${host}"`,
    components = ["@authority", "signature-agent"],
  } = {},
): Promise<Record<string, string>> {
  const headers = { "Signature-Agent": agent };
  const signer = await signerFromJWK(jwk);
  const [created, expires] = [new Date(from), new Date(from + forMs)];
  return {
    ...headers,
    ...(await signatureHeaders(new Request(to, { headers }), signer, {
      created,
      expires,
      components,
    })),
  };
}

function priceOf(response: Response): string | undefined {
  const decoded = decodeHeader(response.headers.get(headerNames.paymentRequired))?.value;
  return /"amount":"(\d+)"/.exec(JSON.stringify(decoded))?.[1];
}

async function offeredTo(headers: Sent = {}): Promise<string | undefined> {
  const response = await ask(headers);
  await response.text();
  return response.status === 402 ? priceOf(response) : `${response.status}`;
}

test("the first entry that fits decides, and everybody else pays the route's price", async () => {
  expect(await offeredTo()).toBe("10000");
  expect(await offeredTo({ "X-Forwarded-For": "192.0.2.7" })).toBe("200");
  expect(await offeredTo({ "X-Plan": "partner" })).toBe("2000");
  expect(await offeredTo(await signedBy(friend))).toBe("5000");
  expect(await offeredTo(await signedBy(freeAgent))).toBe("200");
  const both = { ...(await signedBy(friend)), "X-Plan": "partner" };
  expect(await offeredTo(both)).toBe("2000");
});

test("every challenge tells agents how to sign, in the public form", async () => {
  for (const headers of [{}, await signedBy(friend)]) {
    const header = (await ask(headers)).headers.get(headerNames.paymentRequired);
    expect(decodeHeader(header)?.value).toMatchObject({
      extensions: {
        "http-message-signatures": {
          info: {
            registrationUrl: "https://api.example.com/agents",
            signatureSchemes: ["ed25519"],
            tags: ["web-bot-auth"],
          },
        },
      },
    });
  }
});

test("a verified agent pays half, and no cache may keep what differs by caller", async () => {
  const signed = await signedBy(friend);
  const paid = await ask({ ...signed, ...(await payFor(url(), { headers: signed })) });
  expect([paid.status, await paid.text()]).toEqual([200, "content"]);
  expect(paid.headers.get("Cache-Control")).toBe("private, no-store");
  const free = await ask(await signedBy(freeAgent));
  expect(free.headers.get("Cache-Control")).toBe("private, no-store");
});

test("a payment of another caller's price is refused with the own price", async () => {
  const cheap = await payFor(url(), { headers: await signedBy(friend) });
  const refused = await ask(cheap);
  expect([refused.status, priceOf(refused)]).toEqual([402, "10000"]);
});

test("who has paid gets the response again, whoever they are by then", async () => {
  const signed = await signedBy(friend);
  const payment = await payFor(url(), { headers: signed });
  expect((await ask({ ...signed, ...payment })).status).toBe(200);
  expect((await ask({ ...signed, ...payment })).status).toBe(200);
  expect((await ask(payment)).status).toBe(200);
});

test("the log says which price a request had, whose agent it was, and why an agent was not believed", async () => {
  lines.length = 0;
  await ask();
  await ask(await signedBy(friend));
  await ask(await signedBy(friend, { from: now - 600_000 }));
  directories.delete("free.example");
  await ask(await signedBy(freeAgent));
  const logged = lines.map(({ caller, agent, agentProblem }) => [caller, agent, agentProblem]);
  expect(logged).toEqual([
    [undefined, undefined, undefined],
    ["friends", "agent.example", undefined],
    [undefined, undefined, "its signature has expired"],
    [undefined, undefined, "free.example: its directory cannot be reached"],
  ]);
});

test("a header counts from the proxy alone, and with its exact value", async () => {
  expect(await offeredTo({ "X-Plan": "Partner" })).toBe("10000");
  const direct = await startBefore(
    upstream.url,
    { ...changes, trustedProxies: ["10.0.0.1"], facilitator: "embedded" },
    { facilitator: takesEveryPayment, nowMs: () => now },
  );
  const response = await fetch(`${direct.url}/sold`, { headers: { "X-Plan": "partner" } });
  await direct.stop();
  expect(priceOf(response)).toBe("10000");
});

describe("times of the day", () => {
  const friday = Date.UTC(2026, 11, 4);
  test.each([
    ["20:59 in Madrid", friday + 19.99 * 3_600_000, "10000"],
    ["22:00 in Madrid", friday + 21 * 3_600_000, "2500"],
    ["05:59 on the next day", friday + 28.99 * 3_600_000, "2500"],
    ["06:00 on the next day", friday + 29 * 3_600_000, "10000"],
    ["22:00 on Saturday", friday + 45 * 3_600_000, "10000"],
  ])("%s", async (_, at, price) => {
    now = at;
    expect(await offeredTo()).toBe(price);
  });

  test("a payment that was signed before the time ended is accepted for as long as it is valid", async () => {
    now = friday + 29 * 3_600_000 - 1_000;
    const payments = [await payFor(url()), await payFor(url())];
    now += 30_000;
    expect((await ask(payments[0])).status).toBe(200);
    now += 60_000;
    expect(priceOf(await ask(payments[1]))).toBe("10000");
  });
});

describe("signatures that prove nothing", () => {
  test.each<[string, () => Promise<Sent>]>([
    ["for no site", () => signedBy(friend, { components: ["@method", "signature-agent"] })],
    ["of another site", () => signedBy(friend, { to: "https://other.example/sold" })],
    ["expired", () => signedBy(friend, { from: now - 600_000 })],
    ["of the future", () => signedBy(friend, { from: now + 600_000 })],
    ["valid for longer than a day", () => signedBy(friend, { forMs: 2 * 86_400_000 })],
    [
      "by a key that the host does not publish",
      () => signedBy({ ...stranger, host: "agent.example" }),
    ],
    ["of a host that no entry names", () => signedBy(stranger)],
    [
      "with the agent exchanged",
      async () => ({ ...(await signedBy(stranger)), "Signature-Agent": '"https://agent.example"' }),
    ],
    [
      "with a directory elsewhere at the host",
      () => signedBy(friend, { agent: '"https://agent.example/mine"' }),
    ],
    ["with a directory without TLS", () => signedBy(friend, { agent: '"http://agent.example"' })],
    [
      "that cannot be read",
      async () => ({ ...(await signedBy(friend)), "Signature-Input": "sig1=(((" }),
    ],
    ["without a signature", async () => ({ ...(await signedBy(friend)), Signature: "sig1=::" })],
    ["in another label", async () => ({ ...(await signedBy(friend)), Signature: "sig2=:AAAA:" })],
  ])("%s", async (_, signed) => {
    expect(await offeredTo(await signed())).toBe("10000");
  });

  test("a host that no entry names is never called", async () => {
    publish(stranger);
    await ask(await signedBy(stranger));
    expect(lookups).toEqual([]);
  });

  test("one that opened something free opens nothing again, and neither for another payment", async () => {
    const free = await signedBy(freeAgent);
    expect([await offeredTo(free), await offeredTo(free)]).toEqual(["200", "10000"]);
    const signed = await signedBy(friend);
    const [first, second] = [
      await payFor(url(), { headers: signed }),
      await payFor(url(), { headers: signed }),
    ];
    expect((await ask({ ...signed, ...first })).status).toBe(200);
    expect(priceOf(await ask({ ...signed, ...second }))).toBe("10000");
    // So does a question for the price.
    expect(await offeredTo(signed)).toBe("10000");
  });
});

describe("directories", () => {
  test("are asked once in ten minutes, and by all requests together", async () => {
    const signed = await Promise.all(Array.from({ length: 5 }, () => signedBy(friend)));
    const prices = await Promise.all(signed.map((one) => offeredTo(one)));
    expect([new Set(prices), lookups]).toEqual([new Set(["5000"]), ["agent.example"]]);
    now += 601_000;
    expect(await offeredTo(await signedBy(friend))).toBe("5000");
    expect(lookups).toHaveLength(2);
  });

  test("that cannot be reached keep their keys for a day; a removed key counts no more", async () => {
    await ask(await signedBy(friend));
    directories.delete("agent.example");
    now += 23 * 3_600_000;
    expect(await offeredTo(await signedBy(friend))).toBe("5000");
    now += 2 * 3_600_000;
    expect(await offeredTo(await signedBy(friend))).toBe("10000");
    now += 3_600_000;
    publish(friend);
    expect(await offeredTo(await signedBy(friend))).toBe("5000");
    publish({ ...newAgent("agent.example") });
    now += 601_000;
    expect(await offeredTo(await signedBy(friend))).toBe("10000");
  });

  test("a new key is found within a minute", async () => {
    await ask(await signedBy(friend));
    const renewed = newAgent("agent.example");
    publish(renewed);
    expect(await offeredTo(await signedBy(renewed))).toBe("10000");
    now += 61_000;
    expect(await offeredTo(await signedBy(renewed))).toBe("5000");
  });
});

/** As the current draft has it, whose published example this is (RFC 9421's test key signs it). */
test("the dictionary form of Signature-Agent is read, and its test key is believed nowhere", async () => {
  const { signer, key, header } = draftSigner();
  directories.set("agent.example", async () => ({ kind: "fetched", document: { keys: [signer] } }));
  expect(await offeredTo(header(key))).toBe("10000");
  const own = createPrivateKey({ format: "jwk", key: friend.jwk });
  publish(friend);
  now += 61_000;
  expect(await offeredTo(header(own, friend.jwk.x))).toBe("5000");
});

function draftSigner() {
  const x = "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs";
  const d = "n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU";
  const signer = { kty: "OKP", crv: "Ed25519", x };
  const key = createPrivateKey({ format: "jwk", key: { ...signer, d } });
  const header = (by: KeyObject, publicX = x): Sent => {
    const [created, expires] = [Math.floor(now / 1000), Math.floor(now / 1000) + 60];
    const covered = `("@authority" "signature-agent";key="agent2");created=${created};expires=${expires};keyid="${agentKeyId(publicX)}";alg="ed25519";tag="web-bot-auth"`;
    const base = `"@authority": localhost\n"signature-agent";key="agent2": "https://agent.example"\n"@signature-params": ${covered}`;
    const signature = sign(undefined, Buffer.from(base), by).toString("base64");
    return {
      "Signature-Agent": 'agent2="https://agent.example"',
      "Signature-Input": `sig2=${covered}`,
      Signature: `sig2=:${signature}:`,
    };
  };
  return { signer, key, header };
}

test("explain agrees with each response", async () => {
  const config = configOf(upstream.url, changes);
  const said = async (caller: object) => {
    const {
      status,
      price,
      caller: chosen,
    } = await explainRequest(config, {
      method: "GET",
      target: "/sold",
      caller: { now, ...caller },
    });
    return [status, price?.amount, chosen?.entry, chosen?.passedOver.map(({ entry }) => entry)];
  };
  expect(await said({})).toEqual([402, "10000", undefined, entries.map(({ name }) => name)]);
  expect(await said({ address: "192.0.2.7" })).toEqual([undefined, undefined, "office", []]);
  expect(await said({ headers: { "x-plan": "partner" } })).toEqual([
    402,
    "2000",
    "partner",
    ["office"],
  ]);
  expect(await said({ agent: "agent.example" })).toEqual([
    402,
    "5000",
    "friends",
    ["office", "partner"],
  ]);
});
