/** Draws what the nodes of a run limit, refuse and get wrong. */
import {
  batchRefusals,
  rangeRefusals,
  rateRefusals,
  type NodeConditions,
} from "@farthing/lab/ordinary-node";
import type { Rolls } from "./rolls.ts";

/** Of a hundred: each condition of a node whose turn it is. */
const conditionPercent = 30;

/** A head and a final block that cannot be. */
const absurdBlock = 1_000_000_000;

/** The conditions of each node. */
export function drawConditions(rolls: Rolls, nodes: number): NodeConditions[] {
  return Array.from({ length: nodes }, (_, index) => ({
    ...drawLimits(rolls),
    ...drawAnswers(rolls),
    // With one node nothing can be asked for as long as its key has expired.
    ...(index > 0 && rolls.chance(conditionPercent) ? { expiredKey: rolls.pick([401, 403]) } : {}),
  }));
}

function drawLimits(rolls: Rolls): NodeConditions {
  const perSecond = rolls.pick([5, 10, 25]);
  const rateLimit = {
    perSecond,
    burst: perSecond * rolls.whole(1, 4),
    counts: rolls.pick(["requests", "requests", "calls"] as const),
    style: rolls.pick(rateRefusals),
    ...(rolls.chance(30) ? { retryAfterSeconds: rolls.whole(1, 3) } : {}),
  };
  const batchLimit = { maxCalls: rolls.pick([1, 3, 10]), style: rolls.pick(batchRefusals) };
  return {
    ...(rolls.chance(2 * conditionPercent) ? { rateLimit } : {}),
    ...(rolls.chance(conditionPercent) ? { batchLimit } : {}),
    ...(rolls.chance(conditionPercent) ? { maxBodyBytes: rolls.pick([4_000, 20_000]) } : {}),
    ...(rolls.chance(conditionPercent) ? { latencyMs: rolls.pick([300, 1_500]) } : {}),
  };
}

function drawAnswers(rolls: Rolls): NodeConditions {
  const absurd = { [rolls.pick(["latest", "finalized"])]: absurdBlock, times: rolls.whole(1, 3) };
  const logs = {
    maxRangeBlocks: rolls.pick([1, 5, 500]),
    rangeStyle: rolls.pick(rangeRefusals),
    refusesBlockHash: rolls.chance(30),
  };
  const failing = rolls.pick(["eth_call", "eth_gasPrice", "eth_getLogs", "eth_getBalance"]);
  return {
    ...(rolls.chance(conditionPercent) ? { absurd } : {}),
    ...(rolls.chance(conditionPercent) ? { logs } : {}),
    ...(rolls.chance(conditionPercent) ? { backends: [0, rolls.whole(1, 3)] } : {}),
    ...(rolls.chance(conditionPercent / 2) ? { internalErrors: [failing] } : {}),
    ...(rolls.chance(conditionPercent) ? { revertsAsResults: true } : {}),
  };
}
