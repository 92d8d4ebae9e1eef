/** Attestations over HTTP: what they state, who gets them, and by which keys they are checked. */
import type { Devnet } from "@farthing/devnet";
import type { JsonObject } from "@farthing/protocol";
import { systemClock } from "@farthing/engine/base";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createApiKey } from "../../src/features/api-keys/key-text.ts";
import { openStore } from "../../src/features/open-store.ts";
import { newAttestationKey, readJws } from "../support/attestation-keys.testing.ts";
import {
  bodyOn,
  memberAt,
  newDatabaseUrl,
  payerAndNonceOf,
  serveOn,
  startChain,
  textAt,
  useLogsOf,
  walletAt,
  type Served,
} from "../support/facilitator.testing.ts";

const [present, older] = [newAttestationKey(), newAttestationKey()];
const hosted = "/api/facilitator";
const origin = "https://pay.example";

let devnet: Devnet;
let served: Served;
const stack = new AsyncDisposableStack();
/** Of the payee's account, and of another one. */
let own: { authorization: string };
let another: { authorization: string };

beforeAll(async () => {
  devnet = await startChain({ relayers: 3 });
  stack.defer(() => devnet.stop());
  const databaseUrl = newDatabaseUrl();
  const store = await openStore(databaseUrl);
  const bearerOf = async (account: `0x${string}`) => {
    const { text } = await createApiKey(store, systemClock, { account, mode: "test", label: "t" });
    return { authorization: `Bearer ${text}` };
  };
  own = await bearerOf(devnet.seller.address);
  another = await bearerOf(walletAt(devnet.buyers, 1).address);
  served = await start(0, {
    store,
    databaseUrl,
    selfBuilt: false,
    env: {
      FARTHING_ATTESTATION_KEYS: `${present.signing}${older.published}`,
      FARTHING_PUBLIC_URL: origin,
    },
  });
});
afterAll(() => stack.disposeAsync());

async function start(wallet: number, options: Parameters<typeof serveOn>[1] = {}): Promise<Served> {
  const started = await serveOn(devnet, { wallets: [wallet], ...options });
  stack.defer(() => started.stop());
  return started;
}

async function keySetOf(at: Served): Promise<JsonObject> {
  return (await at.get("/.well-known/jwks.json")).body;
}

const attestationPath = (base: string, id: string) => `${base}/settlements/${id}/attestation`;
const inSettle = "extensions.settlement-attestation.info.attestation";

test("a settle answer that reports success attests what the chain shows, and no finality", async () => {
  const body = bodyOn(devnet);
  const { body: answer } = await served.post(`${hosted}/settle`, body);
  expect(answer).toMatchObject({ success: true });
  expect(memberAt(answer, `${inSettle}.format`)).toBe("jws");
  const jws = readJws(textAt(answer, `${inSettle}.signature`), await keySetOf(served));
  const [log] = await useLogsOf(devnet, body);
  const { payer, nonce } = payerAndNonceOf(body);
  expect(jws.header).toMatchObject({ alg: "EdDSA", typ: "settlement-attestation+jwt" });
  expect(jws.payload).toEqual({
    iss: origin,
    iat: expect.any(Number),
    settlementId: answer["id"],
    network: "eip155:51",
    asset: devnet.token,
    payer,
    payTo: devnet.seller.address,
    amount: "10000",
    nonce,
    transaction: log?.transactionHash,
    logIndex: Number(log?.logIndex),
    blockNumber: Number(log?.blockNumber),
    blockHash: log?.blockHash,
    finalized: false,
  });
});

test("only a fresh request calls it final, once that is recorded; a repeat of the settle does not", async () => {
  const body = bodyOn(devnet);
  const { body: answer } = await served.post(`${hosted}/settle`, body);
  const path = attestationPath(hosted, textAt(answer, "id"));
  const keySet = await keySetOf(served);
  const read = async () => {
    const { status, body: attested, headers } = await served.get(path);
    expect([status, attested["settlementId"], attested["format"]]).toEqual([
      200,
      answer["id"],
      "jws",
    ]);
    expect(headers.get("cache-control")).toBe("no-store");
    return readJws(textAt(attested, "signature"), keySet).payload;
  };
  const early = await read();
  expect(early).toMatchObject({ finalized: false, transaction: answer["transaction"] });
  const look = async () => {
    await devnet.mine();
    return read();
  };
  await expect.poll(look).toEqual({ ...early, iat: expect.any(Number), finalized: true });
  const repeat = await served.post(`${hosted}/settle`, body);
  expect(repeat.body).toMatchObject({ success: true });
  const again = readJws(textAt(repeat.body, `${inSettle}.signature`), keySet);
  expect(again.payload).toMatchObject({ finalized: false });
});

