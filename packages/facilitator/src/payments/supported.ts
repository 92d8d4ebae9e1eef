/**
 * GET /supported, made once from the configuration but for the fee: a node that is down must not remove a kind,
 * because stock sellers exit when a kind that they need is missing.
 */
import { timeText } from "@farthing/engine/base";
import { supportedKinds } from "@farthing/engine/x402";
import {
  formatUsdc,
  paymentIdentifierName,
  unitsPerCredit,
  type SupportedResponse,
} from "@farthing/protocol";
import { authenticateCaller } from "../http/access/authenticate.ts";
import { networksOf, type Surface } from "../http/access/surface.ts";
import type { RequestKey } from "../http/access/request-key.ts";
import { channelKinds } from "./channels/channel-kinds.ts";
import type { PaymentContext, SurfaceScope } from "./context.ts";
import { describePayments } from "./describe-surface.ts";

export function registerSupported({ server, context, surface, throttle }: SurfaceScope): void {
  const body = supportedBy(surface, context);
  const testBody = supportedBy({ ...surface, networks: networksOf(surface) }, context);
  const description = describePayments(surface).supported;
  /** The present fee of callers with a key, where there is one; all else is fixed. */
  const withFee = (response: SupportedResponse): SupportedResponse =>
    surface.auth === "none" ? response : addFee(response, context);
  const respond = async (key: RequestKey | null = null): Promise<SupportedResponse> => {
    const isTest = key?.mode === "test";
    const { kinds, ...rest } = isTest ? testBody : body;
    const networks = isTest ? networksOf(surface) : surface.networks;
    const ofChannels = await channelKinds(context, { ...surface, networks }, key?.account ?? null);
    return withFee({ ...rest, kinds: [...kinds, ...ofChannels] });
  };
  server.get(`${surface.basePath}/supported`, description, async (request, reply) => {
    reply.header("Cache-Control", "public, max-age=60");
    if (surface.auth === "none") return respond();
    reply.header("Vary", "Authorization");
    if (request.headers.authorization === undefined) return respond();
    const key = await authenticateCaller(context, surface, request).catch(() => null);
    // What a key is told is its account's: the address that signs for its channels.
    if (key) reply.header("Cache-Control", "private, max-age=60");
    await throttle(request, reply, key);
    return respond(key);
  });
}

function addFee(response: SupportedResponse, context: PaymentContext): SupportedResponse {
  const fees = new Map<string, bigint>(
    context.networks.map((status) => [status.network.id, context.costOf(status).incomeUnits]),
  );
  const kinds = response.kinds.map((kind) => {
    const units = fees.get(kind.network) ?? 0n;
    if (units === 0n) return kind;
    const settlementFee = {
      credits: Number(units / unitsPerCredit),
      usdc: formatUsdc(units),
      since: timeText(context.feeSince()),
    };
    return { ...kind, extra: { ...kind.extra, settlementFee } };
  });
  return { ...response, kinds };
}

function supportedBy(surface: Surface, context: PaymentContext): SupportedResponse {
  const kinds = surface.networks.flatMap((network) =>
    surface.versions.toReversed().flatMap((version) => supportedKinds(network, version)),
  );
  const signers = Object.fromEntries(
    context.networks
      .filter(({ network }) => surface.networks.includes(network))
      .map(({ network, relayers }) => [network.id, relayers]),
  );
  // The self-built surface has no accounts and therefore no catalogue.
  const catalogue = surface.name === "self-built" ? [] : ["bazaar"];
  const extensions = [...catalogue, paymentIdentifierName];
  return { kinds, extensions, signers };
}
