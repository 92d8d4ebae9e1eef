/** What every store promises about e-mail: who gets a mail, with what, and how often. */
import { emailEvents, refundNonce, type Address } from "@farthing/protocol";
import { silentLog, systemClock, type Clock } from "@farthing/engine/base";
import { beforeEach, describe, expect, test } from "vitest";
import { bothEngines, storeForEach } from "../../../test/stores/store-benches.testing.ts";
import { claimOf, minedIn } from "../../../test/stores/store-values.testing.ts";
import { createSteeredClock } from "../../../test/support/facilitator.testing.ts";
import type { Mail, MailOutcome } from "../../http/outbound/mailer.ts";
import type { ServiceStore } from "../open-store.ts";
import { restMs, startEmails, triesMax } from "./delivery.ts";
import type { EmailOutcome } from "./model.ts";
import { createEmails } from "./service.ts";

const account: Address = `0x${"33".repeat(20)}`;
const origin = "https://pay.example";
const site = () => ({ origin, host: "pay.example", docsUrl: undefined });
const accepted: MailOutcome = { kind: "accepted" };
const failed: MailOutcome = { kind: "failed", status: 451, problem: "It answered 451." };
const context = () => ({ origin, explorers: new Map() });

/** A mail server that keeps what it is given, and answers as told. */
function inbox() {
  const box = { mails: [] as Mail[], outcome: accepted };
  return { box, send: async (mail: Mail) => (box.mails.push(mail), box.outcome) };
}

const emailsOf = (store: ServiceStore, send: (mail: Mail) => Promise<MailOutcome>) =>
  createEmails({
    store,
    clock: systemClock,
    log: silentLog,
    mailer: { send },
    site,
    noteEmail() {},
  });

/** Has so many payments of the account fail. */
async function fail(store: ServiceStore, count: number) {
  const claims = Array.from({ length: count }, () => claimOf({ account }));
  await store.claimSettlements(claims, 1_000);
  const failure = { code: "transaction_reverted", message: "m", transaction: null } as const;
  await store.recordFailed(
    claims.map(({ id }) => ({ id, ...failure })),
    2_000,
  );
}

function sendWith(
  store: Parameters<typeof startEmails>[0]["store"],
  send: (mail: Mail) => Promise<MailOutcome>,
  more: { clock?: Clock; noteEmail?: (outcome: EmailOutcome) => void } = {},
) {
  const quiet = { clock: systemClock, log: silentLog, noteEmail() {} };
  return startEmails({ ...quiet, store, mailer: { send }, context, ...more });
}

/** Polls more often, so that a test takes less time. */
function hurriedClock() {
  const clock = createSteeredClock();
  clock.hurryFromMs = 1_000;
  return clock;
}

/** Adds an address; returns the token that was sent to it. */
async function add(store: ServiceStore, address: string) {
  const { box, send } = inbox();
  const emails = emailsOf(store, send);
  const added = await emails.add(account, { address, events: [...emailEvents] });
  if (added.kind !== "added") throw new Error(added.kind);
  const [, token = ""] = /token=([\w-]{43})/.exec(box.mails[0]?.text ?? "") ?? [];
  return { emails, token, id: added.recipient.endpoint.id };
}

async function addConfirmed(store: ServiceStore, address = "anna@shop.example") {
  const { emails, token, id } = await add(store, address);
  expect(await emails.confirm(token)).toBe(true);
  return { emails, id };
}

