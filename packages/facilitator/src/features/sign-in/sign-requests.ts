/**
 * Texts for wallets to sign: created and stored here, answered with a signature only. The browser
 * that requested a text may answer it once, right or wrong, within its time.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { isHexBytes } from "@farthing/protocol";
import {
  composeMessage,
  type SettlementEngine,
  signatureBytesMax,
  statementText,
  type WalletKind,
} from "@farthing/engine";
import type { Runtime } from "@farthing/engine/base";
import type { SignPurpose, SignRequest } from "./model.ts";
import type { SignRequestStore } from "./sign-request-store.ts";
import type { Site } from "../../http/site/site.ts";

/** The time that a hardware wallet and its owner need. */
export const signRequestMs = 10 * 60 * 1000;

/** Clock difference of two processes before a text counts as made in the future. */
const clockSkewMsMax = 60_000;

/** The end of every text. */
const noTransaction = "This is not a transaction and costs no fee.";

export interface SigningDeps extends Runtime {
  readonly store: SignRequestStore;
  /** From the configuration, never from a request. */
  site(): Site;
  readonly engine: Pick<SettlementEngine, "checkWalletSignature">;
}

export interface SignRequestInput extends Pick<
  SignRequest,
  "purpose" | "address" | "chainId" | "account" | "binding" | "details"
> {
  /** One sentence. */
  readonly statement: string;
  /** The details as a URI fragment, for people who read the text with care. */
  readonly fragment?: string;
}

export interface SignAnswer {
  readonly requestId: string;
  readonly signature: string;
}

export type SignOutcome =
  | { readonly ok: true; readonly request: SignRequest; readonly walletKind: WalletKind }
  | { readonly ok: false; readonly reason: SignFailure };

/** For the log only, except `undeployed`: callers do not learn what was wrong. */
export type SignFailure =
  | "unknown_request"
  | "other_purpose"
  | "other_browser"
  | "expired"
  | "made_in_the_future"
  | "chain_not_served"
  | "undeployed"
  | "malformed_signature"
  | "foreign_signature";

/** Ties a text to a browser: the hash of that browser's token. */
export function bindingOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

export async function askToSign(deps: SigningDeps, input: SignRequestInput): Promise<SignRequest> {
  const { purpose, address, chainId, account, binding, details } = input;
  const { origin, host } = deps.site();
  const uri = `${origin}/account/facilitator`;
  const id = `sgn_${randomBytes(16).toString("hex")}`;
  const createdAt = deps.clock.nowMs();
  const expiresAt = createdAt + signRequestMs;
  const message = composeMessage({
    domain: host,
    uri,
    address,
    chainId,
    statement: statementText(`${input.statement} ${noTransaction}`),
    // 128 random bits.
    nonce: randomBytes(16).toString("hex"),
    requestId: id,
    issuedAt: createdAt,
    expiresAt,
    ...(input.fragment === undefined ? {} : { resources: [`${uri}#${input.fragment}`] }),
  });
  const stored = { id, purpose, address, chainId, account, message, binding, details };
  const request: SignRequest = { ...stored, createdAt, expiresAt };
  await deps.store.createSignRequest(request);
  return request;
}

/** Deletes a text, right or wrong, and verifies its answer. Throws RPC faults. */
export async function takeSigned(
  deps: SigningDeps,
  { requestId, signature }: SignAnswer,
  expected: { readonly purpose: SignPurpose; readonly binding: string },
): Promise<SignOutcome> {
  const request = await deps.store.takeSignRequest(requestId);
  const failure = findRequestFailure(request, expected, deps.clock.nowMs());
  if (failure !== undefined || request === undefined) {
    return refuse(deps, requestId, failure ?? "unknown_request");
  }
  if (!isHexBytes(signature, signatureBytesMax)) {
    return refuse(deps, requestId, "malformed_signature");
  }
  const walletKind = await deps.engine.checkWalletSignature(request.chainId, {
    address: request.address,
    message: request.message,
    signature,
  });
  if (!walletKind) return refuse(deps, requestId, "chain_not_served");
  if (walletKind === "undeployed") return refuse(deps, requestId, walletKind);
  if (walletKind === "foreign") return refuse(deps, requestId, "foreign_signature");
  return { ok: true, request, walletKind };
}

function findRequestFailure(
  request: SignRequest | undefined,
  expected: { readonly purpose: SignPurpose; readonly binding: string },
  now: number,
): SignFailure | undefined {
  if (!request) return "unknown_request";
  if (request.purpose !== expected.purpose) return "other_purpose";
  if (!isSameText(request.binding, expected.binding)) return "other_browser";
  if (request.expiresAt <= now) return "expired";
  return request.createdAt > now + clockSkewMsMax ? "made_in_the_future" : undefined;
}

function refuse(deps: SigningDeps, requestId: string, reason: SignFailure): SignOutcome {
  deps.log.info(
    { event: "signature_refused", signRequest: requestId.slice(0, idCharsMax), reason },
    "Signature refused",
  );
  return { ok: false, reason };
}

/** Bounds the logged part of an id, which callers choose. */
const idCharsMax = 40;

/** Compares in constant time. */
function isSameText(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)];
  return first.length === second.length && timingSafeEqual(first, second);
}
