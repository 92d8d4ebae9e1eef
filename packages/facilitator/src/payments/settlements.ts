/** GET /settlements/{id}: the state of a settlement; `?wait=N` waits for a change. */
import { isSameAddress } from "@farthing/protocol";
import { isSettled, type Settlement } from "@farthing/engine";
import { settlementResponse, HttpProblem } from "../http/responses.ts";
import { admission } from "../http/authenticate.ts";
import type { SurfaceScope } from "./context.ts";
import { describePayments } from "./describe-surface.ts";
import { callTermsOf } from "./exchange-call.ts";
import { parseWait, maxWaitSeconds } from "../http/prefer.ts";
import { networksOf, type Surface } from "../http/surface.ts";

export function registerSettlements({ server, context, surface, throttle }: SurfaceScope): void {
  server.get<{ Params: { id: string }; Querystring: { wait?: unknown } }>(
    `${surface.basePath}/settlements/:id`,
    {
      ...describePayments(surface).settlement,
      onRequest: admission(context, surface, throttle),
      handler: async (request, reply) => {
        const { id } = request.params;
        const waitMs = parseWait(request.query.wait);
        if (waitMs === undefined) {
          throw new HttpProblem("invalid_request", `wait must be 0 to ${maxWaitSeconds} seconds.`);
        }
        const find = async () => visible(await context.findSettlement(id), request.apiKey?.account);
        const waiting = context.waiters.wait(id, "change", waitMs);
        let settlement = await find();
        // Only pending settlements are waited for; an unknown id must not hold a connection.
        if (settlement && !isSettled(settlement) && waitMs > 0) {
          await waiting.done;
          settlement = await find();
        }
        waiting.cancel();
        if (!settlement || !isOffered(surface, settlement)) {
          throw new HttpProblem("not_found", "There is no such settlement of this account.");
        }
        const view = context.viewOf(settlement.chainId);
        const finalizedNumber = view?.finalized.number ?? 0;
        await context.exchanges.looked(settlement, callTermsOf(request, reply));
        reply.header("Cache-Control", "no-store");
        return settlementResponse(settlement, {
          headNumber: view?.head.number ?? 0,
          finalizedNumber,
        });
      },
    },
  );
}

function isOffered(surface: Surface, { chainId }: Settlement): boolean {
  return networksOf(surface).some((network) => network.chainId === chainId);
}

/**
 * Hides settlements of other accounts, and those made with a key from callers without one: an id,
 * which receipts contain, must not open the records of an account.
 */
function visible(settlement: Settlement | undefined, account: string | undefined) {
  if (!settlement) return undefined;
  if (account === undefined) return settlement.keyId === null ? settlement : undefined;
  return isSameAddress(settlement.payTo, account) ? settlement : undefined;
}
