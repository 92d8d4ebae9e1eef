/** E-mail notices over HTTP and SMTP: from an address that somebody types to one that is removed. */
import type { Devnet } from "@farthing/devnet";
import { isObject, type JsonObject } from "@farthing/protocol";
import { createLog, Secret } from "@farthing/engine/base";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openSignedIn, type Browser } from "../../../test/support/browser.testing.ts";
import { createAuthority } from "../../../test/support/certificates.testing.ts";
import {
  bodyOn,
  createSteeredClock,
  serveOn,
  startChain,
  textAt,
  walletAt,
  type Served,
} from "../../../test/support/facilitator.testing.ts";
import { keyIn } from "../../../test/support/api-keys.testing.ts";
import { holdAnswers, readContract } from "../../../test/support/openapi.testing.ts";
import { checkMail } from "../../operations/doctor-mail.ts";
import { createMailer } from "../../http/outbound/mailer.ts";
import { restMs } from "./delivery.ts";
import {
  headerOf,
  mailServerForTest,
  readable,
  startMailServer,
  type ReceivedMail,
  type TestMailServer,
} from "../../../test/support/mail-server.testing.ts";

const path = "/v1/account/emails";
const address = "anna@shop.example";

let devnet: Devnet;
let mail: TestMailServer;
let served: Served;
let letGo: () => void;
let seller: Browser;
let key: string;
const clock = createSteeredClock();
const lines: string[] = [];

beforeAll(async () => {
  devnet = await startChain();
  mail = await startMailServer();
  served = await serveOn(devnet, {
    selfBuilt: false,
    clock,
    log: createLog("debug", { write: (line) => void lines.push(line) }),
    env: {
      FARTHING_HEAD_AGE_MAX: "0",
      FARTHING_METRICS_PORT: "0",
      ...mail.env,
      FARTHING_EXPLORER_51: "https://explorer.example",
    },
  });
  seller = await openSignedIn(served, { wallet: devnet.seller });
  key = await keyIn(served.databaseUrl, devnet.seller.address);
  letGo = holdAnswers(served.url, await readContract(served.url));
});
afterAll(async () => {
  letGo?.();
  await served?.stop();
  await mail?.stop();
  await devnet?.stop();
});

async function settle(): Promise<JsonObject> {
  const headers = { authorization: `Bearer ${key}`, prefer: "wait=10" };
  return (await served.post("/settle", bodyOn(devnet), headers)).body;
}

/** The address of a link in a mail. */
function linkIn(received: ReceivedMail | undefined, part: string): string {
  const found =
    received && new RegExp(`${served.url}/${part}\\?[\\w=&-]+`).exec(readable(received));
  if (!found) throw new Error(`no link to ${part}`);
  return found[0];
}

/** The pages of links are no operations of the API. */
const openPage = globalThis.fetch;

const press = (url: string, body = "") =>
  openPage(url, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body,
  });

const failures = () => lines.filter((line) => line.includes('"email_failed"')).length;

/** The mails of an outcome, as operators count them. */
async function mailsThat(outcome: "sent" | "failed"): Promise<number> {
  const text = await (await fetch(`${served.metricsUrl}/metrics`)).text();
  return Number(
    new RegExp(`^x402_emails_total\\{outcome="${outcome}"\\} (.*)$`, "m").exec(text)?.[1],
  );
}

async function stateOf(id: unknown): Promise<unknown> {
  const { emails } = (await seller.get(path)).body;
  const row = Array.isArray(emails) && emails.filter(isObject).find((one) => one["id"] === id);
  return row ? row["state"] : undefined;
}

test("an address is confirmed by its mailbox, gets notices, and is removed by one click", async () => {
  const events = ["settlement.confirmed", "credits.low"];
  const added = await seller.post(path, { address: "anna@Shop.Example", events });
  expect(added).toMatchObject({ status: 201, body: { address, events, state: "unconfirmed" } });
  const [confirmation] = mail.received;
  expect(confirmation?.to).toEqual([address]);
  await settle();
  const confirm = linkIn(confirmation, "email/confirm");
  // A program that looks at links presses no button.
  const page = await openPage(confirm);
  expect([page.status, await page.text()]).toEqual([
    200,
    expect.stringContaining("Confirm address"),
  ]);
  expect(await stateOf(added.body["id"])).toBe("unconfirmed");
  expect((await press(confirm)).status).toBe(200);
  expect((await press(confirm)).status).toBe(400);
  expect(await stateOf(added.body["id"])).toBe("active");

  const settled = await settle();
  await expect.poll(() => mail.received.length).toBe(2);
  const [, notice] = mail.received;
  if (!notice) throw new Error("no notice");
  expect(headerOf(notice, "Subject")).toBe("[Test] Payment received: 0.01 USDC");
  expect(headerOf(notice, "From")).toBe("Pay Example <notices@pay.example>");
  expect(headerOf(notice, "List-Unsubscribe-Post")).toBe("List-Unsubscribe=One-Click");
  const written = readable(notice);
  expect(written).toContain(`https://explorer.example/tx/${textAt(settled, "transaction")}`);
  expect(written).toContain(
    `${served.url}/account/facilitator/settlements/${textAt(settled, "id")}`,
  );
  expect(written).toContain("Content-Type: text/html");

  // Two more within the pause are one mail after it.
  await settle();
  await settle();
  clock.aheadMs += restMs;
  await expect.poll(() => mail.received.length).toBe(3);
  expect(mail.received.map((one) => headerOf(one, "Subject"))[2]).toMatch(/0\.01 USDC and 1 more$/);

  const [, unsubscribe = ""] = /^<(.*)>$/.exec(headerOf(notice, "List-Unsubscribe")) ?? [];
  expect((await openPage(unsubscribe)).status).toBe(200);
  expect((await press(`${unsubscribe.slice(0, -1)}_`)).status).toBe(400);
  expect(await stateOf(added.body["id"])).toBe("active");
  expect((await press(unsubscribe, "List-Unsubscribe=One-Click")).status).toBe(200);
  // Mail programs may ask twice.
  expect((await press(unsubscribe, "List-Unsubscribe=One-Click")).status).toBe(200);
  expect(await stateOf(added.body["id"])).toBeUndefined();
  expect(lines.join("\n")).not.toContain("shop.example");
  expect(lines.join("\n")).toContain("email_confirmed");
});

