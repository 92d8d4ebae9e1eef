/**
 * Signing in to the dashboard, and what wallets do instead: say no, be busy, be on another chain or
 * account, be several, be old, be missing.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeInBrowser } from "../support/chromium.testing.ts";
import { openWindow, signIn, startStage, type Stage } from "./fixture.testing.ts";
import { changeAccount } from "../support/mock-wallets.testing.ts";

describeInBrowser("signing in to the dashboard", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startStage();
  });
  afterAll(() => stage?.stop());

  const sellerKey = () => stage.market.devnet.seller.privateKey;
  const otherKey = () => stage.market.devnet.treasury.privateKey;
  const sellerAddress = () => stage.market.devnet.seller.address;

  test("the wallet signs the service's text, a reload stays signed in, signing out ends it", async () => {
    const window = await openWindow(stage, [{ name: "Alpha", keys: [sellerKey()] }]);
    const { page, wallets, complaints, context } = window;
    const [alpha] = wallets;
    if (!alpha) throw new Error("There is no wallet.");
    alpha.mood = "sign";
    // The browser's console shows each of these as an error.
    const refused: string[] = [];
    page.on("response", (response) => {
      if (response.status() >= 400) refused.push(response.url());
    });
    await signIn(window, stage);
    const signed = alpha.asked.find(({ method }) => method === "personal_sign");
    const text = Buffer.from(String(signed?.params[0]).slice(2), "hex").toString();
    expect(text).toContain(`${new URL(stage.url).host} wants you to sign in`);
    expect(text).toContain(sellerAddress());
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    const cookies = await context.cookies();
    expect(cookies.find(({ name }) => name === "__Host-farthing")).toMatchObject({
      httpOnly: true,
      secure: true,
      sameSite: "Lax",
    });
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in with your wallet" }).waitFor();
    expect((await context.cookies()).some(({ name }) => name === "__Host-farthing")).toBe(false);
    expect({ refused, complaints }).toEqual({ refused: [], complaints: [] });
  });

  test("a rejection, then another try", async () => {
    const { page, wallets } = await openWindow(stage, [{ name: "Alpha", keys: [sellerKey()] }]);
    const [alpha] = wallets;
    if (!alpha) throw new Error("There is no wallet.");
    alpha.mood = "reject";
    await page.goto(stage.screen());
    await page.getByRole("button", { name: "Alpha" }).click();
    await page.getByText("Request rejected in your wallet").waitFor();
    alpha.mood = "sign";
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
  });

  test("a wallet that still shows an earlier request", async () => {
    const { page, wallets } = await openWindow(stage, [{ name: "Alpha", keys: [sellerKey()] }]);
    const [alpha] = wallets;
    if (!alpha) throw new Error("There is no wallet.");
    alpha.mood = "busy";
    await page.goto(stage.screen());
    await page.getByRole("button", { name: "Alpha" }).click();
    await page.getByText("Continue in your wallet").waitFor();
  });

  test("a wallet that never answers can be left", async () => {
    const { page, wallets } = await openWindow(stage, [
      { name: "Alpha", keys: [sellerKey()] },
      { name: "Beta", keys: [otherKey()] },
    ]);
    const [alpha] = wallets;
    if (!alpha) throw new Error("There is no wallet.");
    alpha.mood = "hang";
    await page.goto(stage.screen());
    await page.getByRole("button", { name: "Alpha" }).click();
    await page.getByRole("button", { name: "Stop waiting" }).click();
    await page.getByRole("button", { name: "Beta" }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
  });

  test("a wallet on another chain is taught ours and switched", async () => {
    const window = await openWindow(stage, [
      { name: "Alpha", keys: [sellerKey()], chainId: 1, known: [1] },
    ]);
    await signIn(window, stage);
    const [alpha] = window.wallets;
    expect(alpha?.chainId).toBe(51);
    const added = alpha?.asked.find(({ method }) => method === "wallet_addEthereumChain");
    expect(added?.params[0]).toMatchObject({
      chainId: "0x33",
      nativeCurrency: { symbol: "TXDC", decimals: 18 },
    });
  });

  test("an account that changes half-way drops the sign-in and says so", async () => {
    const { page, wallets } = await openWindow(stage, [{ name: "Alpha", keys: [sellerKey()] }]);
    const [alpha] = wallets;
    if (!alpha) throw new Error("There is no wallet.");
    await page.goto(stage.screen());
    await page.getByRole("button", { name: "Alpha" }).waitFor();
    // The account is shown, then the wallet keeps its person waiting for the signature.
    await page.route("**/v1/account/sign-in", async (route) => {
      alpha.mood = "hang";
      await route.continue();
    });
    await page.getByRole("button", { name: "Alpha" }).click();
    await page.getByText("Sign with Alpha").waitFor();
    await changeAccount(page, alpha, [otherKey()]);
    await page.getByText("The account in your wallet changed").waitFor();
    expect(await page.getByText("Sign with Alpha").count()).toBe(0);
  });

  test("an account that changes later keeps the session, and is pointed out", async () => {
    const window = await openWindow(stage, [{ name: "Alpha", keys: [sellerKey()] }]);
    const { page, wallets } = window;
    await signIn(window, stage);
    const [alpha] = wallets;
    if (!alpha) throw new Error("There is no wallet.");
    await changeAccount(page, alpha, [otherKey()]);
    await page.getByText("Alpha is using a different account").waitFor();
    await page.getByRole("link", { name: "API keys" }).click();
    await page.getByRole("button", { name: "Create key" }).first().click();
    await page.getByLabel("Name").fill("Wrong");
    await page.getByRole("button", { name: "Sign and create" }).click();
    await page.getByText("Your wallet is using a different account").waitFor();
    expect(alpha.asked.some(({ method }) => method === "eth_signTypedData_v4")).toBe(false);
    // Back on the right one it goes on.
    await changeAccount(page, alpha, [sellerKey()]);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("button", { name: "I have saved it" }).click();
  });

  test("of two wallets the chosen one signs", async () => {
    const { page, wallets } = await openWindow(stage, [
      { name: "Alpha", keys: [otherKey()] },
      { name: "Beta", keys: [sellerKey()] },
    ]);
    await page.goto(stage.screen());
    await page.getByRole("button", { name: "Beta" }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    const [alpha] = wallets;
    expect(alpha?.asked).toEqual([]);
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByText(sellerAddress()).first().waitFor();
  });

  test("a wallet that only puts itself at window.ethereum", async () => {
    const { page } = await openWindow(stage, [{ name: "Old", keys: [sellerKey()], isOld: true }]);
    await page.goto(stage.screen());
    await page.getByRole("button", { name: "Browser wallet" }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
  });

  test("no wallet: help instead of an empty list", async () => {
    const { page } = await openWindow(stage, []);
    await page.goto(stage.screen());
    await page.getByText("No wallet found in this browser").waitFor();
    await page.getByRole("link", { name: "MetaMask" }).waitFor();
  });
});
