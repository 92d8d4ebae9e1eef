/** A facilitator with listings in its market, and a browser, for all tests of the pages. */
import { openStore, readConfig, silentLog, startFacilitator } from "@farthing/facilitator";
import { readGatewayConfig, startGateway } from "@farthing/gateway";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { startChromium } from "../support/chromium.testing.ts";
import { facilitatorEnvironment, startMarket, type Market } from "../support/market.testing.ts";
import { openWalletWindow } from "../support/wallet-window.testing.ts";

export interface PagesFixture {
  readonly market: Market;
  readonly browser: Browser;
  /** Of the facilitator. */
  readonly url: string;
  /** Of a gateway without a rule for `/`. */
  readonly gatewayUrl: string;
  open(options?: BrowserContextOptions): ReturnType<typeof openWalletWindow>;
  stop(): Promise<void>;
}

export async function startPages(): Promise<PagesFixture> {
  const stack = new AsyncDisposableStack();
  try {
    const market = await startMarket({ ownFacilitator: false });
    stack.defer(() => market.stop());
    await fillMarket(market);
    const config = readConfig({
      env: {
        ...facilitatorEnvironment(market.devnet, market.databaseUrl),
        FARTHING_TREASURY: market.devnet.treasury.address,
        FARTHING_RATE_LIMIT: "0",
        FARTHING_DOCS_URL: "https://docs.pay.example/start",
      },
    });
    // Without the tap between, which sends requests as a program does.
    const facilitator = await startFacilitator({ config, log: silentLog });
    stack.defer(() => facilitator.stop());
    const gateway = await startGateway({ config: readGatewayConfig(JSON.stringify(gatewayFile)) });
    stack.defer(() => gateway.stop());
    const browser = await startChromium();
    stack.defer(() => browser.close());
    return {
      market,
      browser,
      url: facilitator.url,
      gatewayUrl: gateway.url,
      open: (options) => openWalletWindow(browser, [], options),
      stop: () => stack.disposeAsync(),
    };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

/** What a stranger may write where a listing has text. */
export const hostile = {
  title: `</title><script>window.taken = 1</script><img src=x onerror="window.taken = 1">`,
  description: `"><svg onload='window.taken = 1'> \u202e reversed ${"long".repeat(100)}`,
  tag: "c++ & <b>",
  city: "Rome'; rm -rf ~ #",
} as const;

/** Its routes are only shown here, so neither facilitator nor upstream is there. */
const gatewayFile = {
  version: 1,
  listen: { http: "127.0.0.1:0" },
  publicUrl: "https://api.example.com",
  facilitator: { url: "http://127.0.0.1:9" },
  payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
  network: "eip155:51",
  store: "memory",
  upstreams: { api: { url: "http://127.0.0.1:9" } },
  discovery: { title: "Weather <reports>", contact: "support@api.example" },
  routes: [
    { match: "GET /reports/:id", upstream: "api", price: "0.01", description: "One report" },
    { match: "POST /batch", upstream: "api", price: "0.2" },
    { match: "POST /bulk", upstream: "api", price: "1234.5" },
    { match: "GET /list", upstream: "api", free: true },
  ],
};

/** By the number of the listing; most need none. */
const samples: Readonly<Record<number, object>> = {
  21: { tool: { name: "forecast" } },
  22: { query: { city: hostile.city }, body: { city: hostile.city } },
};

/** As much as is kept, with half hours that fail and half hours in which nothing ran. */
function historyUntil(now: number) {
  const full = 2 ** 30 - 1;
  const slot = Math.floor(now / 1_800_000);
  const hour = Math.floor(now / 3_600_000);
  return {
    availability: Array.from({ length: 90 * 48 }, (_, index) => ({
      slot: slot - index,
      looked: index % 7 === 0 ? 0b11 : full,
      available: index % 7 === 0 ? 0b01 : full,
    })),
    latency: Array.from({ length: 24 }, (_, index) => ({
      hour: hour - index,
      within: 3,
      settlements: 1_000 + index,
    })),
  };
}

/** Listings as checks have left them; their sellers are not called. */
async function fillMarket({ databaseUrl, devnet, network }: Market): Promise<void> {
  const store = await openStore(databaseUrl);
  await store.addServiceHistory(network.chainId, historyUntil(Date.now()), { slot: 0, hour: 0 });
  const account = devnet.seller.address;
  const hour = 60 * 60_000;
  const checkedAt = Date.UTC(2026, 10, 23, 9, 30);
  try {
    for (let made = 0; made < 23; made++) {
      const isHostile = made === 22;
      const id = `lst_${made}`;
      const terms = {
        resource: `https://api.example/reports/${made}`,
        method: isHostile ? ("POST" as const) : ("GET" as const),
        chainId: network.chainId,
        amount: 1_000n * BigInt(made + 1),
        title: isHostile ? hostile.title : `Weather report ${made}`,
        description: isHostile ? hostile.description : "Rain and wind of the next hours.",
        tags: isHostile ? [hostile.tag] : ["weather", "rain"],
        mimeType: null,
        sample: samples[made] ?? {},
      };
      const listing = { ...terms, id, account, createdAt: checkedAt + made };
      await store.createListing(listing, { listingsMax: 50 });
      // No check is due while the tests run.
      const nextAt = Date.UTC(2100, 0);
      const taken = await store.takeListing(account, id, { now: nextAt, leaseMs: hour });
      if (typeof taken !== "object") throw new Error("The listing was not taken.");
      await store.recordListingCheck(id, taken.fence, {
        check: {
          state: "live",
          reason: null,
          message: "",
          differences: [],
          failures: 0,
          checkedAt,
          triedAt: checkedAt,
          passedAt: checkedAt,
          nextAt,
          days: [{ day: 20_000, passed: 719, failed: 1 }],
        },
        seen: {
          at: checkedAt,
          x402Version: 2,
          accepts: [],
          bazaar: null,
          description: null,
          mimeType: null,
        },
        stats: { settlements: made, units: 0n, payers: made, lastSettledAt: checkedAt },
      });
    }
  } finally {
    await store.close();
  }
}
