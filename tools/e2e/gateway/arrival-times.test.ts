/** How slowly a request may arrive (S14), as the servers that take requests were told. */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { mkdtempSync, rmSync } from "node:fs";
import type { Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDevnet, type Devnet } from "@farthing/devnet";
import { readConfig, silentLog, startFacilitator } from "@farthing/facilitator";
import { readGatewayConfig, startGateway } from "@farthing/gateway";
import { afterAll, beforeAll, expect, test } from "vitest";
import { facilitatorEnvironment } from "../support/market.testing.ts";

let devnet: Devnet;
beforeAll(async () => {
  devnet = await startDevnet({ relayers: 1, blockTimeSeconds: 0 });
});
afterAll(() => devnet?.stop());

/** Milliseconds: until the headers are there, until all is, and between two looks at both. */
type Times = readonly [headers: number, request: number, check: number];

/** The times of the server behind an address, which takes one request. */
async function timesOf(url: string | undefined): Promise<Times | undefined> {
  let times: Times | undefined;
  const path = `/which-server-${crypto.randomUUID()}`;
  const note = (taken: unknown) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as Node documents the channel
    const { server, request } = taken as TakenRequest;
    const { headersTimeout, requestTimeout, connectionsCheckingInterval } = server;
    if (request.url !== path) return;
    times = [headersTimeout, requestTimeout, connectionsCheckingInterval];
  };
  subscribe("http.server.request.start", note);
  await (await fetch(`${url}${path}`)).text();
  unsubscribe("http.server.request.start", note);
  return times;
}

/** What Node says of a request that a server of this process takes. */
interface TakenRequest {
  readonly request: { readonly url?: string };
  // Node keeps the interval there, and its types do not say so.
  readonly server: Server & { readonly connectionsCheckingInterval: number };
}

test("a facilitator waits 10 s for headers and 15 s for a request, and looks every 5 s", async () => {
  const folder = mkdtempSync(join(tmpdir(), "farthing-arrival-"));
  const usual = facilitatorEnvironment(devnet, `sqlite:${join(folder, "farthing.db")}`);
  const settings = { ...usual, FARTHING_METRICS_PORT: "0" };
  const config = readConfig({ env: settings });
  const facilitator = await startFacilitator({ config, selfBuilt: true, log: silentLog });
  expect(await timesOf(facilitator.url)).toEqual([10_000, 15_000, 5_000]);
  expect(await timesOf(facilitator.metricsUrl)).toEqual([10_000, 15_000, 5_000]);
  await facilitator.stop();
  rmSync(folder, { recursive: true });
});

test("a gateway waits 10 s for headers and five minutes for an upload, and looks every 5 s", async () => {
  const file = {
    version: 1,
    publicUrl: "https://api.example.com",
    listen: { http: "127.0.0.1:0", metrics: "127.0.0.1:0" },
    facilitator: { url: "http://127.0.0.1:9" },
    payTo: devnet.seller.address,
    upstreams: { api: { url: "http://127.0.0.1:9" } },
    routes: [{ match: "GET /report", upstream: "api", price: "0.01" }],
  };
  const gateway = await startGateway({ config: readGatewayConfig(JSON.stringify(file)) });
  expect(await timesOf(gateway.url)).toEqual([10_000, 300_000, 5_000]);
  expect(await timesOf(gateway.metricsUrl)).toEqual([10_000, 15_000, 5_000]);
  await gateway.stop();
});
