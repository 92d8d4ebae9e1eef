/** The search of a start has a bound: what it leaves out is said, and is searched by hand. */
import { createLog, silentLog } from "@farthing/engine/base";
import { isObject, type JsonObject } from "@farthing/protocol";
import { expect, onTestFinished, test } from "vitest";
import { startFacilitator, type Facilitator } from "../../src/app.ts";
import { readConfig } from "../../src/config/config.ts";
import { recoverLost } from "../../src/operations/recover.ts";
import {
  bodyOn,
  environmentOn,
  newDatabaseUrl,
  readResponse,
  startChain,
  textAt,
  walletAt,
  type Answer,
} from "../support/facilitator.testing.ts";
import { backUp } from "../support/lost-rows.testing.ts";

/** Instead of a week of blocks, which a devnet mines in an hour. */
const searchBlocksMax = 20;

async function ask({ url }: Facilitator, path: string, body?: JsonObject): Promise<Answer> {
  const headers = { "content-type": "application/json" };
  const init = body && { method: "POST", headers, body: JSON.stringify(body) };
  return readResponse(await fetch(`${url}${path}`, init));
}

test("the first block that is left out is named, and farthing recover goes on from it", async () => {
  const devnet = await startChain({ buyers: 4 });
  onTestFinished(() => devnet.stop());
  const databaseUrl = newDatabaseUrl();
  const env = environmentOn(devnet, {
    databaseUrl,
    env: { FARTHING_ID_SECRET: "0f".repeat(32) },
  });
  const lines: JsonObject[] = [];
  const write = (line: string) => {
    const parsed: unknown = JSON.parse(line);
    if (isObject(parsed)) lines.push(parsed);
  };
  const start = (): Promise<Facilitator> => {
    const config = { ...readConfig({ env }), searchBlocksMax };
    return startFacilitator({ config, selfBuilt: true, log: createLog("info", { write }) });
  };
  const before = await start();
  const pay = async (buyer: number) => {
    const body = bodyOn(devnet, { payer: walletAt(devnet.buyers, buyer) });
    return textAt((await ask(before, "/settle", body)).body, "id");
  };
  await pay(0);
  const restore = backUp(databaseUrl);
  const early = await pay(1);
  await devnet.rpc("anvil_mine", ["0x32"]);
  const late = await pay(2);
  await before.stop();
  restore();

  lines.length = 0;
  const served = await start();
  onTestFinished(() => served.stop());
  const leftOut = lines.find(({ event }) => event === "lost_transfers_not_read");
  expect(leftOut).toMatchObject({ fromBlock: expect.any(Number), toBlock: expect.any(Number) });
  const fromBlock = Number(leftOut?.["fromBlock"]);
  const ready = await ask(served, "/ready");
  expect(ready.status).toBe(200);
  expect(JSON.stringify(ready.body)).toContain(`run farthing recover --since ${fromBlock}`);
  expect((await ask(served, `/settlements/${late}`)).body).toMatchObject({ state: "confirmed" });
  expect((await ask(served, `/settlements/${early}`)).status).toBe(404);

  const found: string[] = [];
  for await (const section of recoverLost({ env, since: { block: fromBlock }, log: silentLog })) {
    found.push(...section.lines.map(({ text }) => text));
  }
  expect(found).toContainEqual("1 payment that the database lost");
  await expect
    .poll(async () => (await ask(served, `/settlements/${early}`)).body["state"])
    .toBe("confirmed");
});
