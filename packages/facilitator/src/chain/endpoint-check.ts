/**
 * One RPC endpoint on its own: does it answer, is it on the right chain and in sync, and does it
 * take everything that the facilitator asks of a node. Found out by asking, never by sending.
 */
import { isObject, type Network } from "@farthing/protocol";
import { fail, ok, warn, type CheckLine } from "../base/check-line.ts";
import type { Clock } from "../base/clock.ts";
import { messageOf } from "../base/fault.ts";
import { silentLog } from "../base/log.ts";
import { blockLogsCall, readAuthorizationEvents } from "./authorization-logs.ts";
import { bytesOf, createChain, quantity, resultOf, type Chain } from "./chain.ts";
import { formatGwei } from "./ether.ts";
import { classifyNodeError } from "./node-errors.ts";
import { takesPaymentReads } from "./payment-reader.ts";
import type { RpcAnswer, RpcEndpoint } from "./rpc-endpoint.ts";
import { wrongChain } from "./self-check.ts";

/** Milliseconds of an answer beyond which every payment is felt to be slow. */
const slowMs = 1_000;

/** Requests on their way at once under load: what the reader of payments allows itself. */
const burstRequests = 16;

/** Blocks of 2 s between head and finality beyond which something is wrong; the rule gives three. */
const finalityLagMax = 30;

/** Seconds after which a head is looked at: a missing leader pauses XDC for up to a minute. */
const headAgeNotable = 10;

/** What the operator has chosen. */
export interface EndpointExpectations {
  readonly network: Network;
  readonly clock: Clock;
  /** Wei. */
  readonly gasPriceFloor: bigint;
  readonly gasPriceCeiling: bigint;
  /** Seconds; 0 for any age. */
  readonly headAgeMax: number;
}

/** What was found at an endpoint. */
export interface EndpointReport {
  readonly endpoint: RpcEndpoint;
  readonly lines: readonly CheckLine[];
  /** Its newest block; absent when it is no use: silent, or on another chain. */
  readonly head?: number;
}

/** Checks an endpoint; every finding is a line, and nothing is thrown. */
export async function checkEndpoint(
  endpoint: RpcEndpoint,
  expected: EndpointExpectations,
): Promise<EndpointReport> {
  const { network, clock } = expected;
  const chain = createChain({ network, endpoints: [endpoint], log: silentLog, clock });
  const lines: CheckLine[] = [];
  try {
    // The first request pays for the connection; the second one shows what a payment waits for.
    const found = await readChainId(chain);
    const asked = clock.nowMs();
    await readChainId(chain);
    lines.push(latencyLine(clock.nowMs() - asked));
    if (found !== network.chainId) {
      return { endpoint, lines: [...lines, wrongChain(chain, found)] };
    }
    const facts = await readFacts(chain);
    lines.push(
      ok("chain id", `${found}, ${network.name}`),
      batchLine(chain),
      headLine(facts, expected),
      finalityLine(facts),
      gasPriceLine(facts, expected),
      addressLine(facts),
      await attempt("logs by block", () => checkLogs(chain, facts)),
      await attempt("payment reads", () => checkReads(chain)),
      await attempt("load", () => checkBurst(endpoint)),
    );
    return { endpoint, lines, head: facts.head };
  } catch (error) {
    const fix = `check entry ${endpoint.index + 1} of FARTHING_RPC_${network.chainId}, and that this node runs and lets you in`;
    return { endpoint, lines: [...lines, fail("answer", plain(error), fix)] };
  }
}

/** Compares the heads of endpoints that were looked at together. */
export function compareHeads(
  reports: readonly EndpointReport[],
  lagBlocksMax: number,
): CheckLine[] {
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

/** Without the endpoint's name in front, which the line's section says already. */
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
  const [answer] = await chain.read([{ method: "eth_chainId", params: [] }]);
  return Number(quantity(said(answer, "eth_chainId"), "the chain id"));
}

/** The result; a refusal in the node's own words, which say what the endpoint's owner wants. */
function said(answer: RpcAnswer | undefined, method: string): unknown {
  if (answer && !answer.ok) {
    const { code, message } = answer.error;
    throw new Error(`${method} was refused: ${message} (code ${code})`);
  }
  return resultOf(answer, method);
}

interface Facts {
  readonly head: number;
  readonly hash: `0x${string}`;
  /** Unix seconds. */
  readonly time: bigint;
  readonly miner: unknown;
  readonly baseFee: bigint;
  readonly gasPrice: bigint;
  readonly finalized: number | undefined;
}

async function readFacts(chain: Chain): Promise<Facts> {
  const [latest, finalized, gasPrice] = await chain.read([
    { method: "eth_getBlockByNumber", params: ["latest", false] },
    { method: "eth_getBlockByNumber", params: ["finalized", false] },
    { method: "eth_gasPrice", params: [] },
  ]);
  const block = said(latest, "eth_getBlockByNumber");
  if (!isObject(block)) throw new Error("the node has no newest block");
  const final = finalized?.ok === true && isObject(finalized.result) ? finalized.result : undefined;
  return {
    head: Number(quantity(block["number"], "a block number")),
    hash: bytesOf(block["hash"], "a block hash"),
    time: quantity(block["timestamp"], "a block time"),
    miner: block["miner"],
    baseFee: quantity(block["baseFeePerGas"] ?? "0x0", "a base fee"),
    gasPrice: quantity(said(gasPrice, "eth_gasPrice"), "the gas price"),
    finalized: final && Number(quantity(final["number"], "a block number")),
  };
}