describe("who gets one", () => {
  test("on the public surface: the payee's account alone", async () => {
    const headers = { ...own, prefer: "wait=20" };
    const { body } = await served.post("/settle", bodyOn(devnet), headers);
    expect(body).toMatchObject({ success: true });
    const id = textAt(body, "id");
    const path = attestationPath("", id);
    const statuses = await Promise.all(
      [own, another, {}].map(async (caller) => (await served.get(path, caller)).status),
    );
    expect(statuses).toEqual([200, 404, 401]);
    // A seller that polls passes this response on as the buyer's receipt.
    const poll = await served.get(`/settlements/${id}`, own);
    const { payload } = readJws(textAt(poll.body, `${inSettle}.signature`), await keySetOf(served));
    expect(payload).toMatchObject({ settlementId: id, finalized: false });
    // The id, which receipts contain, does not open it on the surface without keys either.
    expect((await served.get(attestationPath(hosted, id))).status).toBe(404);
  });

  test("no caller before the settlement is confirmed, and no pending response", async () => {
    await devnet.rpc("evm_setAutomine", [false]);
    const body = bodyOn(devnet);
    const pending = await served.post(`${hosted}/settle`, body, { prefer: "respond-async" });
    const early = await served.get(attestationPath(hosted, textAt(pending.body, "id")));
    await devnet.rpc("evm_setAutomine", [true]);
    await devnet.mine();
    expect(pending.body).toMatchObject({ success: false });
    expect(pending.body).not.toHaveProperty("extensions");
    expect([early.status, early.body["error"]]).toEqual([409, "conflict"]);
  });

  test("an answer that reports the facts of another exchange has none", async () => {
    const body = bodyOn(devnet);
    const key = { "idempotency-key": "first" };
    const first = await served.post(`${hosted}/settle`, body, key);
    expect(first.body).toHaveProperty("extensions");
    const other = await served.post(`${hosted}/settle`, body, { "idempotency-key": "other" });
    expect(other.body).toMatchObject({ success: false, errorReason: "already_settled" });
    expect(other.body).not.toHaveProperty("extensions");
  });
});

describe("keys", () => {
  test("the older key stays published, so that what it has signed stays verifiable", async () => {
    const selfBuilt = await start(1, { env: { FARTHING_ATTESTATION_KEYS: older.signing } });
    const { body } = await selfBuilt.post("/settle", bodyOn(devnet));
    const signature = textAt(body, `${inSettle}.signature`);
    // Signed before the rotation, verified with the keys that are published after it.
    const { payload } = readJws(signature, await keySetOf(served));
    expect(payload).toMatchObject({ settlementId: body["id"] });
    expect(payload).not.toHaveProperty("iss");
    const { keys } = await keySetOf(served);
    expect(keys).toHaveLength(2);
    expect(JSON.stringify(keys)).not.toContain('"d"');
  });

  test("without a key nothing is attested; settle answers may leave it out with one", async () => {
    const without = await start(2);
    const plain = await without.post("/settle", bodyOn(devnet));
    expect(plain.body).toMatchObject({ success: true });
    expect(plain.body).not.toHaveProperty("extensions");
    const missing = await without.get(attestationPath("", textAt(plain.body, "id")));
    expect([missing.status, missing.body["error"]]).toEqual([404, "not_found"]);
    expect(await keySetOf(without)).toEqual({ keys: [] });
    await without.stop();
    const quiet = await start(2, {
      env: { FARTHING_ATTESTATION_KEYS: present.signing, FARTHING_SETTLE_ATTESTATION: "no" },
    });
    const settled = await quiet.post("/settle", bodyOn(devnet));
    expect(settled.body).not.toHaveProperty("extensions");
    expect((await quiet.get(attestationPath("", textAt(settled.body, "id")))).status).toBe(200);
  });
});
