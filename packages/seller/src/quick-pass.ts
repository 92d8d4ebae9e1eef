/**
 * The use of a pass without an `Idempotency-Key`, which is what its holder sends again and again. It
 * is served without the objects of the Fetch API, which cost more than the rest of a short request.
 * Whatever is not of this kind takes the whole exchange.
 */
import { headerNames, isBodiless, passHeaders, signInHeader } from "@farthing/protocol";
import type { Configuration, RouteConfiguration } from "./configuration.ts";
import { toError } from "./errors.ts";
import { emitOutcome, type ChargeOutcome, type PaidRequest } from "./events.ts";
import { responseOfBytes } from "./body.ts";
import { storeFailed } from "./exchange/open-responses.ts";
import type { ExchangeDeps } from "./exchange/paid-request.ts";
import { takeUse } from "./exchange/use-pass.ts";
import { offersOf } from "./offer.ts";
import type { Pass } from "./payment-records/passes/pass-store.ts";
import type { Passes } from "./payment-records/passes/passes.ts";
import { isOrdinary, type PlainRequest } from "./plain-request.ts";
import {
  addCommonHeaders,
  addPass,
  addTokenVary,
  content,
  dropForged,
  forbidCaching,
  type WritableHeaders,
} from "./responses.ts";

/** A response with its whole body, and with headers that the exchange may change. */
export interface PlainResponse<H extends WritableHeaders = WritableHeaders> {
  readonly status: number;
  readonly headers: H;
  readonly body: Uint8Array<ArrayBuffer> | null;
}

/** A use, as {@link Charged} tells of it. */
export interface QuickUse<H extends WritableHeaders> {
  readonly response: Response | PlainResponse<H>;
  readonly outcome: ChargeOutcome;
  readonly payment?: PaidRequest;
}

/** The seller's code. A `Response` takes the way of the whole exchange. */
export type ServePlainly<H extends WritableHeaders> = (
  payment: PaidRequest,
) => Promise<PlainResponse<H> | Response>;

/** Returns undefined, with nothing taken, where the request needs the whole exchange. */
export type UsePassQuickly = <H extends WritableHeaders>(
  request: PlainRequest,
  serve: ServePlainly<H>,
  isGone: () => boolean,
) => Promise<QuickUse<H> | undefined>;

/** With any of them a request is more than the use of a pass. */
const otherHeaders = [
  headerNames.paymentSignature,
  headerNames.xPayment,
  signInHeader,
  "Idempotency-Key",
].map((name) => name.toLowerCase());

const tokenHeader = passHeaders.token.toLowerCase();

/** Returns what uses the passes of a route; undefined where a use depends on more. */
export function createQuickPass<R>(
  seller: ExchangeDeps,
  of: Configuration,
  route: RouteConfiguration<R>,
  sold: { readonly scope?: string | undefined; readonly passes: Passes } | undefined,
): UsePassQuickly | undefined {
  const { publicUrl } = of;
  const { amount, payTo, maxTimeoutSeconds, settlementTiming, workMs, redirects } = route;
  if (!sold || publicUrl === undefined) return undefined;
  if (typeof amount !== "bigint" || typeof payTo !== "string") return undefined;
  if (route.describe || route.check || route.isStreamed) return undefined;
  const { passes } = sold;
  const { protocol, host, pathname } = new URL(publicUrl);
  const base = `${protocol}//${host}${pathname.replace(/\/+$/, "")}`;
  /** Without a scope of its own, a pass opens the address at which it was bought. */
  const scopeOf = ({ target }: PlainRequest) => sold.scope ?? base + target.replace(/\?.*/, "");
  const offers = offersOf(of.networks, { amount, payTo, maxTimeoutSeconds });
  const networks = new Set<string>(offers.map(({ network }) => network.id));

  function isOpen(pass: Pass, request: PlainRequest): boolean {
    const isPaidHere = networks.has(pass.payment.network) && pass.scope === scopeOf(request);
    return isPaidHere && pass.isFinal && passes.endOf(pass) === undefined;
  }

  async function use<H extends WritableHeaders>(
    token: string,
    request: PlainRequest,
    serve: ServePlainly<H>,
    isGone: () => boolean,
  ): Promise<QuickUse<H> | undefined> {
    const pass = await passes.find(token);
    if (!pass || !isOpen(pass, request)) return undefined;
    const served: { plain?: PlainResponse<H> } = {};
    const asked = {
      pass: { passes, isGone },
      settlementTiming,
      workMs,
      redirects,
      isStreamed: false,
      async serve(payment: PaidRequest): Promise<Response> {
        const response = await serve(payment);
        if (response instanceof Response) return response;
        if (!isSuccess(response.status)) return toResponse(response);
        served.plain = response;
        return standInFor(response.status);
      },
    };
    const used = await takeUse(seller, asked, pass);
    if (!used || "outcome" in used) return used;
    const { made, taken, payment } = used;
    const response = served.plain ?? content(made.response, made.body);
    if (served.plain) {
      dropForged(response.headers);
      forbidCaching(response.headers);
    }
    addPass(response.headers, taken);
    return { response, outcome: { type: "used", payment } };
  }

  return async (request, serve, isGone) => {
    const token = request.headers[tokenHeader];
    if (typeof token !== "string" || !isOrdinary(request, otherHeaders)) return undefined;
    const url = publicUrl + request.target;
    try {
      const used = await use(token, request, serve, isGone).catch(storeFailed);
      if (!used) return undefined;
      const { response, outcome } = used;
      addCommonHeaders(response.headers, of.allowOrigin);
      addTokenVary(response.headers);
      emitOutcome(seller.emit, url, outcome);
      return "payment" in outcome ? { response, outcome, payment: outcome.payment } : used;
    } catch (error) {
      seller.emit({ type: "broken", url, error });
      throw toError(error);
    }
  };
}

function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}

function toResponse({ status, headers, body }: PlainResponse): Response {
  const pairs = [...headers.keys()].map((name): [string, string] => [
    name,
    headers.get(name) ?? "",
  ]);
  const init = { status, headers: pairs };
  return body && !isBodiless(status) ? responseOfBytes(body, init) : new Response(null, init);
}

/** Empty responses, by status: the exchange looks at the status of a success alone. */
const standIns = new Map<number, Response>();

function standInFor(status: number): Response {
  const known = standIns.get(status) ?? new Response(null, { status });
  standIns.set(status, known);
  return known;
}
