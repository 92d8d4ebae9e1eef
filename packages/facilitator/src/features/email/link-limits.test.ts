/** How many links a mailbox is sent and an account sends in a day, and how many addresses it has. */
import type { Address } from "@farthing/protocol";
import { silentLog, systemClock } from "@farthing/engine/base";
import { expect, onTestFinished, test } from "vitest";
import { openStore } from "../open-store.ts";
import { createEmails } from "./service.ts";

const dayMs = 86_400_000;
const accountOf = (digit: number): Address => `0x${`${digit}`.repeat(40)}`;

/** E-mail of a service whose clock stands an hour before the end of a day (UTC). */
async function openEmails() {
  const store = await openStore("sqlite::memory:");
  onTestFinished(() => store.close());
  for (const account of [0, 1, 2, 3].map(accountOf)) {
    await store.grantCredits({ account, kind: "grant", credits: 1, actor: "t", note: null }, 1);
  }
  const time = { nowMs: 20_000 * dayMs - 3_600_000, isTaken: true };
  const sent: unknown[] = [];
  const emails = createEmails({
    store,
    clock: { ...systemClock, nowMs: () => time.nowMs },
    log: silentLog,
    mailer: {
      async send(mail) {
        if (!time.isTaken) return { kind: "failed", problem: "no such mailbox", status: 550 };
        sent.push(mail);
        return { kind: "accepted" };
      },
    },
    site: () => ({ origin: "https://pay.example", host: "pay.example", docsUrl: undefined }),
    noteEmail: () => undefined,
  });
  const add = (account: Address, address: string) => emails.add(account, { address, events: [] });
  return { time, emails, sent, add };
}

test("a mailbox gets three links a day from all accounts and for all its spellings together", async () => {
  const { time, emails, sent, add } = await openEmails();
  for (const [at, address] of ["a.nna@shop.example", "anna+2@shop.example"].entries()) {
    expect(await add(accountOf(at), address)).toMatchObject({ kind: "added" });
  }
  expect(await add(accountOf(2), "anna@shop.example")).toMatchObject({ kind: "added" });
  const fourth = accountOf(3);
  const limited = { kind: "mailbox_limit", retryAfterSeconds: 3_600 };
  expect(await add(fourth, "anna@shop.example")).toEqual(limited);
  expect([sent.length, await emails.list(fourth)]).toEqual([3, []]);
  time.nowMs += 3_600_000;
  expect(await add(fourth, "anna@shop.example")).toMatchObject({ kind: "added" });
});

test("an account sends ten links a day, to five addresses at most", async () => {
  const { emails, sent, add } = await openEmails();
  const account = accountOf(1);
  for (const at of [1, 2, 3, 4, 5]) await add(account, `anna${at}@shop.example`);
  expect(await add(account, "anna6@shop.example")).toEqual({ kind: "too_many" });
  const endpoints = (await emails.list(account)).map(({ endpoint }) => endpoint);
  expect(endpoints).toHaveLength(5);
  for (const endpoint of endpoints) {
    expect(await emails.sendLink(endpoint)).toEqual({ kind: "sent" });
  }
  for (const endpoint of endpoints) {
    const limited = { kind: "account_limit", retryAfterSeconds: 3_600 };
    expect(await emails.sendLink(endpoint)).toEqual(limited);
  }
  expect(sent).toHaveLength(10);
  expect(await add(accountOf(2), "berta@shop.example")).toMatchObject({ kind: "added" });
});

test("an address that the mail server does not take is not kept, and may be typed again", async () => {
  const { time, emails, add } = await openEmails();
  time.isTaken = false;
  const account = accountOf(1);
  const failed = { kind: "not_sent", problem: "no such mailbox" };
  expect(await add(account, "anna@shop.example")).toEqual(failed);
  expect(await emails.list(account)).toEqual([]);
  time.isTaken = true;
  expect(await add(account, "anna@shop.example")).toMatchObject({ kind: "added" });
  expect(await add(account, "anna@shop.example")).toEqual({ kind: "known" });
});
