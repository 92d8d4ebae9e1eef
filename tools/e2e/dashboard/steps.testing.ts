/** What sellers do on the dashboard, as steps of tests; and what the operator does meanwhile. */
import type { DevnetWallet } from "@farthing/devnet";
import { runFarthing } from "../support/farthing-command.testing.ts";
import type { Market } from "../support/market.testing.ts";
import { changeAccount, type MockWallet } from "../support/mock-wallets.testing.ts";
import type { WalletWindow } from "../support/wallet-window.testing.ts";

/** Runs `farthing` on a market's database, as its operator does; gives what it printed. */
export function operate({ databaseUrl }: Market, args: readonly string[]): Promise<string> {
  return runFarthing(args, { DATABASE_URL: databaseUrl });
}

/** Goes to a screen by the navigation. */
export async function visit({ page }: WalletWindow, name: string): Promise<void> {
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name }).click();
  await page.getByRole("heading", { level: 1, name }).waitFor();
}

/** Creates an API key and gives its text, which is shown once. */
export async function createKey(window: WalletWindow, label: string): Promise<string> {
  const { page } = window;
  await visit(window, "API keys");
  await page.getByRole("button", { name: "Create key" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill(label);
  await dialog.getByRole("button", { name: "Sign and create" }).click();
  await dialog.getByRole("button", { name: "I have saved it" }).waitFor();
  const key = await dialog.locator("[data-secret]").textContent();
  // It would be lost.
  await page.keyboard.press("Escape");
  await dialog.getByRole("button", { name: "I have saved it" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("row", { name: label }).waitFor();
  return key ?? "";
}

/** On the settings: links the account that a wallet is on now, with its owner's consent. */
export async function linkWallet(
  { page }: WalletWindow,
  wallet: MockWallet,
  owner: DevnetWallet,
): Promise<void> {
  await page.getByRole("button", { name: "Link a wallet" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: wallet.name }).click();
  await dialog.getByText("2 of 2.").waitFor();
  await changeAccount(page, wallet, [owner.privateKey]);
  await dialog.getByRole("button", { name: "Sign and link" }).click();
  await dialog.waitFor({ state: "detached" });
}

/** Invites a wallet on the settings screen; `role` is how its choice begins. */
export async function inviteMember(
  { page }: WalletWindow,
  address: string,
  role: string,
): Promise<void> {
  await page.getByRole("button", { name: "Invite a member" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Wallet address").fill(address);
  await dialog.getByLabel(role).check();
  await dialog.getByRole("button", { name: "Sign and invite" }).click();
  await dialog.waitFor({ state: "detached" });
}

/** Begins a purchase of credits and gets as far as its payment. */
export async function beginPurchase(window: WalletWindow, usdc: string): Promise<void> {
  const { page } = window;
  await visit(window, "Credits");
  await page.getByRole("link", { name: "Buy credits" }).first().click();
  await page.getByLabel("Amount in USDC").fill(usdc);
  await page.getByRole("button", { name: "Review the payment" }).click();
  await page.getByRole("button", { name: "Sign and pay" }).waitFor();
}

/** The purchase that is shown. */
export function purchaseId({ page }: WalletWindow): string {
  return /pur_[0-9a-f]+/.exec(page.url())?.[0] ?? "";
}

/** Adds an e-mail address for notices on the settings, where it stays unconfirmed. */
export async function addEmail(window: WalletWindow, address: string): Promise<void> {
  const { page } = window;
  await visit(window, "Settings");
  await page.getByRole("button", { name: "Add an address" }).click();
  await page.getByRole("textbox", { name: "E-mail address" }).fill(address);
  await page.getByRole("button", { name: "Send link" }).click();
  await page.getByText("waits for confirmation").waitFor();
}
