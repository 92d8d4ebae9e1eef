/**
 * The page for people as people meet it: a seller on a local chain with its facilitator, a real
 * browser, and wallets in it that reach the chain.
 */
import { farthing } from "@farthing/seller/express";
import { createSeller, type RouteOptions, type SellerOptions } from "@farthing/seller";
import express from "express";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { startChromium } from "../support/chromium.testing.ts";
import { listen, listenAt, listenerOf } from "@farthing/seller/testing/listen";
import { price, startMarket, termsOn, type Market } from "../support/market.testing.ts";
import type { MockWallet, WalletGiven } from "../support/mock-wallets.testing.ts";
import { openWalletWindow, type WalletWindow } from "../support/wallet-window.testing.ts";

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
    const channels = { authorizerKey: market.devnet.seller.privateKey };
    const options = { ...termsOn(market, "hosted"), channels };
    const onExpress = await sellOnExpress(options, goods, count);
    stack.defer(() => onExpress.close());
    // This one demands bound payments, which the page makes like every buyer of ours.
    const onCore = await sellOnCore({ ...options, requireBinding: true }, goods, count);
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
  return listenAt((publicUrl) => {
    const seller = createSeller({ ...options, publicUrl });
    const routes = new Map(
      Object.entries(goods).map(([path, good]) => [path, { good, route: seller.route(good) }]),
    );
    return listenerOf(async (request) => {
      const path = new URL(request.url).pathname;
      const found = routes.get(path);
      if (!found) return new Response("Not here.", { status: 404 });
      const { type, body } = found.good;
      return found.route
        .charge(request, () => {
          count(path);
          return new Response(body, { headers: { "Content-Type": type } });
        })
        .then(({ response }) => response);
    });
  });
}

/**
 * Opens a window; it is closed with the browser. Wallets reach the chain unless they say else; all
 * that the content security policy keeps from the page is a complaint.
 */
export async function openPaywallWindow(
  { browser, market }: Pick<PaywallStage, "browser" | "market">,
  wallets: readonly WalletGiven[],
  options: BrowserContextOptions = {},
): Promise<WalletWindow> {
  const { rpc } = market.devnet;
  const window = await openWalletWindow(
    browser,
    wallets.map((wallet) => ({ rpc: (method, params) => rpc(method, params), ...wallet })),
    options,
  );
  const { context, complaints } = window;
  await context.exposeFunction("__violated", (what: string) => void complaints.push(what));
  await context.addInitScript(() => {
    addEventListener("securitypolicyviolation", (event) => {
      const told: unknown = Reflect.get(globalThis, "__violated");
      const what = `policy: ${event.effectiveDirective} ${event.blockedURI}`;
      if (typeof told === "function") told(what);
    });
  });
  return window;
}

/** Chooses a wallet and gets as far as the last look before the signature. */
export async function review(
  { page, wallets }: WalletWindow,
  name = wallets[0]?.name ?? "",
  title = "Review and sign",
) {
  await page.getByRole("button", { name }).click();
  await page.getByRole("heading", { name: title }).waitFor();
}

/** Signs what is shown. */
export async function sign({ page }: WalletWindow): Promise<void> {
  await page.getByRole("button", { name: `Sign and pay ${price} USDC` }).click();
}

/** Waits for the content; gives its text. */
export async function contentOf({ page }: WalletWindow): Promise<string> {
  await page.getByRole("heading", { name: `Paid ${price} USDC` }).waitFor();
  return (await page.locator(".content pre").textContent()) ?? "";
}

/** How often a wallet was asked for a signature. */
export function signaturesOf(wallet: MockWallet | undefined): number {
  return (wallet?.asked ?? []).filter(({ method }) => method === "eth_signTypedData_v4").length;
}
