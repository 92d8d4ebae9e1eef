/** Facts that an endpoint reports in one look, and their evaluation. */
import { isObject, type Network } from "@farthing/protocol";
import { fail, ok, warn, type CheckLine } from "../../base/check-line.ts";
import type { Clock } from "../../base/clock.ts";
import { Fault } from "../../base/fault.ts";
import { headerCall } from "../reads/block-headers.ts";
import { bytesOf, quantity, resultOf, type Chain } from "../endpoints/chain.ts";
import { formatGwei } from "../../base/ether.ts";
import type { RpcReply } from "../endpoints/rpc-endpoint.ts";

/** Beyond this, every payment is noticeably slow. */
const slowMs = 1_000;

/** Blocks of 2 s between head and finality; the rule gives three. */
const finalityLagMax = 30;

/** A missing leader pauses XDC for up to a minute, which deserves a warning. */
const headAgeNotable = 10;

export interface EndpointExpectations {
  readonly network: Network;
  readonly clock: Clock;
  /** Wei. */
  readonly gasPriceFloor: bigint;
  readonly gasPriceCeiling: bigint;
  /** Seconds; 0 for any age. */
  readonly headAgeMax: number;
  /** Relayer wallets; one request covers all of them. */
  readonly wallets: number;
}

/** A refusal keeps the node's own words, which say what the provider requires. */
export function explainedResult(reply: RpcReply | undefined, method: string): unknown {
  if (reply && !reply.ok) {
    const { code, message } = reply.error;
    throw new Fault("rpc_refused", `${method} was refused: ${message} (code ${code})`);
  }
  return resultOf(reply, method);
}

export type Facts = Awaited<ReturnType<typeof readFacts>>;

/** Prices in wei, the time in Unix seconds. Throws RPC faults. */
export async function readFacts(chain: Chain) {
  const [latest, finalized, gasPrice] = await chain.read([
    headerCall("latest"),
    headerCall("finalized"),
    { method: "eth_gasPrice", params: [] },
  ]);
  const block = explainedResult(latest, "eth_getBlockByNumber");
  if (!isObject(block)) throw new Fault("rpc_refused", "the node has no newest block");
  const final = finalized?.ok === true && isObject(finalized.result) ? finalized.result : undefined;
  const head = Number(quantity(block["number"], "a block number"));
  const [before] = await chain.read([headerCall(Math.max(0, head - 1))]);
  return {
    head,
    hash: bytesOf(block["hash"], "a block hash"),
    time: quantity(block["timestamp"], "a block time"),
    miner: block["miner"],
    baseFee: quantity(block["baseFeePerGas"] ?? "0x0", "a base fee"),
    gasPrice: quantity(explainedResult(gasPrice, "eth_gasPrice"), "the gas price"),
    finalized: final && Number(quantity(final["number"], "a block number")),
    /** False if the block before the newest one is missing, which no true head allows. */
    isHeadLinked: before?.ok === true && isObject(before.result),
  };
}

export function latencyLine(ms: number): CheckLine {
  return ms > slowMs
    ? warn(
        "answer",
        `takes ${Math.ceil(ms)} ms`,
        "use a node nearer by; every payment waits for it",
      )
    : ok("answer", `within ${Math.ceil(ms)} ms`);
}

export function headLine(
  { head, time, isHeadLinked }: Facts,
  { clock, headAgeMax }: EndpointExpectations,
): CheckLine {
  if (!isHeadLinked) {
    const text = `block ${head} is said to be the newest, and the one before it is not there`;
    return fail("head", text, "use another endpoint; this one states what cannot be true");
  }
  const age = Math.max(0, Math.round(clock.nowMs() / 1000 - Number(time)));
  const text = `block ${head}, ${age} s old`;
  if (headAgeMax > 0 && age > headAgeMax) {
    const fix = "the node is not in sync, or the chain stands still; use another one";
    return fail("head", text, fix);
  }
  return age > headAgeNotable
    ? warn("head", text, "run it again in a minute; a missing leader pauses XDC for up to 60 s")
    : ok("head", text);
}

export function finalityLine({ head, finalized }: Facts): CheckLine {
  if (finalized === undefined) {
    const fix = "12 blocks deep counts as final here; use an endpoint that knows the tag";
    return warn("finality", "no `finalized` block", fix);
  }
  if (finalized > head) {
    const text = `block ${finalized} is said to be final, and the newest is ${head}`;
    return fail("finality", text, "use another endpoint; this one would make everything final");
  }
  const text = `block ${finalized}, ${head - finalized} behind the head`;
  const fix = "the chain finalizes slowly, or this node lags; look again in a minute";
  return head - finalized > finalityLagMax ? warn("finality", text, fix) : ok("finality", text);
}

export function gasPriceLine(
  { gasPrice, baseFee }: Facts,
  { gasPriceFloor, gasPriceCeiling }: EndpointExpectations,
): CheckLine {
  const text = `${formatGwei(gasPrice)} gwei asked, base fee ${formatGwei(baseFee)}`;
  const bound = formatGwei(gasPriceCeiling);
  const fix = `the service pays up to ${bound} gwei; raise FARTHING_GAS_PRICE_MAX, or FARTHING_GAS_PER_PAYMENT_MAX where that is not set`;
  if (baseFee > gasPriceCeiling) {
    return fail("gas price", `${text}: no payment is accepted`, fix);
  }
  if (gasPrice > gasPriceCeiling) {
    return warn("gas price", `${text}: transactions pay ${bound} gwei and may wait`, fix);
  }
  const paid = gasPrice > gasPriceFloor ? gasPrice : gasPriceFloor;
  return ok("gas price", `${text}; legacy transactions pay ${formatGwei(paid)} gwei`);
}

export function addressLine({ miner }: Facts): CheckLine {
  return /^xdc/i.test(String(miner))
    ? warn(
        "addresses",
        "written as xdc…, which other software on this endpoint may not read",
        "use an endpoint with 0x addresses, such as one whose name begins with erpc",
      )
    : ok("addresses", "written as 0x…");
}
