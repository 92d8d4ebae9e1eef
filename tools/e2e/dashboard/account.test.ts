/** What an owner changes about the account: keys in turn, wallets, sessions, webhooks, its name. */
import { createHmac } from "node:crypto";
import { text } from "node:stream/consumers";
import type { IncomingHttpHeaders } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeInBrowser } from "../support/chromium.testing.ts";
import { openWindow, signIn, startStage, type Stage } from "./fixture.testing.ts";
import { addEmail, createKey, inviteMember, linkWallet, visit } from "./steps.testing.ts";
import { readable } from "@farthing/facilitator/testing/mail-server";
import { listen } from "@farthing/seller/testing/listen";
import { changeAccount } from "../support/mock-wallets.testing.ts";

describeInBrowser("the account on the dashboard", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startStage();
  });
  afterAll(() => stage?.stop());

  /** A window in which an account of its own is signed in. */
  async function enter() {
    const owner = stage.market.newBuyer();
    const window = await openWindow(stage, [{ name: "Alpha", keys: [owner.privateKey] }]);
    await signIn(window, stage);
    const [alpha] = window.wallets;
    if (!alpha) throw new Error("There is no wallet.");
    return { owner, window, page: window.page, alpha };
  }

  const statusWith = async (key: string) => {
    const headers = { Authorization: `Bearer ${key}` };
    return (await fetch(`${stage.url}/v1/key`, { headers })).status;
  };

  test("a rotated key works on for a while beside the new one", async () => {
    const { window, page } = await enter();
    const old = await createKey(window, "Shop");
    await page.getByRole("button", { name: "Rotate key Shop" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("For an hour").check();
    await dialog.getByRole("button", { name: "Sign and rotate" }).click();
    await dialog.getByRole("button", { name: "I have saved it" }).waitFor();
    const fresh = await dialog.locator("[data-secret]").textContent();
    await dialog.getByRole("button", { name: "I have saved it" }).click();
    await page.getByText("expiring").waitFor();
    expect(await statusWith(old)).toBe(200);
    expect(await statusWith(fresh ?? "")).toBe(200);
  });

  test("a dialog gives the focus back to the button that opened it", async () => {
    const { window, page } = await enter();
    await createKey(window, "Shop");
    const rotate = page.getByRole("button", { name: "Rotate key Shop" });
    await rotate.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await rotate.evaluate((element) => element === document.activeElement)).toBe(true);
  });

  test("a linked wallet signs in to the account, until it is removed", async () => {
    const { owner, window, page, alpha } = await enter();
    const friend = stage.market.newBuyer();
    await visit(window, "Settings");
    await changeAccount(page, alpha, [friend.privateKey]);
    await linkWallet(window, alpha, owner);

    const other = await openWindow(stage, [{ name: "Beta", keys: [friend.privateKey] }]);
    await other.page.goto(stage.screen("settings"));
    await other.page.getByText("My wallet is a member of another account").click();
    await other.page.getByLabel("Account address").fill(owner.address);
    await other.page.getByRole("button", { name: "Beta" }).click();
    await other.page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
    await other.page.getByText(owner.address).first().waitFor();
    await other.page.reload();

    await page.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Sign and remove" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    // Its session is over with it; the page says so as soon as it asks for anything.
    await other.page.reload();
    await other.page.getByRole("heading", { name: "Sign in with your wallet" }).waitFor();
  });

  test("an invited member joins, switches accounts, and sees what the role allows", async () => {
    const { window, page } = await enter();
    const friend = stage.market.newBuyer();
    await createKey(window, "Shop");
    await visit(window, "Settings");
    await inviteMember(window, friend.address, "Read only:");
    await page.getByRole("table", { name: "Open invitations" }).getByText("Read only").waitFor();

    const other = await openWindow(stage, [{ name: "Beta", keys: [friend.privateKey] }]);
    await signIn(other, stage);
    await other.page.getByRole("button", { name: "Join" }).click();
    await other.page.getByRole("button", { name: "Switch account" }).click();
    await other.page.getByRole("button", { name: "Sign and switch" }).click();
    await other.page.getByRole("dialog").waitFor({ state: "detached" });
    await other.page.getByRole("banner").getByText("Read only").waitFor();
    await visit(other, "Credits");
    await other.page.getByText("Only owners of the account can change it").waitFor();
    expect(await other.page.getByLabel("Warn me when credits").isDisabled()).toBe(true);
    await visit(other, "Integrate");
    await other.page.getByText("Ask an owner or a developer of the account for a key").waitFor();
    await visit(other, "API keys");
    await other.page.getByRole("row", { name: "Shop" }).waitFor();
    expect(await other.page.getByRole("button", { name: /key/ }).count()).toBe(0);

    await page.reload();
    await page.getByRole("button", { name: "Change role" }).click();
    await page.getByLabel("Developer:").check();
    await page.getByRole("button", { name: "Sign and change" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    // The open page learns of its new role by itself.
    await other.page.getByRole("button", { name: "Rotate key Shop" }).waitFor();
    await visit(other, "Settings");
    expect(await other.page.getByRole("button", { name: "Invite a member" }).count()).toBe(0);
    await other.page.getByRole("button", { name: "Leave account" }).click();
    await other.page.getByRole("dialog").getByRole("button", { name: "Leave account" }).click();
    await other.page.getByRole("heading", { name: "Sign in with your wallet" }).waitFor();
  });

  test("an invitation is withdrawn only after a question", async () => {
    const { window, page } = await enter();
    await visit(window, "Settings");
    await inviteMember(window, stage.market.newBuyer().address, "Developer:");
    await page.getByRole("button", { name: "Withdraw" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    const invitations = page.getByRole("table", { name: "Open invitations" });
    await invitations.waitFor();
    await page.getByRole("button", { name: "Withdraw" }).click();
    await dialog.getByRole("button", { name: "Withdraw invitation" }).click();
    await invitations.waitFor({ state: "detached" });
  });

  test("a dialog begins at its first entry, which says what is wrong with a name", async () => {
    const { window, page } = await enter();
    await visit(window, "API keys");
    await page.getByRole("button", { name: "Create key" }).first().click();
    await page.keyboard.type("Frankfurt\u200b");
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Remove the invisible characters").waitFor();
    const create = dialog.getByRole("button", { name: "Sign and create" });
    expect(await create.isDisabled()).toBe(true);
    await page.keyboard.press("Backspace");
    expect(await create.isEnabled()).toBe(true);
  });

  test("all other sessions end with one signature", async () => {
    const { owner, window, page } = await enter();
    const other = await openWindow(stage, [{ name: "Alpha", keys: [owner.privateKey] }]);
    await signIn(other, stage);
    await visit(window, "Settings");
    await page.getByRole("button", { name: "End all others" }).click();
    await page.getByRole("button", { name: "Sign and end them" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    // The other one learns of it by whatever it asks next, and goes on there after signing in.
    await other.page.getByRole("link", { name: "Webhooks" }).click();
    await other.page.getByText("Your session has ended").waitFor();
    await other.page.getByRole("button", { name: "Alpha" }).click();
    await other.page.getByRole("heading", { level: 1, name: "Webhooks" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
  });

  test("an endpoint is added, tested, and looked after", async () => {
    const { window, page } = await enter();
    const got: { headers: IncomingHttpHeaders; body: string }[] = [];
    const receiver = await listen((req, res) => {
      void text(req).then((body) => {
        got.push({ headers: req.headers, body });
        return res.writeHead(got.length === 1 ? 500 : 204).end();
      });
    });
    await visit(window, "Webhooks");
    await page.getByRole("button", { name: "Add endpoint" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Address").fill(`${receiver.url}/hook`);
    await dialog.getByRole("button", { name: "Sign and add" }).click();
    await dialog.getByRole("button", { name: "I have saved it" }).waitFor();
    const secret = (await dialog.locator("[data-secret]").textContent()) ?? "";
    await dialog.getByRole("button", { name: "I have saved it" }).click();
    await page.getByRole("link", { name: `${receiver.url}/hook` }).click();
    await page.getByRole("button", { name: "Send a test" }).click();
    await page.getByText("HTTP 500").waitFor();
    await page.getByRole("button", { name: "Send a test" }).click();
    await page.getByText("HTTP 204").waitFor();
    const [, second] = got;
    const { "webhook-id": id, "webhook-timestamp": at } = second?.headers ?? {};
    const signature = createHmac("sha256", Buffer.from(secret.replace("whsec_", ""), "base64"))
      .update(`${String(id)}.${String(at)}.${second?.body ?? ""}`)
      .digest("base64");
    expect(second?.headers["webhook-signature"]).toBe(`v1,${signature}`);
    await page.getByRole("button", { name: "Show webhook.test" }).first().click();
    await page.getByRole("dialog").getByText(String(id)).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Change events" }).click();
    await page.getByLabel("credits.low").uncheck();
    await page.getByRole("button", { name: "Save events" }).click();
    await page.getByText("settlement.refunded, fee.changed, purchase.credited").waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByRole("button", { name: "Pause endpoint" }).click();
    await page.getByText("You paused it.").waitFor();
    expect(await page.getByRole("button", { name: "Send a test" }).isDisabled()).toBe(true);
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByText("active").waitFor();
    await page.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("button", { name: "Remove endpoint" }).click();
    await page.getByText("No endpoints yet").waitFor();
    await receiver.close();
  });

  test("an e-mail address is added, confirmed, and removed", async () => {
    const { window, page } = await enter();
    await addEmail(window, "anna@shop.example");
    const [sent] = stage.mail.received;
    const link = sent && /http:\S+token=[\w-]+/.exec(readable(sent))?.[0];
    const mailbox = await page.context().newPage();
    await mailbox.goto(link ?? "");
    await mailbox.getByRole("button", { name: "Confirm address" }).click();
    await mailbox.getByRole("heading", { name: "Address confirmed" }).waitFor();
    await mailbox.close();
    await page.reload();
    await page.getByText("active").waitFor();
    await page.getByRole("button", { name: "Change the notices" }).click();
    await page.getByLabel("purchase.held").uncheck();
    await page.getByRole("button", { name: "Save events" }).click();
    await page.getByText("8 of 15").waitFor();
    await page.getByRole("button", { name: "Remove anna@shop.example" }).click();
    await page.getByRole("button", { name: "Remove address" }).click();
    await page.getByText("No addresses yet").waitFor();
  });

  test("the name and the low balance are kept", async () => {
    const { window, page } = await enter();
    await visit(window, "Settings");
    await page.getByLabel("Name").fill("Weather");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("banner").getByText("Weather").waitFor();
    await visit(window, "Credits");
    await page.getByLabel("Warn me when credits fall to").fill("50");
    await page.getByRole("button", { name: "Save" }).click();
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Credits" }).waitFor();
    expect(await page.getByLabel("Warn me when credits fall to").inputValue()).toBe("50");
  });
});
