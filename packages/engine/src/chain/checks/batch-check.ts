/** Checks how many calls an endpoint accepts in one request, up to what this setup needs. */
import { ok, warn, type CheckLine } from "../../base/check-line.ts";
import type { EndpointExpectations } from "./endpoint-facts.ts";
import type { RpcEndpoint } from "../endpoints/rpc-endpoint.ts";

/** Most open transactions of a wallet; after an outage each receipt is requested. */
const openPerWallet = 8;

const pauseMs = 1_000;

/** A size of a thousand halves ten times; a few requests may be rate limited. */
const requestsMax = 15;

const call = { method: "eth_blockNumber", params: [] };

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
    const response = await endpoint.send(Array.from({ length: calls }, () => call));
    if (response.kind === "answered") return "taken";
    return response.refusal === "rate_limited" ? "busy" : "refused";
  } catch {
    // A malformed reply counts as a refusal; a silent node was reported before.
    return "refused";
  }
}
