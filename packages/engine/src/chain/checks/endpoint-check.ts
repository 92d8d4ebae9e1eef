/** Checks that one endpoint supports every call that the facilitator makes. Sends nothing. */
import { fail, ok, warn, type CheckLine } from "../../base/check-line.ts";
import { steadyClockOf } from "../../base/clock.ts";
import { messageOf } from "../../base/fault.ts";
import { silentLog } from "../../base/log.ts";
import { checkReads, checkReverts, checkState } from "./call-checks.ts";
import { checkBatches } from "./batch-check.ts";
import { createChain, quantity, type Chain } from "../endpoints/chain.ts";
import {
  addressLine,
  finalityLine,
  gasPriceLine,
  headLine,
  latencyLine,
  readFacts,
  explainedResult,
  type EndpointExpectations,
} from "./endpoint-facts.ts";
import { checkBlockLogs, checkLogRange } from "./log-checks.ts";
import type { RpcEndpoint } from "../endpoints/rpc-endpoint.ts";
import { wrongChain } from "./self-check.ts";

export interface EndpointReport {
  readonly endpoint: RpcEndpoint;
  readonly lines: readonly CheckLine[];
  /** Absent when the endpoint is silent or on another chain. */
  readonly head?: number;
}

export async function checkEndpoint(
  endpoint: RpcEndpoint,
  expected: EndpointExpectations,
): Promise<EndpointReport> {
  const { network, clock } = expected;
  const chain = createChain({ network, endpoints: [endpoint], log: silentLog, clock });
  const lines: CheckLine[] = [];
  try {
    // The first request includes the connection; the second shows the latency of a payment.
    const found = await readChainId(chain);
    const steady = steadyClockOf(clock);
    const asked = steady.nowMs();
    await readChainId(chain);
    lines.push(latencyLine(steady.nowMs() - asked));
    if (found !== network.chainId) {
      return { endpoint, lines: [...lines, wrongChain(chain, found)] };
    }
    const facts = await readFacts(chain);
    lines.push(
      ok("chain id", `${found}, ${network.name}`),
      headLine(facts, expected),
      finalityLine(facts),
      gasPriceLine(facts, expected),
      addressLine(facts),
      await attempt("state", () => checkState(chain)),
      await attempt("batches", () => checkBatches(endpoint, expected)),
      await attempt("logs by block", () => checkBlockLogs(chain, facts)),
      await attempt("logs by range", () => checkLogRange(chain, facts)),
      await attempt("payment reads", () => checkReads(chain)),
      await attempt("reverts", () => checkReverts(chain)),
    );
    return { endpoint, lines, head: facts.head };
  } catch (error) {
    const fix = `check entry ${endpoint.index + 1} of FARTHING_RPC_${network.chainId}, and that this node runs and lets you in`;
    return { endpoint, lines: [...lines, fail("answer", plain(error), fix)] };
  }
}

export function compareHeads(reports: readonly EndpointReport[], lagBlocksMax: number) {
  const heads = reports.flatMap(({ endpoint, head }) =>
    head === undefined ? [] : [{ index: endpoint.index, head }],
  );
  if (heads.length < 2) return [];
  const newest = Math.max(...heads.map(({ head }) => head));
  const lagging = heads.filter(({ head }) => newest - head > lagBlocksMax);
  if (lagging.length === 0) return [ok("heads", `all within ${lagBlocksMax} blocks of ${newest}`)];
  return lagging.map(({ index, head }) =>
    warn(
      "heads",
      `endpoint ${index} is ${newest - head} blocks behind the newest, ${newest}`,
      "it is asked last while it lags; replace it if it stays so",
    ),
  );
}

/** Removes the endpoint's name, which the section's title states already. */
function plain(error: unknown): string {
  return messageOf(error).replace(/^RPC endpoint \d+: /, "");
}

async function attempt(name: string, check: () => Promise<CheckLine>): Promise<CheckLine> {
  try {
    return await check();
  } catch (error) {
    return fail(name, plain(error), "use another endpoint; this one cannot be worked with");
  }
}

async function readChainId(chain: Chain): Promise<number> {
  const [reply] = await chain.read([{ method: "eth_chainId", params: [] }]);
  return Number(quantity(explainedResult(reply, "eth_chainId"), "the chain id"));
}