describe.each(bothEngines())("on %s", (_, start) => {
  const at = storeForEach(start);
  beforeEach(async () => {
    await at().store.ensureAccount(account, 1);
    await at().bench.query("delete from email_counts");
  });

  test("an address that is not confirmed, or not any more, gets nothing", async () => {
    const { store } = at();
    const { emails, token, id } = await add(store, "anna@shop.example");
    await fail(store, 1);
    const take = { now: 10_000, until: 20_000, limit: 5 };
    expect(await store.takeDigests(take)).toEqual([]);
    expect(await emails.change(account, id, { isPaused: false })).toBe("unconfirmed");
    const found = await store.findEmail(id);
    const stored = JSON.stringify(await at().bench.query("select * from email_confirmations"));
    expect(stored).not.toContain(token);
    expect(await emails.confirm(`${token.slice(0, -1)}_`)).toBe(false);
    expect(await emails.confirm(token)).toBe(true);
    expect(await emails.confirm(token)).toBe(false);
    // Events before the confirmation are not kept.
    expect(await store.takeDigests(take)).toEqual([]);
    await fail(store, 1);
    expect(await emails.remove(account, id)).toBe(true);
    expect(await store.takeDigests(take)).toEqual([]);
    expect(found?.url).toBe("mailto:anna@shop.example");
    // The address itself is erased.
    expect((await store.findEmail(id))?.url).toBe("");
    expect(await store.listEmails(account)).toEqual([]);
  });

  test("a link ends after a day, and with the next one", async () => {
    const { store } = at();
    const { emails, token, id } = await add(store, "anna@shop.example");
    const found = await emails.find(account, id);
    if (!found) throw new Error("no address");
    expect(await emails.sendLink(found.endpoint)).toEqual({ kind: "sent" });
    expect(await emails.confirm(token)).toBe(false);
    const { token: later } = await add(store, "bert@shop.example");
    const clock = createSteeredClock();
    clock.aheadMs = 24 * 60 * 60_000;
    const { send } = inbox();
    const deps = { store, clock, log: silentLog, mailer: { send }, site, noteEmail() {} };
    expect(await createEmails(deps).confirm(later)).toBe(false);
  });

  test("several processes send one mail with everything that waits, and rest", async () => {
    const { bench, store } = at();
    await addConfirmed(store);
    await fail(store, 700);
    const { box, send } = inbox();
    const clock = hurriedClock();
    const stores = await Promise.all(Array.from({ length: 3 }, () => bench.open()));
    const stops = stores.map((one) => sendWith(one, send, { clock }));
    await expect.poll(() => box.mails.length).toBe(1);
    const count = async () => {
      const rows = await bench.query(
        "select count(*) as n from webhook_deliveries where state = 'pending'",
      );
      return Number(rows[0]?.["n"]);
    };
    await expect.poll(count).toBe(0);
    const [mail] = box.mails;
    expect(mail?.subject).toMatch(/^\[Test\] Payment failed: .* USDC and 699 more$/);
    expect(mail?.text).toContain("… and 680 more.");
    await fail(store, 2);
    // Only the pause keeps the next mail back.
    const due = { limit: 5, until: 0, now: clock.nowMs() };
    expect(await store.takeDigests(due)).toEqual([]);
    expect(await count()).toBe(2);
    clock.aheadMs += restMs;
    await expect.poll(() => box.mails.length).toBe(2);
    expect(box.mails[1]?.subject).toContain("and 1 more");
    await Promise.all(stops.map((stop) => stop()));
    await Promise.all(stores.map((one) => one.close()));
    expect(box.mails).toHaveLength(2);
  });

  test("a process that dies before recording has the same mail sent again, after the pause", async () => {
    const { store } = at();
    await addConfirmed(store);
    await fail(store, 2);
    const first = inbox();
    const sent = Promise.withResolvers<undefined>();
    const dead = {
      ...store,
      recordDigest: () => (sent.resolve(undefined), new Promise<never>(() => {})),
    };
    const stopDead = sendWith(dead, first.send);
    await sent.promise;
    void stopDead();
    const second = inbox();
    const clock = hurriedClock();
    clock.aheadMs = restMs + 1_000;
    const stop = sendWith(store, second.send, { clock });
    await expect.poll(() => second.box.mails.length).toBe(1);
    await stop();
    expect(first.box.mails).toHaveLength(1);
    expect(second.box.mails[0]).toEqual(first.box.mails[0]);
  });

  test("what the server refuses is tried six times, and the address is paused", async () => {
    const { bench, store } = at();
    const { emails, id } = await addConfirmed(store);
    await bench.query(`update webhook_endpoints set watched_since = 0 where id = '${id}'`);
    await fail(store, 5);
    const { box, send } = inbox();
    box.outcome = failed;
    const clock = hurriedClock();
    const outcomes: EmailOutcome[] = [];
    const noteEmail = (outcome: EmailOutcome) => void outcomes.push(outcome);
    const stop = sendWith(store, send, { clock, noteEmail });
    for (let tries = 1; tries <= triesMax; tries++) {
      await expect.poll(() => box.mails.length).toBe(tries);
      await expect
        .poll(async () => {
          const { items } = await store.listDeliveries(id, { limit: 5 });
          return items.every(
            ({ attempts, lastStatus }) => attempts === tries && lastStatus === 451,
          );
        })
        .toBe(true);
      clock.aheadMs += 12 * 60 * 60_000;
    }
    const states = async () =>
      (await store.listDeliveries(id, { limit: 5 })).items.map(({ state }) => state);
    await expect.poll(states).toEqual(Array(5).fill("failed"));
    await expect
      .poll(async () => (await emails.find(account, id))?.endpoint.pausedAt ?? null)
      .not.toBeNull();
    await stop();
    // Operators see that the notices are lost, and not only that attempts failed.
    expect(outcomes).toEqual([...Array(triesMax - 1).fill("failed"), "given_up"]);
    expect(await emails.change(account, id, { isPaused: false })).toMatchObject({
      endpoint: { pausedAt: null },
    });
  });

  test("a refund that failed is told with its reason and its page", async () => {
    const { store } = at();
    const payment = claimOf({ account, payTo: account, amount: 10_000n });
    await store.claimSettlements([payment], 1_000);
    await store.recordConfirmed([{ id: payment.id, mined: minedIn(5) }], 2_000);
    await store.recordFinalized(payment.chainId, 5, 3_000);
    await addConfirmed(store);
    const refund = claimOf({
      account,
      payer: account,
      payTo: payment.payer,
      nonce: refundNonce(payment, 0),
      amount: 4_000n,
      refund: { of: payment.id, unitsMin: 1n },
    });
    await store.claimSettlements([refund], 4_000);
    const failure = {
      code: "transaction_reverted",
      message: "Reverted.",
      transaction: null,
    } as const;
    await store.recordFailed([{ id: refund.id, ...failure }], 5_000);
    const { box, send } = inbox();
    const stop = sendWith(store, send);
    await expect.poll(() => box.mails.length).toBe(1);
    await stop();
    const [mail] = box.mails;
    expect(mail?.subject).toBe("[Test] Refund failed: 0.004 USDC");
    expect(mail?.text).toContain("Reason: Reverted.");
    expect(mail?.text).toContain(`${origin}/account/facilitator/settlements/${refund.id}`);
  });

  test("a webhook that was paused is named with its address and its page", async () => {
    const { bench, store } = at();
    await addConfirmed(store);
    const webhook = {
      id: "we_paused",
      account,
      channel: "webhook",
      url: "https://shop.example/<hook>",
      secret: "whsec_x",
      events: ["settlement.failed"],
      createdAt: 1,
      disabledAt: null,
      pausedAt: null,
      isPausedByOwner: false,
    } as const;
    expect(await store.createWebhook(webhook, { endpointsMax: 5 })).toBe(true);
    await fail(store, 1);
    await bench.query(
      "update webhook_deliveries set state = 'failed' where endpoint_id = 'we_paused'",
    );
    const terms = { quietMs: 1, failuresMin: 1, now: 10_000 };
    expect(await store.pauseWebhook(webhook.id, terms)).toBe(true);
    const { box, send } = inbox();
    const stop = sendWith(store, send);
    await expect.poll(() => box.mails.length).toBe(1);
    await stop();
    const [mail] = box.mails;
    expect(mail?.text).toMatch(/^Webhook paused after failures$/m);
    expect(mail?.text).toContain(`Endpoint: ${webhook.url}\n`);
    expect(mail?.text).toContain(`${origin}/account/facilitator/webhooks/${webhook.id}`);
    expect(mail?.html).toContain("https://shop.example/&lt;hook&gt;");
  });

  test("problems come before payments", async () => {
    const { store } = at();
    await addConfirmed(store);
    const payment = claimOf({ account, payTo: account, amount: 10_000n });
    await store.claimSettlements([payment], 1_000);
    await store.recordConfirmed([{ id: payment.id, mined: minedIn(5) }], 2_000);
    await fail(store, 1);
    const { box, send } = inbox();
    const stop = sendWith(store, send);
    await expect.poll(() => box.mails.length).toBe(1);
    await stop();
    const [mail] = box.mails;
    expect(mail?.subject).toMatch(/^\[Test\] Payment failed/);
    expect(mail?.text.indexOf("Payment failed")).toBeLessThan(
      mail?.text.indexOf("Payment received: 0.01 USDC") ?? 0,
    );
  });

  test("confirmation mails of an account and to a mailbox are limited, also at once", async () => {
    const { store } = at();
    const { box, send } = inbox();
    const victims = ["Victim@mail.example", "vic.tim@mail.example", "victim+1@mail.example"];
    const others = ["victim+2@mail.example", "victim@Mail.example"];
    const results = await Promise.all(
      [...victims, ...others].map(async (address, index) => {
        const own: Address = `0x${`a${index}`.repeat(20)}`;
        await store.ensureAccount(own, 1);
        return emailsOf(store, send).add(own, { address, events: ["credits.low"] });
      }),
    );
    expect(results.map(({ kind }) => kind).toSorted()).toEqual([
      "added",
      "added",
      "added",
      "mailbox_limit",
      "mailbox_limit",
    ]);
    expect(box.mails).toHaveLength(3);
    const emails = emailsOf(store, send);
    const kinds: string[] = [];
    for (let index = 0; index < 12; index++) {
      const address = `u${index}@shop.example`;
      const added = await emails.add(account, { address, events: ["credits.low"] });
      kinds.push(added.kind);
      if (added.kind === "added") await emails.remove(account, added.recipient.endpoint.id);
    }
    expect(kinds).toEqual([...Array(10).fill("added"), "account_limit", "account_limit"]);
  });
});
