/** Who calls: an API key where the surface asks for one, before the body is looked at. */
import { isSameAddress, type PaymentRequest } from "@farthing/protocol";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { ApiKey } from "../model/api-key.ts";
import { HttpProblem } from "./answer.ts";
import type { HttpContext } from "./context.ts";
import type { Throttle } from "./limits.ts";
import type { Surface } from "./surface.ts";

/** One text for unknown, mistyped, expired and revoked keys: which it was is nobody's business. */
const noKey =
  "Send a valid API key as `Authorization: Bearer fk_…`. Sellers create them at /account/facilitator, operators with `farthing keys create`.";

/**
 * Lets a request in before its body is read: who calls, and whether he may call again already. A
 * wrong key counts against the address it came from, so that keys cannot be tried out at will.
 */
export function admission(
  context: HttpContext,
  surface: Pick<Surface, "auth">,
  throttle: Throttle,
) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    request.apiKey = null;
    try {
      request.apiKey = await authenticateCaller(context, surface, request);
    } finally {
      await throttle(request, reply, request.apiKey);
    }
  };
}

/** The key of a request; null where the surface asks for none. Throws 401. */
async function authenticateCaller(
  context: HttpContext,
  surface: Pick<Surface, "auth">,
  request: FastifyRequest,
): Promise<ApiKey | null> {
  if (surface.auth === "none") return null;
  const text = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? "")?.[1];
  const key = text === undefined ? undefined : await context.authenticate(text);
  if (!key) throw new HttpProblem("unauthorized", noKey);
  return key;
}

/** A key acts for one payout address, on live or on test networks. Throws 403 or 401. */
export function checkPayee(key: ApiKey | null, { payment, requirements }: PaymentRequest): void {
  if (key === null) return;
  const mode = payment.network.chainId === 50 ? "live" : "test";
  if (key.mode !== mode) {
    throw new HttpProblem(
      "unauthorized",
      `${payment.network.id} needs a ${mode} key, this is a ${key.mode} key.`,
    );
  }
  if (!isSameAddress(key.account, requirements.payTo)) {
    throw new HttpProblem(
      "payee_mismatch",
      `This key belongs to ${key.account}, the requirements pay ${requirements.payTo}; use that address's key.`,
    );
  }
}
