/** POST /v1/listings/check: checks an endpoint before it is listed. */
import { Type } from "typebox";
import { checkSteps } from "./check-steps.ts";
import { AmountText, exactly, oneOf, changeProblems } from "../../http/messages/schemas.ts";
import type { TypedServer } from "../../http/messages/type-provider.ts";
import { sessionOf } from "../../http/access/session.ts";
import { EndpointMembers, NetworkText, readAmount, readEndpoint, readNetwork } from "./schemas.ts";
import type { ListingRouteDeps } from "./routes.ts";

export const TrialResponse = exactly({
  ok: Type.Boolean({ description: "Whether a listing with this would be live" }),
  checks: Type.Array(
    exactly({
      name: oneOf(checkSteps),
      ok: Type.Boolean(),
      detail: Type.String({ description: "What was found; empty when in order" }),
    }),
  ),
});

const { resource: url, ...rest } = EndpointMembers;

export function registerListingTrial(server: TypedServer, deps: ListingRouteDeps): void {
  server.post("/v1/listings/check", {
    config: { permission: "manage_listings" },
    schema: {
      operationId: "tryListing",
      tags: ["Listings"],
      summary: "Check an endpoint before listing it",
      description:
        "Compares its challenge with the account that is signed in as payee. Without `amount`, any price is right; without `network`, any that is served.",
      security: [{ session: [] }],
      body: exactly({
        url,
        ...rest,
        network: Type.Optional(NetworkText),
        amount: Type.Optional(AmountText),
      }),
      response: { 200: TrialResponse, ...changeProblems() },
    },
    handler: async (request, reply) => {
      const { account } = sessionOf(request);
      const { url: resource, network, amount, ...others } = request.body;
      const served = deps.networks.map(({ chainId }) => chainId);
      const target = {
        ...readEndpoint(deps, { resource, ...others }),
        chainIds: network === undefined ? served : [readNetwork(deps, network)],
        amount: amount === undefined ? null : readAmount(amount),
      };
      await deps.limitChecks(request, reply, target.resource);
      const checks = await deps.listings.tryOut(account, target);
      return { ok: checks.every(({ ok }) => ok), checks };
    },
  });
}
