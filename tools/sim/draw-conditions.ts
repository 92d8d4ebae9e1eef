/** Draws what the nodes of a run limit, refuse and get wrong. */
import {
  batchRefusals,
  rangeRefusals,
  rateRefusals,
  type NodeConditions,
} from "@farthing/lab/ordinary-node";
import type { SeededRandom } from "./seeded-random.ts";

/** Of a hundred: each condition of a node whose turn it is. */
const conditionPercent = 30;

/** A head and a final block that cannot be. */
const absurdBlock = 1_000_000_000;

/** The conditions of each node. */
export function drawConditions(random: SeededRandom, nodes: number): NodeConditions[] {
  return Array.from({ length: nodes }, (_, index) => ({
    ...drawLimits(random),
    ...drawAnswers(random),
    // With one node nothing can be asked for as long as its key has expired.
    ...(index > 0 && random.chance(conditionPercent)
      ? { expiredKey: random.pick([401, 403]) }
      : {}),
  }));
}

/** A distant node, or one that is busy: milliseconds of each response. */
export const slowMs = 1_500;

/** The same conditions, with every node or one of them slow. */
export function withSlowNodes(
  random: SeededRandom,
  conditions: readonly NodeConditions[],
  nodes: number,
): NodeConditions[] {
  const only = random.chance(50) ? random.whole(0, nodes - 1) : undefined;
  return Array.from({ length: nodes }, (_, index) => ({
    ...conditions[index],
    ...(only === undefined || only === index ? { latencyMs: slowMs } : {}),
  }));
}

function drawLimits(random: SeededRandom): NodeConditions {
  const perSecond = random.pick([5, 10, 25]);
  const rateLimit = {
    perSecond,
    burst: perSecond * random.whole(1, 4),
    counts: random.pick(["requests", "requests", "calls"] as const),
    style: random.pick(rateRefusals),
    ...(random.chance(30) ? { retryAfterSeconds: random.whole(1, 3) } : {}),
  };
  const batchLimit = { maxCalls: random.pick([1, 3, 10]), style: random.pick(batchRefusals) };
  return {
    ...(random.chance(2 * conditionPercent) ? { rateLimit } : {}),
    ...(random.chance(conditionPercent) ? { batchLimit } : {}),
    ...(random.chance(conditionPercent) ? { maxBodyBytes: random.pick([4_000, 20_000]) } : {}),
    ...(random.chance(conditionPercent) ? { latencyMs: random.pick([300, 1_500]) } : {}),
  };
}

function drawAnswers(random: SeededRandom): NodeConditions {
  const absurd = { [random.pick(["latest", "finalized"])]: absurdBlock, times: random.whole(1, 3) };
  const logs = {
    maxRangeBlocks: random.pick([1, 5, 500]),
    rangeStyle: random.pick(rangeRefusals),
    refusesBlockHash: random.chance(30),
  };
  const failing = random.pick(["eth_call", "eth_gasPrice", "eth_getLogs", "eth_getBalance"]);
  return {
    ...(random.chance(conditionPercent) ? { absurd } : {}),
    ...(random.chance(conditionPercent) ? { logs } : {}),
    ...(random.chance(conditionPercent) ? { backends: [0, random.whole(1, 3)] } : {}),
    ...(random.chance(conditionPercent / 2) ? { internalErrors: [failing] } : {}),
    ...(random.chance(conditionPercent) ? { revertsAsResults: true } : {}),
  };
}