test("notices wait for a mail server that is away, and are sent once", async () => {
  const first = mail.received.length;
  await seller.post(path, { address: "bert@shop.example", events: ["settlement.confirmed"] });
  await press(linkIn(mail.received[first], "email/confirm"));
  const port = Number(new URL(mail.url).port);
  const [sent, failed] = [await mailsThat("sent"), await mailsThat("failed")];
  await mail.stop();
  const settled = await settle();
  await expect.poll(failures).toBe(1);
  const { body } = await seller.post(path, { address: "c@shop.example", events: ["credits.low"] });
  expect(body).toMatchObject({ error: "service_unavailable", retryable: true });
  // The notice and the link.
  expect(await mailsThat("failed")).toBe(failed + 2);
  mail = await startMailServer(undefined, port);
  clock.aheadMs += restMs;
  await expect.poll(() => mail.received.length).toBe(1);
  clock.aheadMs += restMs;
  await settle();
  await expect.poll(() => mail.received.length).toBe(2);
  const about = mail.received.map((one) => readable(one).includes(textAt(settled, "id")));
  expect(about).toEqual([true, false]);
  await expect.poll(() => mailsThat("sent")).toBe(sent + 2);
  // The refused address was not kept.
  expect((await seller.get(path)).body["emails"]).toHaveLength(1);
});

test("nothing but one plain address is accepted, and it stays in the account", async () => {
  const before = mail.received.length;
  for (const bad of [
    "anna@shop.example\r\nBcc: x@y.example",
    "anna@shop.example\nSubject: Hi",
    "anna\u2028@shop.example",
    "anna@shop.example, x@y.example",
    "Anna <anna@shop.example>",
    '"a b"@shop.example',
    "anna@[127.0.0.1]",
    "anna@127.0.0.1",
    "anna@localhost",
    "anna@shop..example",
    ".anna@shop.example",
    "anna@-shop.example",
    "anna@shop.example%0d%0aBcc:x@y.example",
    `${"a".repeat(65)}@shop.example`,
    `anna@${"a.".repeat(130)}example`,
    "änna@shop.example",
    "@shop.example",
    "anna@",
  ]) {
    const { status } = await seller.post(path, { address: bad, events: ["credits.low"] });
    expect([bad, status]).toEqual([bad, 400]);
  }
  const good = await seller.post(path, {
    address: "a.b+c@bücher.example",
    events: ["credits.low"],
  });
  expect(good.body).toMatchObject({ address: "a.b+c@xn--bcher-kva.example" });
  const again = await seller.post(path, {
    address: "a.b+c@xn--bcher-kva.example",
    events: ["credits.low"],
  });
  expect(again.status).toBe(409);
  expect(mail.received).toHaveLength(before + 1);
  const own = `${path}/${textAt(good.body, "id")}`;
  expect((await seller.send("PATCH", own, { paused: false })).status).toBe(409);
  expect((await seller.send("PATCH", own, { events: ["webhook.paused"] })).body).toMatchObject({
    events: ["webhook.paused"],
    state: "unconfirmed",
  });
  const other = await openSignedIn(served, { wallet: walletAt(devnet.buyers, 1) });
  expect((await other.get(path)).body).toEqual({ enabled: true, emails: [] });
  expect((await other.send("DELETE", own)).status).toBe(404);
  expect((await other.post(`${own}/link`, {})).status).toBe(404);
  expect((await seller.post(`${own}/link`, {})).status).toBe(204);
  // No webhook: the routes of one do not reach the other.
  expect((await seller.get("/v1/account/webhooks")).body).toEqual({ webhooks: [] });
  expect((await seller.send("DELETE", own)).status).toBe(204);
});

test("the mail server is reached with its password, over TLS that is verified", async () => {
  const authority = createAuthority();
  const secure = await mailServerForTest(authority.identify());
  const from = { name: "", address: "notices@pay.example" };
  const message = { to: address, subject: "s", text: "t", html: "<p>t</p>", id: "1" };
  const url = new Secret(secure.url);
  const trusting = createMailer({ url, from, extraCa: authority.cert });
  const settings = { outboundCa: authority.cert, publicUrl: "https://pay.example" };
  expect(await checkMail(settings, { url, from })).toMatchObject([{ status: "ok" }]);
  expect(await trusting.send(message)).toEqual({ kind: "accepted" });
  expect(secure.received).toMatchObject([{ to: [address], isEncrypted: true }]);
  const doubting = createMailer({ url, from });
  expect(await doubting.send(message)).toMatchObject({ kind: "failed", status: null });
  const wrong = new Secret(secure.url.replace("p%40ss", "other"));
  expect(
    await checkMail({ ...settings, publicUrl: undefined }, { url: wrong, from }),
  ).toMatchObject([
    { status: "fail", text: expect.stringContaining("password") },
    { status: "warn", fix: expect.stringContaining("FARTHING_PUBLIC_URL") },
  ]);
  secure.refusing = 550;
  expect(await trusting.send(message)).toEqual({
    kind: "failed",
    status: 550,
    problem: "The mail server answered 550.",
  });
  expect(secure.received).toHaveLength(1);
});
