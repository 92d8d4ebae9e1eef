/** How many calls an endpoint takes in one request, of those that this configuration would make. */
import { ok, warn, type CheckLine } from "../base/check-line.ts";
import type { EndpointExpectations } from "./endpoint-facts.ts";
import type { RpcEndpoint } from "./rpc-endpoint.ts";

/** Transactions that a wallet has under way at most; after a silence each receipt is asked for. */
const openPerWallet = 8;

/** Pause after a refusal for the rate, which says nothing about the size. */
const pauseMs = 1_000;

/** Requests in all: a size of a thousand halves ten times, and a few may be refused for the rate. */
const requestsMax = 15;

const call = { method: "eth_blockNumber", params: [] };

/** Asks for so many calls at once, and for half of them until they are taken. */
export async function checkBatches(
  endpoint: RpcEndpoint,
  { clock, wallets }: Pick<EndpointExpectations, "clock" | "wallets">,
): Promise<CheckLine> {
  const wanted = 1 + openPerWallet * Math.max(1, wallets);
  let calls = wanted;
  for (let requests = 0; requests < requestsMax && calls > 1; requests++) {
    const outcome = await send(endpoint, calls);
    if (outcome === "taken") break;
    if (outcome === "busy") await clock.sleep(pauseMs);
    else calls = Math.floor(calls / 2);
  }
  if (calls === wanted) return ok("batches", `${calls} calls travel in one request`);
  if (calls > 1) {
    return warn(
      "batches",
      `${wanted} calls in one request were refused, ${calls} are taken`,
      "expect more requests, or use an endpoint that takes longer batches",
    );
  }
  return warn(
    "batches",
    "not taken; every call is a request of its own",
    "expect more requests, or use an endpoint that takes JSON-RPC batches",
  );
}

async function send(endpoint: RpcEndpoint, calls: number): Promise<"taken" | "refused" | "busy"> {
  try {
    const reply = await endpoint.send(Array.from({ length: calls }, () => call));
    if (reply.kind === "answered") return "taken";
    return reply.refusal === "rate_limited" ? "busy" : "refused";
  } catch {
    // An answer that does not fit the question is a refusal too; a silent node was found before.
    return "refused";
  }
}
