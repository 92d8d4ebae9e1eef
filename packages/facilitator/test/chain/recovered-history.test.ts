/** What an account sees of a settlement that the database had lost and the chain has shown again. */
import type { Devnet } from "@farthing/devnet";
import { isObject, type JsonObject } from "@farthing/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openSignedIn, type Browser } from "../support/browser.testing.ts";
import {
  bodyOn,
  newDatabaseUrl,
  serveOn,
  startChain,
  textAt,
  walletAt,
  type Served,
} from "../support/facilitator.testing.ts";
import { keyIn } from "../support/api-keys.testing.ts";
import { backUp } from "../support/lost-rows.testing.ts";
import { holdAnswers, readContract } from "../support/openapi.testing.ts";

const path = "/v1/account/settlements";

let devnet: Devnet;
let served: Served;
let seller: Browser;
let headers: { readonly authorization: string; readonly prefer: string };
let letGo: () => void;
const databaseUrl = newDatabaseUrl();
const start = async () => {
  const env = { FARTHING_ID_SECRET: "0f".repeat(32) };
  served = await serveOn(devnet, { databaseUrl, selfBuilt: false, env });
};
beforeAll(async () => {
  devnet = await startChain({ buyers: 2 });
  await start();
  const key = await keyIn(databaseUrl, devnet.seller.address);
  headers = { authorization: `Bearer ${key}`, prefer: "wait=10" };
});
afterAll(async () => {
  letGo?.();
  await served?.stop();
  await devnet?.stop();
});

const settle = async (body: JsonObject) => (await served.post("/settle", body, headers)).body;

/** Columns of a CSV file's line by their names. No cell of these tests has a comma. */
function readCsv([names = "", ...lines]: readonly string[]) {
  return lines.map((line) => {
    const cells = line.split(",");
    return Object.fromEntries(names.split(",").map((name, index) => [name, cells[index]]));
  });
}

test("its history says that it was recovered, in every form", async () => {
  const kept = textAt(await settle(bodyOn(devnet)), "id");
  const restore = backUp(databaseUrl);
  const lost = bodyOn(devnet, { payer: walletAt(devnet.buyers, 1) });
  const id = textAt(await settle(lost), "id");
  await served.stop();
  restore();
  await start();
  letGo = holdAnswers(served.url, await readContract(served.url));
  expect(await settle(lost)).toMatchObject({ success: true, id });

  seller = await openSignedIn(served, { wallet: devnet.seller });
  const recoveredAt = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
  expect((await served.get(`/settlements/${id}`, headers)).body).toMatchObject({ recoveredAt });
  expect((await served.get(`/settlements/${kept}`, headers)).body).toMatchObject({
    recoveredAt: null,
  });
  const { settlements } = (await seller.get(path)).body;
  const rows = Array.isArray(settlements) ? settlements.filter(isObject) : [];
  expect(rows.map((row) => [row["id"], row["recoveredAt"]])).toEqual([
    [id, recoveredAt],
    [kept, null],
  ]);
  const story = (await seller.get(`${path}/${id}`)).body;
  expect(story).toMatchObject({
    recoveredAt,
    timeline: [{ what: "recovered" }, { what: "confirmed" }],
  });
  const lines = readCsv(await seller.download(`${path}?format=csv`));
  expect(lines).toMatchObject([
    { id, recovered_at: recoveredAt },
    { id: kept, recovered_at: "" },
  ]);
});
