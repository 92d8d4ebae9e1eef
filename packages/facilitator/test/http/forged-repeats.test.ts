/** A settled payment is public on the chain; only who has its signature is told what became of it. */
import type { Devnet } from "@farthing/devnet";
import type { Hex, JsonObject } from "@farthing/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "@farthing/engine/base";
import { createApiKey } from "../../src/features/api-keys/key-text.ts";
import { openStore } from "../../src/features/open-store.ts";
import {
  bodyOn,
  byContract,
  finalAfterBlocks,
  hexAt,
  newDatabaseUrl,
  serveOn,
  startChain,
  textAt,
  withMember,
  type Served,
} from "../support/facilitator.testing.ts";

let devnet: Devnet;
let served: Served;
let bearer: { authorization: string };

beforeAll(async () => {
  devnet = await startChain();
  const databaseUrl = newDatabaseUrl();
  const store = await openStore(databaseUrl);
  const { address: account } = devnet.seller;
  const { text } = await createApiKey(store, systemClock, { account, mode: "test", label: "t" });
  bearer = { authorization: `Bearer ${text}` };
  served = await serveOn(devnet, { selfBuilt: false, databaseUrl, store });
});
afterAll(async () => {
  await served?.stop();
  await devnet?.stop();
});

const hosted = "/api/facilitator";
const signatureAt = "paymentPayload.payload.signature";
const forged = (body: JsonObject) => withMember(body, signatureAt, `0x${"22".repeat(65)}`);

const refused = {
  success: false,
  errorReason: "invalid_signature",
  transaction: "",
  extra: { x402Reason: expect.not.stringContaining("duplicate") },
};

/** Makes the newest settlement final, which removes its signature from the database. */
async function finalize(id: string, headers = {}): Promise<void> {
  await devnet.mine(finalAfterBlocks);
  await expect
    .poll(async () => (await served.get(`${hosted}/settlements/${id}`, headers)).body)
    .toMatchObject({ finalized: true });
}

describe("a repeat with a signature of 65 other bytes", () => {
  test.each(["hosted", "keyed", "keyed, with the Idempotency-Key of the first call"])(
    "%s: is refused, and is told neither transaction nor id",
    async (surface) => {
      const isKeyed = surface !== "hosted";
      const path = isKeyed ? "" : hosted;
      const key = surface.includes("Idempotency") ? { "idempotency-key": "exchange-1" } : {};
      const headers = { ...(isKeyed ? bearer : {}), prefer: "wait=20", ...key };
      const body = bodyOn(devnet);
      const first = await served.post(`${path}/settle`, body, headers);
      expect(first.body).toMatchObject({ success: true });
      const { body: answer } = await served.post(`${path}/settle`, forged(body), headers);
      expect(answer).toMatchObject(refused);
      expect(JSON.stringify(answer)).not.toContain(textAt(first.body, "id"));
      const { body: verdict } = await served.post(`${path}/verify`, forged(body), headers);
      expect(verdict).toMatchObject({ isValid: false, invalidReason: "invalid_signature" });
      expect(JSON.stringify(verdict)).not.toContain(textAt(first.body, "id"));
      expect((await served.post(`${path}/settle`, body, headers)).body).toMatchObject({
        success: true,
        id: first.body["id"],
      });
    },
  );
});

test("the same signature with v written as 0 or 1 is the payer's: told as before", async () => {
  const body = bodyOn(devnet);
  const { body: first } = await served.post(`${hosted}/settle`, body);
  const signature = hexAt(body, signatureAt);
  const v = Number.parseInt(signature.slice(-2), 16) - 27;
  const short = withMember(body, signatureAt, `${signature.slice(0, -2)}0${v}`);
  expect((await served.post(`${hosted}/settle`, short)).body).toMatchObject({
    success: true,
    id: first["id"],
  });
});

const lengthened = (signature: Hex): Hex => `${signature}00`;

describe("of a contract wallet", () => {
  test("the signature that was verified passes for good; another one is asked for anew", async () => {
    const body = byContract(devnet);
    const changed = withMember(body, signatureAt, lengthened(hexAt(body, signatureAt)));
    const { body: first } = await served.post(`${hosted}/settle`, body);
    expect(first).toMatchObject({ success: true });
    await finalize(textAt(first, "id"));
    // Its owner has changed since: the wallet accepts nothing that was signed before.
    await devnet.walletMode("refuse");
    expect((await served.post(`${hosted}/settle`, body)).body).toMatchObject({
      success: true,
      id: first["id"],
    });
    for (const message of [forged(body), changed]) {
      expect((await served.post(`${hosted}/settle`, message)).body).toMatchObject(refused);
    }
    await devnet.walletMode("accept-all");
    expect((await served.post(`${hosted}/settle`, changed)).body).toMatchObject({ success: true });
    await devnet.walletMode("owner-signed");
  });
});
