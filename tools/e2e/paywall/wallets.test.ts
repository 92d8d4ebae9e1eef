/** What can go wrong before anything is paid: each has words and a next step, and nothing is sent. */
import { apothem } from "@farthing/protocol";
import jsqr from "jsqr";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectFit } from "../support/axe.testing.ts";
import { describeInBrowser } from "../support/chromium.testing.ts";
import { changeAccount, type WalletGiven } from "../support/mock-wallets.testing.ts";
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

describeInBrowser("wallets on the page for people", () => {
  let stage: PaywallStage;
  beforeAll(async () => {
    stage = await startPaywallStage({ "/report": { type: "text/plain", body: "one report" } });
  });
  afterAll(() => stage?.stop());

  const arrive = async (wallets: readonly WalletGiven[]): Promise<WalletWindow> => {
    const window = await openPaywallWindow(stage, wallets);
    await window.page.goto(`${stage.core}/report`);
    return window;
  };

  const shop = "https://shop.example";

  /** The page as a phone could reach it: phones do not reach a page of this machine. */
  const serveAtShop = async (page: Page) => {
    await page.route(`${shop}/**`, async (route) => {
      const response = await route.fetch({ url: `${stage.core}/report` });
      await route.fulfill({ response });
    });
    await page.goto(`${shop}/report?a=1`);
  };

  /** Nothing left the page that could be paid. */
  const expectNothingSent = async ({ complaints, context }: WalletWindow) => {
    expect(stage.market.tap.calls).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  };

  test("without a wallet, it says what to do, also for programs", async () => {
    const window = await arrive([]);
    await window.page.getByText("No wallet found in this browser.").waitFor();
    await window.page.getByText("Pay from a program").click();
    const command = window.page.getByText(`npx farthing pay ${stage.core}/report`);
    expect(await command.isVisible()).toBe(true);
    await expectNothingSent(window);
  });

  test("amount, address and command are copied, by the keyboard too", async () => {
    const window = await arrive([]);
    const { page, context } = window;
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByText("Pay from a program").click();
    for (const [what, expected] of [
      ["amount", "0.01"],
      ["address", stage.market.devnet.seller.address],
      ["command", `npx farthing pay ${stage.core}/report`],
    ] as const) {
      await page.getByRole("button", { name: `Copy ${what}` }).focus();
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: "Copied" }).waitFor();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(expected);
      // The button is called by its name again before the next one is pressed.
      await page.getByRole("button", { name: `Copy ${what}` }).waitFor();
    }
    await expectNothingSent(window);
  });

  test("without a wallet, there are links to one and to USDC, and a code for a phone", async () => {
    const window = await openPaywallWindow(stage, []);
    const { page } = window;
    await serveAtShop(page);
    await page.getByRole("link", { name: "MetaMask" }).waitFor();
    await page.getByText("How to get USDC on Apothem test network").click();
    const faucet = page.getByRole("link", { name: "Circle's faucet" });
    expect(await faucet.getAttribute("href")).toBe("https://faucet.circle.com");
    await page.locator(".guide").getByText(shortOf(apothem.usdc)).waitFor();
    await page.getByText("Pay with your phone").click();
    const code = page.getByRole("img", { name: "QR code with the address of this page" });
    expect(await scan(page, await code.screenshot())).toBe(`${shop}/report?a=1`);
    await expectFit(page, "guides");
    await expectNothingSent(window);
  });

  test("on a phone, a link opens the page in a wallet's browser", async () => {
    const window = await openPaywallWindow(stage, [], { isMobile: true, hasTouch: true });
    const { page } = window;
    await serveAtShop(page);
    const link = page.getByRole("link", { name: "Open this page in MetaMask" });
    expect(await link.getAttribute("href")).toBe(
      "https://link.metamask.io/dapp/shop.example/report?a=1",
    );
    await expectNothingSent(window);
  });

  test("a browser that prefers Spanish gets the page in Spanish, also when the wallet refuses", async () => {
    const wallet = { name: "Alpha", keys: [stage.market.newBuyer().privateKey] };
    const window = await openPaywallWindow(stage, [wallet], { locale: "es-ES" });
    const { page, wallets } = window;
    await page.goto(`${stage.core}/report`);
    await page.getByRole("term").getByText("Comisión de red").waitFor();
    await review(window, "Alpha", "Revisa y firma");
    await page.getByText("Esta firma paga 0,01 USDC a").waitFor();
    await expectFit(page, "review in Spanish");
    if (wallets[0]) wallets[0].mood = "reject";
    await page.getByRole("button", { name: "Firmar y pagar 0,01 USDC" }).click();
    await page.getByRole("heading", { name: "Petición rechazada en tu monedero" }).waitFor();
    await expectNothingSent(window);
  });

  test("a click is not lost while wallets announce themselves again", async () => {
    const window = await arrive([{ name: "Alpha", keys: [stage.market.newBuyer().privateKey] }]);
    const { page } = window;
    await page.getByRole("button", { name: "Alpha" }).hover();
    await page.mouse.down();
    await page.evaluate(() => dispatchEvent(new Event("eip6963:requestProvider")));
    await page.mouse.up();
    await page.getByRole("heading", { name: "Review and sign" }).waitFor();
    await expectNothingSent(window);
  });

  test.each([
    ["reject", "Request rejected in your wallet"],
    ["busy", "Continue in your wallet"],
  ] as const)("a wallet that answers with %s can be asked again", async (mood, title) => {
    const window = await arrive([{ name: "Alpha", keys: [stage.market.newBuyer().privateKey] }]);
    const { page, wallets } = window;
    const [wallet] = wallets;
    if (!wallet) throw new Error("There is no wallet.");
    wallet.mood = mood;
    await page.getByRole("button", { name: "Alpha" }).click();
    await page.getByRole("heading", { name: title }).waitFor();
    wallet.mood = "sign";
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { name: "Review and sign" }).waitFor();
    wallet.mood = mood;
    await sign(window);
    await page.getByRole("heading", { name: title }).waitFor();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { name: title }).waitFor();
    await expectNothingSent(window);
  });

  test("a wallet on another network is moved, and taught the network if need be", async () => {
    const { privateKey } = stage.market.newBuyer();
    const window = await arrive([{ name: "Alpha", keys: [privateKey], chainId: 1, known: [1] }]);
    const { wallets } = window;
    await review(window);
    const added = wallets[0]?.asked.find(({ method }) => method === "wallet_addEthereumChain");
    expect(added?.params).toMatchObject([
      { chainId: "0x33", chainName: apothem.name, blockExplorerUrls: [apothem.explorerUrl] },
    ]);
    expect(wallets[0]?.chainId).toBe(51);
    await expectNothingSent(window);
  });

  test("a wallet that stays on another network is told which one it has to be", async () => {
    const { privateKey } = stage.market.newBuyer();
    const window = await arrive([{ name: "Alpha", keys: [privateKey], chainId: 1 }]);
    const { page, wallets } = window;
    const [wallet] = wallets;
    if (!wallet) throw new Error("There is no wallet.");
    wallet.refuses.push("wallet_switchEthereumChain");
    await page.getByRole("button", { name: "Alpha" }).click();
    await page.getByRole("heading", { name: "Your wallet is on a different network" }).waitFor();
    await page.getByText("Select Apothem Network (chain 51) in the wallet").waitFor();
    await expectNothingSent(window);
  });

  test.each([
    [50, "XDC"],
    [51, "Apothem test network"],
  ])("of two networks, the one that the wallet is on is paid on: %i", async (chainId, network) => {
    const { privateKey } = stage.market.newBuyer();
    const wallet = { name: "Alpha", keys: [privateKey], chainId };
    const window = await openPaywallWindow(stage, [wallet]);
    await window.page.goto(`${stage.either}/report`);
    await window.page.getByText("XDC or Apothem test network").waitFor();
    await review(window);
    await window.page.locator("#flow").getByText(network).waitFor();
    await expectNothingSent(window);
  });

  test("a clock that is wrong is pointed out before the signature", async () => {
    const { privateKey } = stage.market.newBuyer();
    const window = await openPaywallWindow(stage, [{ name: "Alpha", keys: [privateKey] }]);
    await window.page.clock.install({ time: Date.now() - 90_000 });
    await window.page.goto(`${stage.core}/report`);
    await review(window);
    await window.page.getByText(/Your clock is \d\d seconds behind the seller's/).waitFor();
    await expectNothingSent(window);
  });

  test("too little USDC: what there is and what is needed", async () => {
    const { privateKey, address } = stage.market.newBuyer();
    const { usdc } = stage.market.devnet;
    await usdc.setBalance(address, 9_999n);
    const window = await arrive([{ name: "Alpha", keys: [privateKey] }]);
    const { page } = window;
    await page.getByRole("button", { name: "Alpha" }).click();
    await page.getByText("The balance is 0.009999 USDC, the price 0.01 USDC").waitFor();
    // To be copied, and whole on a phone.
    await page.setViewportSize({ width: 360, height: 740 });
    await page.locator("#flow .address summary").first().click();
    await page.getByText(address).waitFor();
    await page.locator("#flow").getByRole("button", { name: "Copy address" }).first().waitFor();
    await expectFit(page, "too little USDC");
    await usdc.setBalance(address, 10_000n);
    await page.getByRole("button", { name: "Check again" }).click();
    await page.getByRole("heading", { name: "Review and sign" }).waitFor();
    await expectNothingSent(window);
  });

  test("an account that changes is asked about again, before and while it signs", async () => {
    const [one, other] = [stage.market.newBuyer(), stage.market.newBuyer()];
    const window = await arrive([{ name: "Alpha", keys: [one.privateKey] }]);
    const { page, wallets } = window;
    const [wallet] = wallets;
    if (!wallet) throw new Error("There is no wallet.");
    await review(window);
    await changeAccount(page, wallet, [other.privateKey]);
    await page.getByRole("heading", { name: "The account in your wallet changed" }).waitFor();
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText(shortOf(other.address)).first().waitFor();
    wallet.mood = "hang";
    await sign(window);
    await page.getByRole("heading", { name: "Confirm in your wallet" }).waitFor();
    await changeAccount(page, wallet, [one.privateKey]);
    await page.getByText("Nothing was sent").waitFor();
    wallet.mood = "sign";
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("heading", { name: "Review and sign" }).waitFor();
    expect(signaturesOf(wallet)).toBe(1);
    await expectNothingSent(window);
  });

  test("the seconds of the signature run while the wallet is open, in the language that was chosen", async () => {
    const window = await arrive([{ name: "Alpha", keys: [stage.market.newBuyer().privateKey] }]);
    const { page, wallets } = window;
    const [wallet] = wallets;
    if (!wallet) throw new Error("There is no wallet.");
    await page.getByRole("button", { name: "Español" }).click();
    await page.getByRole("heading", { name: "Elige tu monedero" }).waitFor();
    await page.getByText("0,01").first().waitFor();
    await page.getByRole("button", { name: "English" }).click();
    await review(window);
    wallet.mood = "hang";
    await sign(window);
    const timer = page.getByRole("timer");
    const secondsLeft = async () =>
      Number(/^(\d+) s left$/.exec((await timer.textContent()) ?? "")?.[1]);
    const first = await secondsLeft();
    expect(first).toBeGreaterThan(20);
    await expect.poll(secondsLeft).toBeLessThan(first);
    await expectNothingSent(window);
  });

  test("waiting for a wallet that never answers can be left, by the keyboard too", async () => {
    const window = await arrive([{ name: "Alpha", keys: [stage.market.newBuyer().privateKey] }]);
    const { page, wallets } = window;
    const [wallet] = wallets;
    if (!wallet) throw new Error("There is no wallet.");
    wallet.mood = "hang";
    await page.getByRole("button", { name: "Alpha" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Open your wallet" }).waitFor();
    // From the heading, which has the focus, the next thing is the way out.
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Choose your wallet" }).waitFor();
    await expectNothingSent(window);
  });

  // The last one: it pays.
  test("a contract wallet pays with the bytes that it gives", async () => {
    const { smartWallet } = stage.market.devnet;
    const { owner, address } = smartWallet;
    const window = await arrive([{ name: "Alpha", keys: [owner.privateKey], speaksFor: address }]);
    await review(window);
    await sign(window);
    expect(await contentOf(window)).toBe("one report");
    expect(await stage.market.transfers(address)).toHaveLength(1);
    await window.context.close();
  });
});

const shortOf = (address: string) => `${address.slice(0, 6)}…${address.slice(-4)}`;

/** Reads a QR code from a picture of it. */
async function scan(page: Page, png: Buffer): Promise<string | undefined> {
  const picture = await page.evaluate(
    async (source) => {
      const image = new Image();
      image.src = source;
      await image.decode();
      const { width, height } = image;
      const context = new OffscreenCanvas(width, height).getContext("2d");
      context?.drawImage(image, 0, 0);
      return { width, height, data: [...(context?.getImageData(0, 0, width, height).data ?? [])] };
    },
    `data:image/png;base64,${png.toString("base64")}`,
  );
  return jsqr.default(Uint8ClampedArray.from(picture.data), picture.width, picture.height)?.data;
}
