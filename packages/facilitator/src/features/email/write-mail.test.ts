/** What each mail says, in its text and in its HTML. */
import { expect, test } from "vitest";
import type { WebhookDelivery, WebhookEndpoint } from "../webhooks/model.ts";
import { writeConfirmation, writeDigest } from "./write-mail.ts";

const endpoint: WebhookEndpoint = {
  id: "whk_1",
  account: `0x${"22".repeat(20)}`,
  url: "mailto:anna@shop.example",
  secret: "whsec_AAAA",
  events: [],
  channel: "email",
  createdAt: 0,
  disabledAt: null,
  pausedAt: null,
  isPausedByOwner: false,
};

const context = { origin: "https://pay.example", explorers: new Map() };

function digestOf(type: WebhookDelivery["type"], data: object) {
  const message = { type, timestamp: "2026-11-26T20:05:15.123Z", data };
  const delivery: WebhookDelivery = {
    id: "msg_1",
    endpointId: endpoint.id,
    account: endpoint.account,
    type,
    body: JSON.stringify(message),
    state: "pending",
    attempts: 1,
    nextAt: 0,
    lastStatus: null,
    lastError: null,
    createdAt: 1,
    deliveredAt: null,
  };
  return writeDigest(endpoint, { shown: [delivery], count: 1 }, context);
}

const payment = { id: "stl_1", network: "eip155:50", amount: "1234567890000" };

test.each<readonly [WebhookDelivery["type"], object, string, string]>([
  ["settlement.confirmed", payment, "Payment received: 1,234,567.89 USDC", "Network: XDC Network"],
  [
    "settlement.failed",
    { ...payment, failureMessage: "The payer has 0 USDC." },
    "Payment failed: 1,234,567.89 USDC",
    "Reason: The payer has 0 USDC.",
  ],
  [
    "settlement.refund_failed",
    { ...payment, failureMessage: "The authorization expired." },
    "Refund failed: 1,234,567.89 USDC",
    "Reason: The authorization expired.",
  ],
  [
    "credits.low",
    { available: 1200, lowAt: 30_000 },
    "Few credits left: 1,200",
    "Warning below: 30,000 credits",
  ],
  [
    "fee.changed",
    { credits: 60, creditsBefore: 1, usdc: "0.060000", since: "2026-11-26T20:05:15.000Z" },
    "Fee of a settlement changed: 60 credits (0.060000 USDC)",
    "Before: 1 credits",
  ],
  [
    "purchase.credited",
    { id: "pur_1", credits: 30_000, network: "eip155:51" },
    "[Test] Credits added: 30,000",
    "On the dashboard: https://pay.example/account/facilitator/credits/purchases/pur_1",
  ],
  [
    "webhook.paused",
    { endpointId: "whk_2", url: "https://hooks.example/a/long/path" },
    "Webhook paused after failures",
    "Endpoint: https://hooks.example/a/long/path",
  ],
])("%s says what happened, when, and where to look", (type, data, subject, line) => {
  const mail = digestOf(type, data);
  expect(mail.subject).toBe(subject);
  expect(mail.text.split("\n")).toEqual(
    expect.arrayContaining(["Time: 2026-11-26 20:05:15 UTC", line]),
  );
  expect(mail.html).toContain(`<title>${subject}</title>`);
});

test("a mail fits a phone and leaves its colours to the mail program", () => {
  const link = "https://pay.example/email/confirm?token=x";
  const { html } = writeConfirmation(endpoint, { link, hours: 24, token: "x" });
  for (const one of [html, digestOf("settlement.confirmed", payment).html]) {
    expect(one).toContain('content="width=device-width');
    expect(one).toContain("overflow-wrap:anywhere");
    // A fixed grey is too faint in light or in dark.
    expect(one).not.toMatch(/[";]color:/);
  }
});
