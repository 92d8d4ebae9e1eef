/** `farthing find` and `farthing listings` as they are run, against a facilitator with listings. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDevnet, type Devnet } from "@farthing/devnet";
import {
  openStore,
  readConfig,
  silentLog,
  startFacilitator,
  type Facilitator,
} from "@farthing/facilitator";
import { networkOfChain, toRequirementsV2, type Address } from "@farthing/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { farthing, onTerminal } from "../command/farthing-bin.testing.ts";

const account: Address = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C";
let folder: string;
let devnet: Devnet;
let facilitator: Facilitator;
let databaseUrl: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "farthing-find-"));
  databaseUrl = `sqlite:${join(folder, "farthing.db")}`;
  devnet = await startDevnet({ blockTimeSeconds: 0 });
  await addListing("lst_rain", "Rain radar");
  await addListing("lst_wind", "Wind map");
  const keys = devnet.relayers.map(({ privateKey }) => privateKey).join(",");
  const config = readConfig({
    env: {
      FARTHING_PORT: "0",
      FARTHING_RPC_51: devnet.rpcUrl,
      FARTHING_RELAYER_KEYS: keys,
      DATABASE_URL: databaseUrl,
    },
  });
  facilitator = await startFacilitator({ config, log: silentLog });
});
afterAll(async () => {
  await facilitator?.stop();
  await devnet?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Far from now: nothing here is checked by itself. */
const later = Date.now() + 365 * 24 * 60 * 60_000;

async function addListing(id: string, title: string): Promise<void> {
  const store = await openStore(databaseUrl);
  const network = networkOfChain(51);
  const resource = `https://shop.example/${id}`;
  const about = { title, description: "", tags: ["weather"], mimeType: null, sample: {} };
  const terms = {
    resource,
    method: "GET" as const,
    chainId: 51 as const,
    amount: 10_000n,
    ...about,
  };
  await store.createListing({ ...terms, id, account, createdAt: later }, { listingsMax: 9 });
  const taken = await store.takeListing(account, id, { now: later, leaseMs: 1 });
  if (typeof taken !== "object") throw new Error("not taken");
  const times = { checkedAt: later, triedAt: later, passedAt: later, nextAt: later };
  const requirements = {
    version: 2 as const,
    network,
    networkName: network.id,
    asset: network.usdc,
    amount: 10_000n,
    payTo: account,
    maxTimeoutSeconds: 60,
  };
  const accepts = [{ ...toRequirementsV2(requirements) }];
  const texts = { bazaar: null, description: null, mimeType: null };
  await store.recordListingCheck(id, taken.fence, {
    check: {
      ...times,
      state: "live",
      failures: 0,
      reason: null,
      message: "",
      differences: [],
      days: null,
    },
    seen: { at: later, x402Version: 2, accepts, ...texts },
    stats: { settlements: 7, units: 70_000n, payers: 2, lastSettledAt: null },
  });
  await store.close();
}

const here = () => ({ FARTHING_FACILITATOR_URL: facilitator.url });

test("--json: the best first, as the facilitator says it", async () => {
  const { code, stdout, stderr } = await farthing(["find", "weather", "wind", "--json"], {
    environment: here(),
  });
  expect([code, stderr]).toEqual([0, ""]);
  expect(JSON.parse(stdout)).toMatchObject([
    { resource: "https://shop.example/lst_wind", accepts: [{ amount: "10000", payTo: account }] },
    { resource: "https://shop.example/lst_rain" },
  ]);
});

test("on a terminal: a table with price and calls", async () => {
  const args = ["find", "rain", "--facilitator", `${facilitator.url}/api/facilitator/`];
  const { code, stdout } = await farthing(args, onTerminal);
  expect(code).toBe(0);
  const [head, row, ...rest] = stdout.trimEnd().split("\n");
  expect(head).toMatch(/^Title +USDC +Method +URL +Calls \(30 days\)$/);
  expect(row).toMatch(/^Rain radar +0\.01 +GET +https:\/\/shop\.example\/lst_rain +7$/);
  expect(rest).toEqual([]);
});

test("nothing found is no failure; filters and limit are passed on", async () => {
  const environment = here();
  const none = await farthing(["find", "snow", "--json"], { environment });
  expect([none.code, JSON.parse(none.stdout)]).toEqual([0, []]);
  const filtered = await farthing(
    ["find", "weather", "-n", "1", "--network", "xdc-apothem", "--json"],
    {
      environment,
    },
  );
  expect(JSON.parse(filtered.stdout)).toHaveLength(1);
  const elsewhere = await farthing(["find", "weather", "--pay-to", devnet.token, "--json"], {
    environment,
  });
  expect(JSON.parse(elsewhere.stdout)).toEqual([]);
});

test("what cannot be asked is said, with its exit code", async () => {
  const unnamed = await farthing(["find", "weather"]);
  expect([unnamed.code, unnamed.stdout]).toEqual([3, ""]);
  expect(unnamed.stderr).toMatch(/--facilitator/);
  const down = await farthing(["find", "x", "--facilitator", "http://127.0.0.1:1"]);
  expect([down.code, down.stdout]).toEqual([4, ""]);
  const refused = await farthing(["find", "x", "--pay-to", "me"], { environment: here() });
  expect([refused.code, refused.stdout]).toEqual([1, ""]);
  expect(refused.stderr).toMatch(/payTo/);
  expect((await farthing(["find"])).code).toBe(2);
});

test("listings: the operator sees and blocks them", async () => {
  const environment = { DATABASE_URL: databaseUrl };
  const listed = await farthing(["listings", "list", account, "--json"], { environment });
  expect(JSON.parse(listed.stdout)).toMatchObject([
    { id: "lst_rain", state: "live", usdc: "0.010000" },
    { id: "lst_wind" },
  ]);
  expect(await farthing(["listings", "block", "lst_rain"], { environment })).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("is blocked"),
  });
  const { stdout } = await farthing(["find", "rain", "--json"], { environment: here() });
  expect(JSON.parse(stdout)).toEqual([]);
  expect((await farthing(["listings", "block", "lst_rain"], { environment })).code).toBe(9);
  expect((await farthing(["listings", "unblock", "lst_rain"], { environment })).code).toBe(0);
  expect((await farthing(["listings", "unblock", "lst_none"], { environment })).code).toBe(9);
});
