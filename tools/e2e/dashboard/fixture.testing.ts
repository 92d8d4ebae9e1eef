/**
 * The dashboard as sellers meet it: its build, served by a facilitator on a local chain, in a real
 * browser with wallets in it.
 */
import { existsSync, mkdtempSync, renameSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startDevnet } from "@farthing/devnet";
import { readConfig, silentLog, startFacilitator } from "@farthing/facilitator";
import { createAuthority, type TestAuthority } from "@farthing/facilitator/testing/certificates";
import { startMailServer, type TestMailServer } from "@farthing/facilitator/testing/mail-server";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { build } from "vite";
import { startChromium } from "../support/chromium.testing.ts";
import { facilitatorEnvironment, startMarket, type Market } from "../support/market.testing.ts";
import type { WalletGiven } from "../support/mock-wallets.testing.ts";
import { openWalletWindow, type WalletWindow } from "../support/wallet-window.testing.ts";

/** Purchases above these USDC wait for the operator. */
const reviewAbove = "20";

/** A facilitator with its dashboard, and a browser. */
export interface Stage {
  readonly market: Market;
  readonly browser: Browser;
  /** Whose certificates the facilitator believes, for listed endpoints on this machine. */
  readonly authority: TestAuthority;
  /** Through which it sends notices. */
  readonly mail: TestMailServer;
  /** Of the facilitator. */
  readonly url: string;
  /** Of a screen. */
  screen(path?: string): string;
  stop(): Promise<void>;
}

const dashboard = fileURLToPath(new URL("../../../packages/dashboard", import.meta.url));

interface StageOptions {
  /** Serves a second chain as mainnet, so that there is live and test money. */
  readonly hasMainnet?: boolean;
}

/** Starts all of it; on chain 51, with a block every second. */
export async function startStage(options: StageOptions = {}): Promise<Stage> {
  const stack = new AsyncDisposableStack();
  try {
    return await openStage(stack, options);
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

async function openStage(
  stack: AsyncDisposableStack,
  { hasMainnet = false }: StageOptions,
): Promise<Stage> {
  const folder = await buildOnce();
  const market = await startMarket({ ownFacilitator: false });
  stack.defer(() => market.stop());
  const { devnet, databaseUrl } = market;
  const authority = createAuthority();
  const mail = await startMailServer();
  stack.defer(() => mail.stop());
  const mainnet = hasMainnet ? await startDevnet({ chainId: 50 }) : undefined;
  stack.defer(() => mainnet?.stop());
  const config = readConfig({
    env: {
      ...facilitatorEnvironment(devnet, databaseUrl),
      ...(mainnet && {
        FARTHING_RPC_50: mainnet.rpcUrl,
        // Stock sellers look at /supported without a key.
        FARTHING_PUBLIC_NETWORKS: "eip155:50,eip155:51",
      }),
      FARTHING_TREASURY: devnet.treasury.address,
      FARTHING_PURCHASE_REVIEW_ABOVE: reviewAbove,
      // Devnets alone may reach this machine.
      ...(!mainnet && { FARTHING_WEBHOOK_INSECURE: "yes", FARTHING_LISTING_LOCAL: "yes" }),
      ...mail.env,
      FARTHING_OUTBOUND_CA: authority.cert,
      // A person clicks slower than a test; the limits have tests of their own.
      FARTHING_RATE_LIMIT: "0",
    },
  });
  const facilitator = await startFacilitator({ config, log: silentLog, dashboardFolder: folder });
  stack.defer(() => facilitator.stop());
  market.tap.upstream = facilitator.url;
  const browser = await startChromium();
  stack.defer(() => browser.close());
  return {
    market,
    browser,
    authority,
    mail,
    url: facilitator.url,
    screen: (path = "") => `${facilitator.url}/account/facilitator/${path}`,
    stop: () => stack.disposeAsync(),
  };
}

/** The dashboard as it is published, built by the first file of a test run; the run removes it. */
async function buildOnce(): Promise<string> {
  const shared = join(tmpdir(), "dashboard-build");
  if (existsSync(shared)) return shared;
  const own = mkdtempSync(join(tmpdir(), "dashboard-build-"));
  await buildInto(own);
  try {
    renameSync(own, shared);
    return shared;
  } catch (error) {
    // Another file was faster, and may be serving its build by now.
    if (!existsSync(shared)) throw error;
    return own;
  }
}

/** Builds into a folder; a test run says "test" here, which React takes for development. */
async function buildInto(outDir: string): Promise<void> {
  const before = process.env["NODE_ENV"];
  process.env["NODE_ENV"] = "production";
  try {
    await build({ root: dashboard, logLevel: "error", build: { outDir } });
  } finally {
    process.env["NODE_ENV"] = before;
  }
}

/** Opens a window; it is closed with the browser. */
export function openWindow(
  { browser }: Stage,
  wallets: readonly WalletGiven[],
  options: BrowserContextOptions = {},
): Promise<WalletWindow> {
  return openWalletWindow(browser, wallets, options);
}

/** Signs in with the first wallet and waits for the overview. */
export async function signIn({ page, wallets }: WalletWindow, stage: Stage): Promise<void> {
  await page.goto(stage.screen());
  await page.getByRole("button", { name: wallets[0]?.name ?? "" }).click();
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
}
