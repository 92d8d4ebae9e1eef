/**
 * E-mail addresses of an account. An address receives notices once its mailbox has confirmed it, by
 * a link that works once; until then it gets nothing but a few of these links a day.
 */
import { createHash, randomBytes } from "node:crypto";
import { toLowerHex, type Address } from "@farthing/protocol";
import type { Runtime } from "@farthing/engine/base";
import { mailboxOf } from "../../http/messages/email-address.ts";
import type { Mailer } from "../../http/outbound/mailer.ts";
import type { SiteAddress } from "../../http/site/site.ts";
import type { AccountEventName, EndpointChanges, WebhookEndpoint } from "../webhooks/model.ts";
import type { WebhookStore } from "../webhooks/store.ts";
import { confirmUrl, hashToken, isUnsubscribeKey } from "./links.ts";
import { addressOf, urlOf, type EmailOutcome, type EmailRecipient } from "./model.ts";
import type { EmailStore } from "./store.ts";
import { writeConfirmation } from "./write-mail.ts";

/** One for each role of a small team, and some to spare. */
export const addressesMax = 5;

/** People read mail within a day. */
const linkHours = 24;

const dayMs = 24 * 60 * 60_000;

/** Confirmation mails of an account in a day: its addresses, each twice. */
const sentByAccountMax = 2 * addressesMax;

/** Confirmation mails to a mailbox in a day, of all accounts: anyone may type anyone's address. */
const sentToMailboxMax = 3;

export type SendResult =
  | { readonly kind: "sent" }
  /** The mail server is away or does not take the address. */
  | { readonly kind: "not_sent"; readonly problem: string }
  | { readonly kind: "account_limit" | "mailbox_limit"; readonly retryAfterSeconds: number };

export type AddResult =
  | { readonly kind: "added"; readonly recipient: EmailRecipient }
  | { readonly kind: "known" | "too_many" }
  | Exclude<SendResult, { kind: "sent" }>;

export interface EmailDeps extends Runtime {
  readonly store: EmailStore &
    Pick<WebhookStore, "createWebhook" | "changeWebhook" | "disableWebhook">;
  readonly mailer: Pick<Mailer, "send">;
  readonly site: SiteAddress["site"];
  noteEmail(outcome: EmailOutcome): void;
}

export type Emails = ReturnType<typeof createEmails>;

/** Returns a function that sends an address a new link, within the limits. */
function createLinkSender({ store, clock, log, mailer, site, noteEmail }: EmailDeps) {
  return async function sendLink(endpoint: WebhookEndpoint): Promise<SendResult> {
    const now = clock.nowMs();
    const since = now - (now % dayMs);
    const { account } = endpoint;
    const mailbox = createHash("sha256")
      .update(mailboxOf(addressOf(endpoint)))
      .digest("hex");
    const retryAfterSeconds = Math.ceil((since + dayMs - now) / 1000);
    const limits = [
      {
        kind: "account_limit",
        subject: `account:${toLowerHex(account)}`,
        sentMax: sentByAccountMax,
      },
      { kind: "mailbox_limit", subject: `mailbox:${mailbox}`, sentMax: sentToMailboxMax },
    ] as const;
    for (const { kind, subject, sentMax } of limits) {
      if (!(await store.countEmail(subject, { since, sentMax })))
        return { kind, retryAfterSeconds };
    }
    const token = randomBytes(32).toString("base64url");
    await store.keepConfirmation(endpoint.id, hashToken(token), now + linkHours * 3_600_000);
    const link = confirmUrl(site().origin, token);
    const outcome = await mailer.send(
      writeConfirmation(endpoint, { link, hours: linkHours, token }),
    );
    noteEmail(outcome.kind === "accepted" ? "sent" : "failed");
    if (outcome.kind === "accepted") return { kind: "sent" };
    const { problem, status } = outcome;
    const fields = { event: "email_failed", endpointId: endpoint.id, status, problem };
    log.info(fields, "E-mail not sent");
    return { kind: "not_sent", problem };
  };
}

export function createEmails(deps: EmailDeps) {
  const { store, clock, log } = deps;
  const sendLink = createLinkSender(deps);

  async function find(account: Address, id: string): Promise<EmailRecipient | undefined> {
    return (await store.listEmails(account)).find(({ endpoint }) => endpoint.id === id);
  }

  return {
    list: (account: Address) => store.listEmails(account),
    find,
    remove: (account: Address, id: string) => removeEmail(deps, { account, id }, "member"),
    sendLink,
    /** Adds an address and sends it a link. Where that fails, the address is not kept. */
    async add(
      account: Address,
      { address, events }: { readonly address: string; readonly events: AccountEventName[] },
    ): Promise<AddResult> {
      const now = clock.nowMs();
      const endpoint: WebhookEndpoint = {
        id: `eml_${randomBytes(12).toString("hex")}`,
        account,
        channel: "email",
        url: urlOf(address),
        secret: randomBytes(32).toString("base64"),
        events,
        createdAt: now,
        disabledAt: null,
        pausedAt: now,
        isPausedByOwner: false,
      };
      const others = await store.listEmails(account);
      if (others.some((one) => one.endpoint.url === endpoint.url)) return { kind: "known" };
      if (!(await store.createWebhook(endpoint, { endpointsMax: addressesMax })))
        return { kind: "too_many" };
      const sent = await sendLink(endpoint);
      if (sent.kind !== "sent") {
        await store.disableWebhook(account, endpoint.id, clock.nowMs());
        return sent;
      }
      log.info({ event: "email_added", account, endpointId: endpoint.id, events }, "E-mail added");
      return { kind: "added", recipient: { endpoint, confirmedAt: null } };
    },
    /** Undefined when there is none; "unconfirmed" when it cannot be resumed yet. */
    async change(account: Address, id: string, changes: EndpointChanges) {
      const known = await find(account, id);
      if (known?.confirmedAt === null && changes.isPaused !== undefined) return "unconfirmed";
      const now = clock.nowMs();
      const endpoint = known && (await store.changeWebhook(account, id, { ...changes, now }));
      if (!known || !endpoint) return undefined;
      log.info(
        { event: "email_changed", account, endpointId: id, ...changes },
        "E-mail notices changed",
      );
      return { ...known, endpoint };
    },
    ...createMailboxActions(deps),
  };
}

/** What whoever reads the mailbox does by links. */
function createMailboxActions(deps: EmailDeps) {
  const { store, clock, log } = deps;
  return {
    /** Returns whether the token was a valid one. */
    async confirm(token: string): Promise<boolean> {
      const endpoint = await store.confirmEmail(hashToken(token), clock.nowMs());
      if (!endpoint) return false;
      const { account, id: endpointId } = endpoint;
      log.info({ event: "email_confirmed", account, endpointId }, "E-mail address confirmed");
      return true;
    },
    /** Returns whether the link was a valid one, also when the address was removed before. */
    async unsubscribe(id: string, key: string): Promise<boolean> {
      const endpoint = await store.findEmail(id);
      if (!endpoint || !isUnsubscribeKey(endpoint, key)) return false;
      await removeEmail(deps, endpoint, "link");
      return true;
    },
  };
}

async function removeEmail(
  { store, clock, log }: EmailDeps,
  { account, id }: Pick<WebhookEndpoint, "account" | "id">,
  by: "member" | "link",
): Promise<boolean> {
  const isRemoved = await store.disableWebhook(account, id, clock.nowMs());
  if (isRemoved)
    log.info({ event: "email_removed", account, endpointId: id, by }, "E-mail address removed");
  return isRemoved;
}
