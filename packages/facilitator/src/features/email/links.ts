/** The links in mails. A link to unsubscribe is valid as long as its address exists. */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { WebhookEndpoint } from "../webhooks/model.ts";

export const confirmPath = "/email/confirm";
export const unsubscribePath = "/email/unsubscribe";

type Keyed = Pick<WebhookEndpoint, "id" | "secret">;

export function confirmUrl(origin: string, token: string): string {
  return `${origin}${confirmPath}?token=${token}`;
}

/** What is stored of a token. */
export function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

export function unsubscribeUrl(origin: string, endpoint: Keyed): string {
  return `${origin}${unsubscribePath}?id=${endpoint.id}&key=${keyOf(endpoint)}`;
}

export function isUnsubscribeKey(endpoint: Keyed, key: string): boolean {
  const [given, wanted] = [Buffer.from(key), Buffer.from(keyOf(endpoint))];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

function keyOf({ id, secret }: Keyed): string {
  return createHmac("sha256", secret).update(`unsubscribe ${id}`).digest("base64url");
}
