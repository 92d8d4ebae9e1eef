/** GET /settlements/{id}: the state of a settlement; `?wait=N` waits for a change. */
import { defined, isSameAddress } from "@farthing/protocol";
import { isSettled, type Settlement } from "@farthing/engine";
import type { FastifyRequest } from "fastify";
import { HttpProblem } from "../http/messages/responses.ts";
import { settlementResponse } from "../http/messages/settlement-response.ts";
import { admission } from "../http/access/authenticate.ts";
import type { SurfaceScope } from "./context.ts";
import { describePayments } from "./describe-surface.ts";
import { callTermsOf, whenDelivered } from "./exchange-call.ts";
import { parseWait, maxWaitSeconds } from "../http/messages/prefer.ts";
import { networksOf, type Surface } from "../http/access/surface.ts";

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
        const find = () => findVisible({ context, surface }, request);
        const waiting = context.waiters.wait(id, "change", waitMs);
        let settlement = await find();
        // Only pending settlements are waited for; an unknown id must not hold a connection.
        if (settlement && !isSettled(settlement) && waitMs > 0) {
          await waiting.done;
          settlement = await find();
        }
        waiting.cancel();
        if (!settlement) throw noSettlement();
        await context.exchanges.looked(settlement, callTermsOf(request, whenDelivered(reply)));
        reply.header("Cache-Control", "no-store");
        const headNumber = context.viewOf(settlement.chainId)?.head.number ?? 0;
        const unitsMin = context.limits.unitsMin();
        const refunds = await context.listRefunds([id]);
        const response = settlementResponse(settlement, { headNumber, unitsMin }, refunds);
        // Sellers on the asynchronous surface learn the outcome here, and pass it on to the buyer.
        const attested = response.success ? context.attestor.extensionsOf(settlement) : {};
        // Only a final payment is refunded.
        const isFinal = settlement.owner !== null && settlement.finalizedAt !== null;
        const opens = isFinal ? await context.saleKindOf(id) : undefined;
        return { ...response, ...defined({ opens }), ...attested };
      },
    },
  );
}

type Reader = Pick<SurfaceScope, "context" | "surface">;
type SettlementRequest = FastifyRequest<{ Params: { id: string } }>;

/** Returns the settlement of the path, if the caller may read it. Throws 404. */
export async function findReadable(reader: Reader, request: SettlementRequest) {
  const settlement = await findVisible(reader, request);
  if (settlement) return settlement;
  throw noSettlement();
}

async function findVisible({ context, surface }: Reader, { params, apiKey }: SettlementRequest) {
  const found = await context.findSettlement(params.id);
  if (!found || !isOffered(surface, found)) return undefined;
  // Without a key, whoever may see a payment may see its refunds.
  const paid =
    apiKey || found.refundOf === null ? found : await context.findSettlement(found.refundOf);
  return paid && isVisible(paid, apiKey?.account) ? found : undefined;
}

function noSettlement(): HttpProblem {
  return new HttpProblem("not_found", "There is no such settlement of this account.");
}

function isOffered(surface: Surface, { chainId }: Settlement): boolean {
  return networksOf(surface).some((network) => network.chainId === chainId);
}

/**
 * Hides settlements of other accounts, and those made for an account from callers without a key: an
 * id, which receipts contain, must not open the records of an account.
 */
function isVisible({ owner, refundOf, payTo, payer }: Settlement, account: string | undefined) {
  if (account === undefined) return owner === null;
  return isSameAddress(refundOf === null ? payTo : payer, account);
}
