/**
 * The page for people as people meet it: a seller on a local chain with its facilitator, a real
 * browser, and wallets in it that reach the chain.
 */
import { farthing } from "@farthing/seller/express";
import { createSeller, type RouteOptions, type SellerOptions } from "@farthing/seller";
import { getRequestListener } from "@hono/node-server";
import express from "express";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { startChromium } from "./chromium.testing.ts";
import { listen } from "./listen.testing.ts";
import { price, startMarket, type Market } from "./market.testing.ts";
import { installWallets, type MockWallet, type WalletGiven } from "./mock-wallets.testing.ts";

/** A seller's shelf: what is behind a path, and what its route says. */
export interface Goods extends RouteOptions {
  readonly type: string;
  readonly body: string | Uint8Array<ArrayBuffer>;
}

/** A market with sellers of the same goods and a browser. */
export interface PaywallStage {
  readonly market: Market;
  readonly browser: Browser;
  /** The seller on Express. */
  readonly express: string;
  /** The seller on the core alone. */
  readonly core: string;
  /** The seller on the core once more, one who gives up waiting for a confirmation at once. */
  readonly hasty: string;
  /** The seller on the core once more, who takes the money on either network. */
  readonly either: string;
  /** How often each path was served, all sellers together. */
  readonly served: Map<string, number>;
  stop(): Promise<void>;
}

/** Longest that a step in the page may take: some blocks, on a machine that is busy. */
const stepMs = 15_000;

/** Shorter than a block takes, longer than it takes to send a transaction. */
const hastyMs = 2_000;

/** Starts all of it; on chain 51, with a block every second. */
export async function startPaywallStage(
  goods: Readonly<Record<string, Goods>>,
): Promise<PaywallStage> {
  const stack = new AsyncDisposableStack();
  try {
    const [market, browser] = await Promise.all([startMarket(), startChromium()]);
    stack.defer(() => market.stop());
    stack.defer(() => browser.close());
    const served = new Map<string, number>();
    const count = (path: string) => void served.set(path, (served.get(path) ?? 0) + 1);
    const options: SellerOptions = {
      facilitator: market.facilitator("hosted"),
      payTo: market.devnet.seller.address,
      network: market.network.id,
      price,
      onEvent: () => {},
    };
    const onExpress = await sellOnExpress(options, goods, count);
    stack.defer(() => onExpress.close());
    const onCore = await sellOnCore(options, goods, count);
    stack.defer(() => onCore.close());
    // This face answers with the hash before the transfer is confirmed.
    const hasteful = { ...options, facilitator: market.facilitator("public"), waitMs: hastyMs };
    const onHastyCore = await sellOnCore(hasteful, goods, count);
    stack.defer(() => onHastyCore.close());
    const onEither = await sellOnCore(
      { ...options, network: ["xdc", "xdc-apothem"] },
      goods,
      count,
    );
    stack.defer(() => onEither.close());
    const urls = {
      express: onExpress.url,
      core: onCore.url,
      hasty: onHastyCore.url,
      either: onEither.url,
    };
    return { market, browser, ...urls, served, stop: () => stack.disposeAsync() };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

type Count = (path: string) => void;

function sellOnExpress(
  options: SellerOptions,
  goods: Readonly<Record<string, Goods>>,
  count: Count,
) {
  const charge = farthing(options);
  const app = express();
  for (const [path, { type, body, ...route }] of Object.entries(goods)) {
    app.get(path, charge(route), (_req, res) => {
      count(path);
      res.type(type).send(typeof body === "string" ? body : Buffer.from(body));
    });
  }
  return listen(app);
}

function sellOnCore(options: SellerOptions, goods: Readonly<Record<string, Goods>>, count: Count) {
  const seller = createSeller(options);
  const routes = new Map(
    Object.entries(goods).map(([path, good]) => [path, { good, route: seller.route(good) }]),
  );
  const answer = async (request: Request): Promise<Response> => {
    const path = new URL(request.url).pathname;
    const found = routes.get(path);
    if (!found) return new Response("Not here.", { status: 404 });
    const { type, body } = found.good;
    return found.route.charge(request, () => {
      count(path);
      return new Response(body, { headers: { "Content-Type": type } });
    });
  };
  const listener = getRequestListener(answer);
  return listen((req, res) => void listener(req, res));
}

/** A window with wallets in it. */
export interface PaywallWindow {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly wallets: readonly MockWallet[];
  /** Errors of the page, and all that its content security policy kept from it. */
  readonly complaints: string[];
}

/** Opens a window; it is closed with the browser. Wallets reach the chain unless they say else. */
export async function openPaywallWindow(
  { browser, market }: Pick<PaywallStage, "browser" | "market">,
  wallets: readonly WalletGiven[],
  options: BrowserContextOptions = {},
): Promise<PaywallWindow> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(stepMs);
  const { rpc } = market.devnet;
  const installed = await installWallets(
    context,
    wallets.map((wallet) => ({ rpc: (method, params) => rpc(method, params), ...wallet })),
  );
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    // A 402 is what this is about; the browser reports it here as well.
    const isAnswer = message.text().startsWith("Failed to load resource");
    if (message.type() === "error" && !isAnswer) complaints.push(message.text());
  });
  await context.exposeFunction("__violated", (what: string) => void complaints.push(what));
  await context.addInitScript(() => {
    addEventListener("securitypolicyviolation", (event) => {
      const told: unknown = Reflect.get(globalThis, "__violated");
      const what = `policy: ${event.effectiveDirective} ${event.blockedURI}`;
      if (typeof told === "function") told(what);
    });
  });
  return { context, page, wallets: installed, complaints };
}

/** Chooses a wallet and gets as far as the last look before the signature. */
export async function review({ page, wallets }: PaywallWindow, name = wallets[0]?.name ?? "") {
  await page.getByRole("button", { name }).click();
  await page.getByRole("heading", { name: "Check and sign" }).waitFor();
}

/** Signs what is shown. */
export async function sign({ page }: PaywallWindow): Promise<void> {
  await page.getByRole("button", { name: `Sign and pay ${price}0000 USDC` }).click();
}

/** Waits for the content; gives its text. */
export async function contentOf({ page }: PaywallWindow): Promise<string> {
  await page.getByRole("heading", { name: `Paid ${price}0000 USDC` }).waitFor();
  return (await page.locator(".content pre").textContent()) ?? "";
}

/** How often a wallet was asked for a signature. */
export function signaturesOf(wallet: MockWallet | undefined): number {
  return (wallet?.asked ?? []).filter(({ method }) => method === "eth_signTypedData_v4").length;
}
