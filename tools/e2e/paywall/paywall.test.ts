/** People pay on the page: once, whatever happens on the way. */
import { readReceipt } from "@farthing/protocol";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { describeInBrowser } from "../support/chromium.testing.ts";
import type { WalletGiven } from "../support/mock-wallets.testing.ts";
import {
  contentOf,
  openPaywallWindow,
  review,
  sign,
  signaturesOf,
  startPaywallStage,
  type PaywallStage,
} from "./fixture.testing.ts";
import type { WalletWindow } from "../support/wallet-window.testing.ts";

const report = '{"report":1}';

describeInBrowser("paying on the page for people", () => {
  let stage: PaywallStage;
  beforeAll(async () => {
    const goods = { type: "application/json", body: report, description: "One report" };
    const pass = { uses: 3, validFor: "30d", scope: "issues" };
    const issue = (number: number) => ({ ...goods, body: `{"issue":${number}}`, pass });
    stage = await startPaywallStage({
      "/report": goods,
      "/issues/1": issue(1),
      "/issues/2": issue(2),
    });
  });
  afterEach(async () => {
    stage.market.tap.loses = () => false;
    await stage.market.devnet.rpc("evm_setIntervalMining", [1]);
  });
  afterAll(() => stage?.stop());

  /** A buyer of his own, with one wallet. */
  const newcomer = (given: Partial<WalletGiven> = {}) => {
    const buyer = stage.market.newBuyer();
    const wallet: WalletGiven = { name: "Alpha", keys: [buyer.privateKey], ...given };
    const paid = () => stage.market.transfers(buyer.address);
    return { buyer, wallet, paid };
  };

  /** The same in a window of his own, as well as how often he has signed and paid. */
  const openNewcomer = async () => {
    const { wallet, ...one } = newcomer();
    const window = await openPaywallWindow(stage, [wallet]);
    const signedAndPaid = async () => [signaturesOf(window.wallets[0]), (await one.paid()).length];
    return { ...one, window, page: window.page, signedAndPaid };
  };

  test.each(["express", "core"] as const)("the content comes with its receipt, %s", async (on) => {
    const { buyer, window, page, paid } = await openNewcomer();
    const answer = await page.goto(`${stage[on]}/report?city=Paris`);
    expect(answer?.status()).toBe(402);
    await review(window);
    const said = page.locator("#flow");
    for (const fact of [
      "pays 0.01 USDC",
      "is valid for 2 minutes",
      "no network fee",
      new URL(stage[on]).host,
      "Apothem test network",
      "1000 USDC",
    ]) {
      expect(await said.textContent()).toContain(fact);
    }
    const answered = page.waitForResponse((one) => one.status() === 200);
    await sign(window);
    expect(JSON.parse(await contentOf(window))).toEqual(JSON.parse(report));
    const receipt = readReceipt(new Headers(await (await answered).allHeaders()));
    const [transfer, ...more] = await paid();
    expect(more).toEqual([]);
    expect(receipt).toMatchObject({ success: true, transaction: transfer?.transaction });
    // No explorer knows the transactions of a local chain.
    expect(await page.locator(".receipt").textContent()).toContain(transfer?.transaction);
    expect(await page.getByRole("link", { name: "on the explorer" }).count()).toBe(0);
    await page.locator(".receipt .address summary").last().click();
    expect(await page.locator(".receipt").textContent()).toContain(buyer.address);
    expect(window.complaints).toEqual([]);
    await window.context.close();
  });

  test("of two wallets, the chosen one pays", async () => {
    const [one, other] = [newcomer(), newcomer({ name: "Beta" })];
    const window = await openPaywallWindow(stage, [one.wallet, other.wallet]);
    await window.page.goto(`${stage.express}/report`);
    await review(window, "Beta");
    await sign(window);
    await contentOf(window);
    expect([await one.paid(), await other.paid()]).toMatchObject([[], [{}]]);
    await window.context.close();
  });

  test("a wallet that does not announce itself is found at window.ethereum", async () => {
    const { wallet, paid } = newcomer({ isOld: true });
    const window = await openPaywallWindow(stage, [wallet]);
    await window.page.goto(`${stage.express}/report`);
    await review(window, "Browser wallet");
    await sign(window);
    await contentOf(window);
    expect(await paid()).toHaveLength(1);
    await window.context.close();
  });

  test("a reload after the signature goes on with it, and pays once", async () => {
    const { window, page, signedAndPaid } = await openNewcomer();
    const { tap } = stage.market;
    const served = () => stage.served.get("/report") ?? 0;
    const servedBefore = served();
    // The facilitator settles, and the seller does not learn of it.
    tap.loses = ({ name }) => name === "POST /settle";
    await page.goto(`${stage.express}/report`);
    await review(window);
    await signInVain(window);
    await page.getByRole("heading", { name: "Your payment is not finished" }).waitFor();
    expect(await page.getByRole("button", { name: "Alpha" }).count()).toBe(0);
    tap.loses = () => false;
    await page.getByRole("button", { name: "Try again with the same signature" }).click();
    await contentOf(window);
    expect(await signedAndPaid()).toEqual([1, 1]);
    // And once more: what is paid for is shown again without asking the wallet.
    await page.reload();
    await page.getByRole("heading", { name: "You have already paid for this page" }).waitFor();
    await page.setViewportSize({ width: 360, height: 740 });
    // The whole hash is seen.
    expect(await page.locator("main").evaluate(widthCutOff)).toBe(0);
    await page.getByRole("button", { name: "Show content again" }).click();
    await contentOf(window);
    expect(served() - servedBefore).toBe(1);
    expect(await signedAndPaid()).toEqual([1, 1]);
    await window.context.close();
  });

  test("a pass opens other paths and later visits of its origin until it is used up", async () => {
    const { window, page, signedAndPaid } = await openNewcomer();
    await page.goto(`${stage.express}/issues/1`);
    await page.getByText("3 visits within 30 days").waitFor();
    await review(window);
    await sign(window);
    expect(JSON.parse(await contentOf(window))).toEqual({ issue: 1 });
    await page.getByText("Uses left in this browser: 2,").waitFor();
    const other = await window.context.newPage();
    const hasOpened = async (tab: typeof page, usesLeft: number) => {
      await tab.getByText(`Uses left in this browser: ${usesLeft},`).waitFor();
      return JSON.parse((await tab.locator(".content pre").textContent()) ?? "");
    };
    await other.goto(`${stage.express}/issues/2`);
    expect(await hasOpened(other, 1)).toEqual({ issue: 2 });
    // The terms of a payment step back, because nothing is paid.
    expect(await other.getByText("Network fee").isVisible()).toBe(false);
    // What sells no pass asks for its own payment, and the pass is kept.
    await other.goto(`${stage.express}/report`);
    await other.getByRole("heading", { name: "Choose your wallet" }).waitFor();
    await page.reload();
    expect(await hasOpened(page, 0)).toEqual({ issue: 1 });
    await other.goto(`${stage.express}/issues/2`);
    await other.getByRole("heading", { name: "Choose your wallet" }).waitFor();
    expect(await other.evaluate(() => localStorage.getItem("farthing.passes"))).toBe("[]");
    expect(await signedAndPaid()).toEqual([1, 1]);
    expect(window.complaints).toEqual([]);
    await window.context.close();
  });

  test("while the transfer waits for its block, the page says so and waits too", async () => {
    const { window, page, paid, signedAndPaid } = await openNewcomer();
    await page.goto(`${stage.hasty}/report`);
    await review(window);
    await stage.market.devnet.rpc("evm_setIntervalMining", [0]);
    await sign(window);
    const stages = page.locator(".stages li");
    await stages.nth(2).and(page.locator(".current")).waitFor();
    await page.getByText(/Transaction: 0x[0-9a-f]{64}/).waitFor();
    expect(await page.locator("#live").textContent()).toContain("Confirmed on chain: in progress");
    expect(await paid()).toEqual([]);
    await stage.market.devnet.rpc("evm_setIntervalMining", [1]);
    await contentOf(window);
    expect(await signedAndPaid()).toEqual([1, 1]);
    await window.context.close();
  });

  test("what the seller refuses can be sent again, and is not signed again", async () => {
    const { buyer, window, page, signedAndPaid } = await openNewcomer();
    const { usdc } = stage.market.devnet;
    await page.goto(`${stage.express}/report`);
    await review(window);
    await usdc.setBalance(buyer.address, 0n);
    await sign(window);
    await page.getByRole("heading", { name: "Payment not accepted" }).waitFor();
    await page.getByText("no new one is made before then").waitFor();
    await usdc.setBalance(buyer.address, 10_000n);
    await page.getByRole("button", { name: "Try again with the same signature" }).click();
    await contentOf(window);
    expect(await signedAndPaid()).toEqual([1, 1]);
    await window.context.close();
  });

  test("a signature that was used unanswered is shown as paid, by the chain's word", async () => {
    const { window, page, paid, signedAndPaid } = await openNewcomer();
    const { tap } = stage.market;
    await page.clock.install();
    await page.goto(`${stage.express}/report`);
    await review(window);
    tap.loses = ({ name }) => name === "POST /settle";
    await signInVain(window);
    await page.clock.fastForward(121_000);
    await askChain(window);
    await page
      .getByRole("heading", { name: "Paid, but the content is not available yet" })
      .waitFor();
    const [transfer] = await paid();
    await page.getByText(`Transaction: ${transfer?.transaction}`).waitFor();
    tap.loses = () => false;
    await page.getByRole("button", { name: "Request content again" }).click();
    await contentOf(window);
    expect(await signedAndPaid()).toEqual([1, 1]);
    await window.context.close();
  });

  // The last one: it moves the chain's time ahead.
  test("a second signature is offered only when the chain proves that the first is unused", async () => {
    const { window, page, signedAndPaid } = await openNewcomer();
    const { tap, devnet } = stage.market;
    // The facilitator never hears of it.
    const { upstream } = tap;
    tap.upstream = "http://127.0.0.1:9";
    await page.clock.install();
    await page.goto(`${stage.express}/report`);
    await review(window);
    await signInVain(window);
    await page.getByText("no new one is made before then").waitFor();
    expect(await page.getByRole("button", { name: "Check the blockchain" }).count()).toBe(0);
    await page.clock.fastForward(121_000);
    await askChain(window);
    await page.getByRole("heading", { name: "Not final yet" }).waitFor();
    await devnet.setNextBlockTimestamp(Math.floor(Date.now() / 1000) + 125);
    // Final is two blocks behind the newest.
    await devnet.mine(4);
    await askChain(window);
    await page.getByRole("heading", { name: "You have not been charged" }).waitFor();
    expect(await signedAndPaid()).toEqual([1, 0]);
    tap.upstream = upstream;
    await page.getByRole("button", { name: "Start again" }).click();
    await review(window);
    await sign(window);
    await contentOf(window);
    expect(await signedAndPaid()).toEqual([2, 1]);
    await window.context.close();
  });
});

/** How much of an element's content is out of sight at its side. */
const widthCutOff = ({ scrollWidth, clientWidth }: Element) => scrollWidth - clientWidth;

/** Signs a payment that the seller cannot settle, and comes back later. */
async function signInVain(window: WalletWindow): Promise<void> {
  const refused = window.page.waitForResponse((one) => one.status() === 503);
  await sign(window);
  await refused;
  await window.page.reload();
}

async function askChain({ page }: WalletWindow): Promise<void> {
  await page.getByRole("button", { name: "Check the blockchain" }).click();
  await page.getByRole("button", { name: "Alpha" }).click();
}
