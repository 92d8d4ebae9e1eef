/**
 * Scenarios in which every kind of fault is met, written by hand where a seed would leave it to
 * chance. Together they cover all of observed-faults.ts.
 */
import { contractPayerKinds, contractPayersEach, type Plan, type Service } from "./plan.ts";
import { alone, both, scenario, shared, small, stream } from "./scenario-parts.ts";
import { worldScenarios } from "./world-scenarios.ts";
import { transportFaults, type TransportFault } from "@farthing/lab/faulty-transport";

/** Of a hundred requests: often enough that each of a handful of kinds comes several times. */
const often = 45;

/** Where only sends count. */
const mostly = 70;

/** Faults of the transport, which each concern one request. */
function transport(
  service: Partial<Service>,
  percent: number,
  faults: readonly TransportFault[],
): Plan {
  return scenario(901, service, {
    faultKinds: ["road"],
    payments: stream(2, 10, 2),
    batchMax: 1,
    transport: { percent, faults },
  });
}

/** Faults that bring no response, or one without a result. */
const answerless: readonly TransportFault[] = [
  "lost-before",
  "lost-after",
  "silence",
  "slow",
  "http-500",
  "http-429",
  "html",
];

/** Faults that concern only sends, which are few. */
const ofSends: readonly TransportFault[] = ["delivered-twice", "wrong-hash", "shuffled"];

const misleading = transportFaults.filter(
  (fault) => !answerless.includes(fault) && !ofSends.includes(fault),
);

/** Pools that lose or hold transactions, and reorganisations, while a wallet has many open. */
function chain(): Plan {
  const service = {
    database: "sqlite",
    servedSurface: "public",
    confirmations: 2,
    inFlight: 10,
  } as const;
  return scenario(902, service, {
    faultKinds: ["pool", "lag", "reorg", "rush"],
    relayers: 1,
    batchMax: 1,
    payments: stream(2, 11, 5),
    pool: { late: 15, dropped: 20, kept: 30 },
    events: [
      // Pools that take no gap at all: whatever follows a lost one is refused. With the ten of
      // XDPoSChain it would depend on the speed of the machine whether one ever is.
      ...both((node) => ({ block: 1, what: "nonce-distance", node, nonces: 0 })),
      { block: 4, what: "reorganise", depth: 2, keep: "some" },
      { block: 6, what: "lag", node: 0, blocks: 6 },
      { block: 6, what: "node-restart", node: 0 },
      { block: 7, what: "node-restart", node: 0 },
      { block: 9, what: "lag", node: 0, blocks: 0 },
      { block: 10, what: "reorganise", depth: 3, keep: "all" },
      { block: 13, what: "reorganise", depth: 2, keep: "none" },
    ],
  });
}

/**
 * Behind each address two of three backends that are four blocks behind: they may take the
 * nonces of a wallet that is busy, ten on their way and five mined in each block, for too high.
 */
function backends(): Plan {
  const service = {
    database: "sqlite",
    servedSurface: "public",
    confirmations: 1,
    inFlight: 10,
  } as const;
  const conditions = { backends: [0, 4, 4] };
  return scenario(907, service, {
    faultKinds: ["rush", "ordinary"],
    relayers: 1,
    batchMax: 1,
    payments: stream(2, 11, 5),
    conditions: [conditions, conditions],
  });
}

/** Changing rules of the nodes, and another program that uses the same wallets. */
function rules(): Plan {
  return scenario(
    903,
    { database: "postgres", servedSurface: "public", confirmations: 4, inFlight: 8 },
    {
      faultKinds: ["rules", "stranger"],
      batchMax: 1,
      payments: stream(1, 12, 4),
      events: [
        ...both((node) => ({ block: 1, what: "pool-full", node })),
        ...both((node) => ({ block: 2, what: "pool-free", node })),
        { block: 2, what: "wallet-used", relayer: 0 },
        { block: 3, what: "wallet-used", relayer: 1 },
        { block: 3, what: "wallet-used", relayer: 0 },
        // Without a block before them, the pools hold what is then priced out.
        { block: 3, what: "no-block" },
        { block: 4, what: "gas-price", gwei: 20 },
        { block: 5, what: "no-block" },
        { block: 5, what: "wallet-used", relayer: 0 },
        { block: 5, what: "wallet-used", relayer: 1 },
        { block: 6, what: "gas-price", gwei: 40 },
        { block: 7, what: "wallet-used", relayer: 0 },
        { block: 7, what: "wallet-used", relayer: 1 },
        { block: 8, what: "gas-price", gwei: 12.5 },
        ...both((node) => ({ block: 8, what: "pool-full", node })),
        ...both((node) => ({ block: 9, what: "pool-free", node })),
        // At the usual price and for two periods, so that some payment meets it also on a slow machine.
        { block: 9, what: "no-block" },
        { block: 9, what: "wallet-used", relayer: 0 },
        { block: 9, what: "wallet-used", relayer: 1 },
        ...both((node) => ({ block: 10, what: "fee-cap", node, milliXdc: 1 })),
        // Two blocks: while the pools were full, claims were refused, and few payments wait.
        ...both((node) => ({ block: 12, what: "fee-cap", node, milliXdc: 1_000 })),
        { block: 12, what: "wallet-used", relayer: 0 },
        { block: 12, what: "wallet-used", relayer: 1 },
      ],
    },
  );
}

