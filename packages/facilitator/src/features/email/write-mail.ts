/** The texts of mails: plain and as simple HTML, in which every value is escaped. */
import { createHash } from "node:crypto";
import {
  findNetwork,
  html,
  isObject,
  isRoutine,
  parseJson,
  printableLine,
  readableUsdc,
  type Html,
  type JsonObject,
} from "@farthing/protocol";
import { dashboardPath } from "../../http/site/dashboard.ts";
import { linkTo, type Explorers } from "../../http/site/explorers.ts";
import type { Mail } from "../../http/outbound/mailer.ts";
import type { AccountEventName, WebhookDelivery, WebhookEndpoint } from "../webhooks/model.ts";
import { unsubscribeUrl } from "./links.ts";
import { addressOf } from "./model.ts";

/** Notices that a mail shows; it counts the others. */
export const shownMax = 20;

export interface MailContext {
  /** Of the service, such as `https://pay.example`. */
  readonly origin: string;
  readonly explorers: Explorers;
}

interface Notice {
  readonly title: string;
  readonly facts: readonly (readonly [label: string, value: string])[];
  readonly links: readonly (readonly [label: string, url: string])[];
  readonly isTest: boolean;
}

/** Sorts notices as a mail shows them: problems first, then the oldest. */
export function firstShown(deliveries: readonly WebhookDelivery[]): WebhookDelivery[] {
  return deliveries.toSorted(
    (one, other) => rankOf(one) - rankOf(other) || one.createdAt - other.createdAt,
  );
}

const rankOf = ({ type }: WebhookDelivery) => (isRoutine(type) ? 1 : 0);

/** Writes the mail of some notices; `count` includes those that are not shown. */
export function writeDigest(
  endpoint: WebhookEndpoint,
  { shown, count }: { readonly shown: readonly WebhookDelivery[]; readonly count: number },
  context: MailContext,
): Mail {
  const notices = shown.map((delivery) => noticeOf(delivery, context));
  const [first] = notices;
  const more = count - notices.length;
  const title = first?.title ?? "Notice";
  const rest = count > 1 ? ` and ${count - 1} more` : "";
  const isTest = notices.length > 0 && notices.every((notice) => notice.isTest);
  const unsubscribe = unsubscribeUrl(context.origin, endpoint);
  const settings = `${context.origin}${dashboardPath}/settings`;
  const moreLine =
    more > 0 ? `… and ${more} more. The dashboard lists all payments and events.` : undefined;
  const why = `You receive this because this address was confirmed for notices of the account ${endpoint.account}.`;
  const ids = `${count} ${shown.map(({ id }) => id).join(" ")}`;
  const subject = printableLine(`${isTest ? "[Test] " : ""}${title}${rest}`);
  return {
    to: addressOf(endpoint),
    // Another attempt with the same notices is the same message, and one with more is not.
    id: createHash("sha256").update(ids).digest("hex").slice(0, 32),
    subject,
    text: [
      ...notices.map(plainNotice),
      ...(moreLine === undefined ? [] : [moreLine]),
      `--\n${why}\nChange the notices: ${settings}\nUnsubscribe: ${unsubscribe}`,
    ].join("\n\n"),
    html: pageOf(
      subject,
      html`${notices.map(htmlNotice)}
        ${moreLine === undefined ? undefined : html`<p>${moreLine}</p>`}
        <p style="opacity:.8;font-size:13px">
          ${why}<br />
          <a href="${settings}">Change the notices</a> · <a href="${unsubscribe}">Unsubscribe</a>
        </p>`,
    ),
    headers: {
      "List-Unsubscribe": `<${unsubscribe}>`,
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    },
  };
}

/** Nothing in it comes from whoever asked for it, so that nobody can send others a text. */
export function writeConfirmation(
  { id, account, url }: Pick<WebhookEndpoint, "id" | "account" | "url">,
  { link, hours, token }: { readonly link: string; readonly hours: number; readonly token: string },
): Mail {
  const subject = "Confirm your e-mail address for notices";
  const what = `A member of the Farthing account ${account} asks to have notices about its payments sent to this address.`;
  const otherwise =
    "If you did not ask for this, ignore this message: without the confirmation nothing is sent here.";
  return {
    to: addressOf({ url }),
    id: createHash("sha256").update(`${id} ${token}`).digest("hex").slice(0, 32),
    subject,
    text: `${what}\n\nTo confirm, open this link within ${hours} hours:\n${link}\n\n${otherwise}`,
    html: pageOf(
      subject,
      html`<p>${what}</p>
        <p><a href="${link}">Confirm this address</a> within ${hours} hours.</p>
        <p style="opacity:.8;font-size:13px">${otherwise}</p>`,
    ),
  };
}

