/** GET /settlements/{id}/attestation, and the public keys at /.well-known/jwks.json. */
import type { FastifyInstance } from "fastify";
import { HttpProblem } from "../http/messages/responses.ts";
import { admission } from "../http/access/authenticate.ts";
import type { PaymentContext, SurfaceScope } from "./context.ts";
import { describeAttestations, describeKeySet } from "./describe-surface.ts";
import { findReadable } from "./settlements.ts";

/** Verifiers find a new key within this time, so it is published that long before it signs. */
const keySetSeconds = 300;

/** Registers the keys once: they belong to the service, not to a surface. */
export function registerKeySet(server: FastifyInstance, { attestor }: PaymentContext): void {
  server.get("/.well-known/jwks.json", describeKeySet(), async (_, reply) => {
    reply.header("Cache-Control", `public, max-age=${keySetSeconds}`);
    return attestor.keySet;
  });
}

export function registerAttestations({ server, context, surface, throttle }: SurfaceScope): void {
  const { attestor } = context;
  server.get<{ Params: { id: string } }>(`${surface.basePath}/settlements/:id/attestation`, {
    ...describeAttestations(surface),
    onRequest: admission(context, surface, throttle),
    handler: async (request, reply) => {
      if (!attestor.isConfigured) {
        throw new HttpProblem("not_found", "This facilitator does not attest settlements.");
      }
      const settlement = await findReadable({ context, surface }, request);
      const signature = attestor.attest(settlement);
      if (signature === undefined) {
        throw new HttpProblem(
          "conflict",
          "The settlement is not confirmed, so there is nothing to attest.",
        );
      }
      reply.header("Cache-Control", "no-store");
      return { settlementId: settlement.id, format: "jws", signature };
    },
  });
}
