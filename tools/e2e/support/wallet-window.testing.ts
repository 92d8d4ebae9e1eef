/** A browser's window with wallets in it, which remembers what its page complains of. */
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { installWallets, type MockWallet, type WalletGiven } from "./mock-wallets.testing.ts";

/** A window with wallets. */
export interface WalletWindow {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly wallets: readonly MockWallet[];
  /** What the page complained of: errors, and what its content security policy kept from it. */
  readonly complaints: string[];
}

/** Longest that a step in a page may take: some blocks, on a machine that is busy. */
const stepMs = 60_000;

/** Opens a window; it is closed with the browser. */
export async function openWalletWindow(
  browser: Browser,
  given: readonly WalletGiven[],
  options: BrowserContextOptions = {},
): Promise<WalletWindow> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(stepMs);
  const wallets = await installWallets(context, given);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    // Answers that are no success are part of the tests; the browser reports them here as well.
    const isAnswer = message.text().startsWith("Failed to load resource");
    if (message.type() === "error" && !isAnswer) complaints.push(message.text());
  });
  return { context, page, wallets, complaints };
}