function latencyLine(ms: number): CheckLine {
  return ms > slowMs
    ? warn("answer", `takes ${ms} ms`, "use a node nearer by; every payment waits for it")
    : ok("answer", `within ${ms} ms`);
}

function batchLine(chain: Chain): CheckLine {
  return chain.limitsInUse().batchCalls !== 1
    ? ok("batches", "several calls travel in one request")
    : warn(
        "batches",
        "not taken; every call is a request of its own",
        "expect more requests, or use an endpoint that takes JSON-RPC batches",
      );
}

function headLine({ head, time }: Facts, { clock, headAgeMax }: EndpointExpectations): CheckLine {
  const age = Math.max(0, Math.round(clock.nowMs() / 1000 - Number(time)));
  const text = `block ${head}, ${age} s old`;
  if (headAgeMax > 0 && age > headAgeMax) {
    return fail(
      "head",
      text,
      "the node is not in sync, or the chain stands still; use another one",
    );
  }
  return age > headAgeNotable
    ? warn("head", text, "run it again in a minute; a missing leader pauses XDC for up to 60 s")
    : ok("head", text);
}

function finalityLine({ head, finalized }: Facts): CheckLine {
  if (finalized === undefined) {
    const fix = "12 blocks deep counts as final here; use an endpoint that knows the tag";
    return warn("finality", "no `finalized` block", fix);
  }
  const text = `block ${finalized}, ${head - finalized} behind the head`;
  return head - finalized > finalityLagMax
    ? warn(
        "finality",
        text,
        "the chain finalizes slowly, or this node lags; look again in a minute",
      )
    : ok("finality", text);
}

function gasPriceLine(
  { gasPrice, baseFee }: Facts,
  { gasPriceFloor, gasPriceCeiling }: EndpointExpectations,
): CheckLine {
  const text = `${formatGwei(gasPrice)} gwei asked, base fee ${formatGwei(baseFee)}`;
  const fix = `raise FARTHING_GAS_PRICE_MAX, which is ${formatGwei(gasPriceCeiling)}`;
  if (baseFee > gasPriceCeiling) {
    return fail("gas price", `${text}: no block takes our transactions`, fix);
  }
  if (gasPrice > gasPriceCeiling) {
    return warn("gas price", `${text}: transactions may wait`, fix);
  }
  const paid = gasPrice > gasPriceFloor ? gasPrice : gasPriceFloor;
  return ok("gas price", `${text}; legacy transactions pay ${formatGwei(paid)} gwei`);
}

function addressLine({ miner }: Facts): CheckLine {
  return /^xdc/i.test(String(miner))
    ? warn(
        "addresses",
        "written as xdc…, which other software on this endpoint may not read",
        "use an endpoint with 0x addresses, such as one whose name begins with erpc",
      )
    : ok("addresses", "written as 0x…");
}

async function checkLogs(chain: Chain, { head, hash }: Facts): Promise<CheckLine> {
  const [answer] = await chain.read([blockLogsCall(chain, hash)]);
  const events = readAuthorizationEvents(said(answer, "eth_getLogs"));
  return ok("logs by block", `${events.length} authorizations used in block ${head}`);
}

async function checkReads(chain: Chain): Promise<CheckLine> {
  return (await takesPaymentReads(chain))
    ? ok("payment reads", "many payments in one eth_call")
    : warn(
        "payment reads",
        "an eth_call without an address is refused; four calls per payment instead",
        "use an endpoint that takes deployless calls if you expect load",
      );
}

/** As many requests at once as the facilitator sends, and how an endpoint says that it is too many. */
async function checkBurst(endpoint: RpcEndpoint): Promise<CheckLine> {
  const call = { method: "eth_blockNumber", params: [] };
  const refusals = await Promise.all(
    Array.from({ length: burstRequests }, async () => {
      try {
        const reply = await endpoint.send([call]);
        const [answer] = reply.kind === "answered" ? reply.answers : [];
        const error = reply.kind === "refused" ? reply.error : answer?.ok === false && answer.error;
        if (!error) return undefined;
        const { code, message } = error;
        return `${classifyNodeError(error)}, code ${code}: ${message}`;
      } catch (error) {
        return plain(error);
      }
    }),
  );
  const refused = refusals.filter((refusal) => refusal !== undefined);
  const [first] = refused;
  if (first === undefined) return ok("load", `${burstRequests} requests at once`);
  return warn(
    "load",
    `${refused.length} of ${burstRequests} requests at once were refused (${first})`,
    "raise this endpoint's rate limit, run a node of your own, or put the endpoint last",
  );
}
