/** Authentication by API key, before the body is read. */
import { isSameAddress, type Address, type Network, type PaymentRequest } from "@farthing/protocol";
import { HttpProblem } from "../messages/responses.ts";
import type { CallerRequest, ResponseHead } from "./caller.ts";
import type { Throttle } from "./limits.ts";
import { keyModeOf, type RequestKey } from "./request-key.ts";
import type { Surface } from "./surface.ts";

/** The text does not distinguish unknown, mistyped, expired and revoked keys. */
const noKey =
  "The seller asked without a valid API key, which goes into the header `Authorization: Bearer fk_…`. Sellers create one at /account/facilitator, operators with `farthing keys create`; a buyer needs none. A key is refused that was revoked or has expired, and one that the service lost when it restored its database: create it again.";

export interface Authentication {
  authenticate(text: string): Promise<RequestKey | undefined>;
}

/**
 * Authenticates the caller before the body is read. A wrong key counts against the address it came
 * from, so that keys cannot be tried out at will.
 */
export function admission(
  context: Authentication,
  surface: Pick<Surface, "auth">,
  throttle: Throttle,
) {
  return async (request: CallerRequest, head: ResponseHead): Promise<void> => {
    request.apiKey = null;
    try {
      request.apiKey = await authenticateCaller(context, surface, request);
    } finally {
      await throttle(request, head, request.apiKey);
    }
  };
}

/** Returns the key, or null on a surface without keys. Throws 401. */
export async function authenticateCaller(
  context: Authentication,
  surface: Pick<Surface, "auth">,
  request: Pick<CallerRequest, "headers">,
): Promise<RequestKey | null> {
  if (surface.auth === "none") return null;
  const text = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? "")?.[1];
  const key = text === undefined ? undefined : await context.authenticate(text);
  if (!key) throw new HttpProblem("unauthorized", noKey);
  return key;
}

/**
 * Checks that a key acts for the payout address and the kind of network of the requirements, which
 * are the seller's, not of the payload, which is the buyer's. Verification refuses a payment for
 * another network; a buyer must not make a good key look wrong. Throws 403 or 401.
 *
 * Stock sellers pass these messages on to buyers, so they contain no secret of the seller.
 */
export function checkPayee(
  key: RequestKey | null,
  { payment, requirements }: PaymentRequest,
): void {
  if (key === null) return;
  if (payment.network === requirements.network) checkMode(key, requirements.network);
  checkOwner(key, requirements.payTo);
}

/** The same for the message of a channel. */
export function checkKey(
  key: RequestKey | null,
  { network, payTo }: { readonly network: Network; readonly payTo: Address },
): void {
  if (key === null) return;
  checkMode(key, network);
  checkOwner(key, payTo);
}

function checkOwner(key: RequestKey, payTo: Address): void {
  if (isSameAddress(key.account, payTo)) return;
  throw new HttpProblem(
    "payee_mismatch",
    `The API key acts for another address than payTo, ${payTo}; the seller needs that address's key. GET /v1/key tells whose a key is.`,
  );
}

/** Checks that a key is for the kind of network. Throws 401. */
export function checkMode(key: RequestKey | null, network: Network): void {
  const mode = keyModeOf(network.chainId);
  if (key === null || key.mode === mode) return;
  throw new HttpProblem(
    "unauthorized",
    `The seller's API key: ${network.id} needs a ${mode} key, this is a ${key.mode} key.`,
  );
}

/** Stock sellers pass the message of a 403 on to buyers, so only the code names the cause. */
export const sellersMatter =
  "This payment was not evaluated and no money moved: the seller's account with the facilitator needs attention. The buyer can do nothing about it; the seller finds the cause under the error code.";

/**
 * Refuses a key whose account has no active plan. `/settle` checks the plan in the transaction of
 * the claim; `/verify` claims nothing and checks here. Throws 403.
 */
export async function checkPlan(
  context: { planOf(account: Address): Promise<string | undefined> },
  key: Pick<RequestKey, "account"> | null,
): Promise<void> {
  if (key === null || (await context.planOf(key.account)) === "active") return;
  throw new HttpProblem("seller_plan_inactive", sellersMatter);
}