/** Events at the token, the wallets and the processes. */
function people(): Plan {
  return scenario(
    903,
    { database: "postgres", servedSurface: "self-built", confirmations: 1 },
    {
      faultKinds: ["token", "wallet", "outage", "crash"],
      payments: [
        ...stream(2, 12, 2),
        ...[4, 5].map((block, index) => ({ ...small, index: 50 + index, block, buyer: undefined })),
      ],
      events: [
        { block: 2, what: "front-run", payment: 0, isAhead: true },
        { block: 2, what: "cancel", payment: 1, isAhead: true },
        { block: 3, what: "front-run", payment: 2, isAhead: true },
        { block: 3, what: "cancel", payment: 3, isAhead: true },
        { block: 3, what: "wallet-refuses" },
        { block: 3, what: "drain", buyer: 4 },
        { block: 3, what: "blacklist", buyer: 3 },
        { block: 6, what: "wallet-accepts" },
        { block: 6, what: "empty-wallet", relayer: 0 },
        { block: 6, what: "empty-wallet", relayer: 1 },
        { block: 7, what: "pause" },
        { block: 8, what: "fill-wallet", relayer: 0 },
        { block: 8, what: "fill-wallet", relayer: 1 },
        { block: 9, what: "unpause" },
        { block: 9, what: "down", node: 0 },
        // Payers without money, and blocked ones, for as long as their payments come.
        { block: 10, what: "unblacklist", buyer: 3 },
        { block: 10, what: "refill", buyer: 4 },
        { block: 10, what: "up", node: 0 },
        { block: 10, what: "no-block" },
        { block: 10, what: "hand-over", process: 1 },
        { block: 11, what: "stop", process: 1 },
        { block: 12, what: "kill", process: 0 },
        { block: 12, what: "start" },
      ],
    },
  );
}

/** One node with the limits of public ones; the facilitator would avoid it beside a second one. */
function ordinary(): Plan {
  return scenario(
    904,
    { database: "sqlite", servedSurface: "public", confirmations: 1 },
    {
      faultKinds: ["ordinary", "crash"],
      nodes: 1,
      payments: stream(2, 12, 1),
      conditions: [
        {
          rateLimit: { perSecond: 2, burst: 4, style: "json_429" },
          batchLimit: { maxCalls: 3, style: "array_with_one_error" },
          logs: { maxRangeBlocks: 1, rangeStyle: "too_many_results" },
          absurd: { latest: 1_000_000_000, times: 1 },
          backends: [0, 2],
          latencyMs: 300,
        },
      ],
      events: [
        { block: 7, what: "kill", process: 0 },
        { block: 10, what: "start" },
      ],
    },
  );
}

/**
 * Payments of every contract payer meet in the same blocks, beside plain ones. The wallets behave at the
 * check of the first ones and do harm when their block is made; later ones meet the harm at the check.
 */
function contracts(service: Partial<Service>, hasBatchContract: boolean): Plan {
  const payers = contractPayerKinds.flatMap((contract) =>
    Array.from({ length: contractPayersEach }, (_, buyer) => ({ contract, buyer })),
  );
  const ofPayers = [3, 5, 9].flatMap((block) =>
    payers.map((payer) => ({ ...small, ...payer, block, isVerified: block !== 3 })),
  );
  const payments = [...stream(3, 9, 2), ...ofPayers];
  return scenario(908, service, {
    faultKinds: ["contracts"],
    hasBatchContract,
    payments: payments.map((payment, index) => ({ ...payment, index })),
    events: [
      { block: 3, what: "harm", contract: "burner" },
      { block: 3, what: "harm", contract: "reverter" },
      { block: 3, what: "code-placed", account: 0 },
      { block: 4, what: "code-placed", account: 1 },
      { block: 4, what: "wallet-deployed", account: 1 },
      { block: 7, what: "no-harm", contract: "burner" },
      { block: 7, what: "no-harm", contract: "reverter" },
      { block: 7, what: "code-removed", account: 0 },
      { block: 7, what: "code-removed", account: 1 },
    ],
  });
}

/** All of them, by name; those about a world that moves are in world-scenarios.ts. */
export const scenarios: Readonly<Record<string, Plan>> = {
  "no answers": transport(alone, often, answerless),
  "misleading answers": transport(shared, often, misleading),
  "answers to sends": transport(alone, mostly, ofSends),
  "pools and blocks": chain(),
  "backends apart": backends(),
  "rules and strangers": rules(),
  "people and machines": people(),
  "ordinary nodes": ordinary(),
  "contract payers in shared transactions": contracts(alone, true),
  "contract payers without the batch contract": contracts(alone, false),
  ...worldScenarios,
};