/** Without colours of its own: mail programs choose those of light and dark. */
function pageOf(title: string, body: Html): string {
  const page = html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>${title}</title>
    </head>
    <body style="font:15px/1.5 sans-serif;max-width:600px;overflow-wrap:anywhere">
      ${body}
    </body>
  </html>`;
  return `<!doctype html>\n${page.text}\n`;
}

function plainNotice({ title, facts, links }: Notice): string {
  const lines = [...facts, ...links].map(([label, value]) => `${label}: ${value}`);
  return [title, ...lines].join("\n");
}

function htmlNotice({ title, facts, links }: Notice): Html {
  return html`<h2 style="font-size:17px;margin:20px 0 4px">${title}</h2>
    <p style="margin:0">
      ${facts.map(([label, value]) => html`${label}: ${value}<br />`)}
      ${links.map(([label, url]) => html`<a href="${url}">${label}</a><br />`)}
    </p>`;
}

function noticeOf({ type, body }: WebhookDelivery, context: MailContext): Notice {
  const message = parseJson(body)?.value;
  const data = isObject(message) && isObject(message["data"]) ? message["data"] : {};
  const network = findNetwork(textOf(data, "network"));
  const isTest = network?.chainId === 51;
  const facts: readonly (readonly [string, string])[] = [
    ["Time", isObject(message) ? readableTime(textOf(message, "timestamp")) : ""],
    ["Network", network === undefined ? "" : `${network.name}${isTest ? " (test)" : ""}`],
    ["Payer", textOf(data, "payer")],
    ["For", textOf(data, "resource")],
    ["Reference", textOf(data, "reference")],
    ["Reason", textOf(data, "failureMessage") || textOf(data, "reason")],
    ["Endpoint", type === "webhook.paused" ? textOf(data, "url") : ""],
    ["Before", type === "fee.changed" ? `${countOf(data, "creditsBefore")} credits` : ""],
    ["Warning below", type === "credits.low" ? `${countOf(data, "lowAt")} credits` : ""],
  ];
  return {
    title: titleOf(type, data),
    facts: facts.filter(([, value]) => value !== ""),
    links: linksOf(type, data, context),
    isTest,
  };
}

const titles: Readonly<Record<AccountEventName, string>> = {
  "settlement.confirmed": "Payment received",
  "settlement.failed": "Payment failed",
  "settlement.finalized": "Payment final",
  "settlement.refunded": "Refund completed",
  "settlement.refund_failed": "Refund failed",
  "credits.low": "Few credits left",
  "fee.changed": "Fee of a settlement changed",
  "purchase.credited": "Credits added",
  "purchase.held": "Purchase of credits held for review",
  "webhook.paused": "Webhook paused after failures",
  "channel.opened": "Payment channel opened",
  "channel.claimed": "Payment channel claimed",
  "channel.withdrawing": "A buyer withdraws from a payment channel",
  "channel.refunded": "Payment channel refunded",
  "channel.closed": "Payment channel closed",
};

function titleOf(type: WebhookDelivery["type"], data: JsonObject): string {
  const title = type === "webhook.test" ? "Test" : titles[type];
  const amount = textOf(data, "amount");
  if (type === "credits.low") return `${title}: ${countOf(data, "available")}`;
  if (type === "fee.changed") {
    const count = countOf(data, "credits");
    return `${title}: ${count} ${count === "1" ? "credit" : "credits"} (${textOf(data, "usdc")} USDC)`;
  }
  if (type === "purchase.credited") return `${title}: ${countOf(data, "credits")}`;
  return /^\d{1,78}$/.test(amount) ? `${title}: ${readableUsdc(BigInt(amount))} USDC` : title;
}

function linksOf(
  type: WebhookDelivery["type"],
  data: JsonObject,
  { origin, explorers }: MailContext,
): Notice["links"] {
  const network = findNetwork(textOf(data, "network"));
  const transaction = textOf(data, "transaction");
  const isHash = /^0x[0-9a-fA-F]{64}$/.test(transaction);
  const explorer =
    network && isHash ? linkTo(explorers, network.chainId, `0x${transaction.slice(2)}`) : null;
  const id = encodeURIComponent(textOf(data, "id"));
  const [kind] = type.split(".");
  const places: Readonly<Record<string, string>> = {
    settlement: `settlements/${id}`,
    purchase: `credits/purchases/${id}`,
    credits: "credits",
    fee: "credits",
    channel: `channels/${encodeURIComponent(textOf(data, "channelId"))}`,
    webhook: `webhooks/${encodeURIComponent(textOf(data, "endpointId"))}`,
  };
  const dashboard = `${origin}${dashboardPath}/${places[kind ?? ""] ?? ""}`;
  return [
    ["On the dashboard", dashboard] as const,
    ...(explorer === null ? [] : [["Transaction", explorer] as const]),
  ];
}

/** A member as text on one line; empty where there is none. */
function textOf(data: JsonObject, name: string): string {
  const value = data[name];
  return typeof value === "string" || typeof value === "number" ? printableLine(`${value}`) : "";
}

/** A number as people read it: `30,000`. */
function countOf(data: JsonObject, name: string): string {
  const value = data[name];
  return typeof value === "number" ? value.toLocaleString("en") : textOf(data, name);
}

/** `2026-11-26 20:05:15 UTC`; what is no time in UTC stays as it is. */
function readableTime(text: string): string {
  return text.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/, "$1 $2 UTC");
}
