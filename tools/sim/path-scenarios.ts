/**
 * Scenarios that take recovery paths of the engine which no drawn plan takes for certain. The tests play
 * some of them; `npm run sim -- --paths` plays all.
 */
import type { Event, Plan } from "./plan.ts";
import { alone, both, scenario, shared, small, stream } from "./scenario-parts.ts";

/** One wallet with one transaction at a time: what comes meanwhile shares the next one. */
const oneAtATime = { ...alone, inFlight: 1 } as const;

const noBlocks = (from: number, to: number): Event[] =>
  Array.from({ length: to - from + 1 }, (_, index) => ({ block: from + index, what: "no-block" }));

/** Nodes take no transaction of more than three payments at the least price. */
function dearBatches(): Plan {
  return scenario(920, oneAtATime, {
    faultKinds: ["rules"],
    relayers: 1,
    payments: stream(2, 5, 5),
    events: [
      ...both((node) => ({ block: 1, what: "fee-cap", node, milliXdc: 6 })),
      ...both((node) => ({ block: 13, what: "fee-cap", node, milliXdc: 1_000 })),
    ],
  });
}

/**
 * Two accounts get code when the batch with their payments is on its way, and burn its gas: Multicall3
 * gives no call a limit of its own. The blocks in between are for a slow machine.
 */
function burntBatch(): Plan {
  const payments = [
    { ...small, block: 2, buyer: 3 },
    ...[0, 1, 2].map((buyer) => ({ ...small, block: 3, buyer })),
    ...[0, 1].map((buyer) => ({ ...small, block: 3, buyer, contract: "gets-code" as const })),
  ];
  return scenario(921, oneAtATime, {
    faultKinds: ["contracts"],
    relayers: 1,
    hasBatchContract: false,
    payments: payments.map((payment, index) => ({ ...payment, index })),
    events: [
      // The first one keeps the wallet busy until all others wait.
      ...noBlocks(2, 4),
      ...noBlocks(6, 7),
      { block: 8, what: "code-placed", account: 0 },
      { block: 8, what: "code-placed", account: 1 },
      { block: 9, what: "code-removed", account: 0 },
      { block: 9, what: "code-removed", account: 1 },
    ],
  });
}

/**
 * The chain pauses, and its only node shows a head that it then never reaches: near enough to be
 * believed without its block, and too far for a node that merely lags afterwards.
 */
function falseHead(): Plan {
  return scenario(922, alone, {
    faultKinds: ["ordinary"],
    blocks: 34,
    nodes: 1,
    payments: stream(2, 20, 1),
    events: [
      ...noBlocks(6, 20),
      { block: 20, what: "leap", node: 0, blocks: 85 },
      { block: 22, what: "leap", node: 0, blocks: 0 },
    ],
  });
}

/** The first node finds no logs, whatever blocks have. */
function missingLogs(): Plan {
  return scenario(923, alone, {
    faultKinds: ["ordinary"],
    payments: stream(2, 10, 1),
    conditions: [{ logs: { areAlwaysEmpty: true } }],
  });
}

/** A payment reverts, since its payer has spent the money, and a third party makes it later. */
function paidByOthersLater(): Plan {
  return scenario(924, alone, {
    faultKinds: ["token"],
    blocks: 18,
    batchMax: 1,
    payments: stream(3, 3, 1),
    events: [
      ...noBlocks(3, 4),
      { block: 5, what: "drain", buyer: 0 },
      { block: 13, what: "refill", buyer: 0 },
      { block: 15, what: "front-run", payment: 0, isAhead: false },
    ],
  });
}

/** A refund reverts, since the issuer has blocked the payer, and is signed again when it has not. */
function refundAgain(): Plan {
  return scenario(
    925,
    { ...shared, inFlight: 8 },
    {
      faultKinds: ["token"],
      blocks: 22,
      batchMax: 1,
      payments: stream(2, 2, 1),
      events: [
        // Its payment is final by then. The blocks in between are for a slow machine.
        { block: 11, what: "refund", payment: 0, until: "accepted" },
        ...noBlocks(11, 13),
        { block: 14, what: "blacklist", buyer: 0 },
        { block: 20, what: "unblacklist", buyer: 0 },
        { block: 21, what: "refund", payment: 0, until: "confirmed" },
      ],
    },
  );
}

/** The key service is down for some blocks while payments come. */
function downSigner(): Plan {
  return scenario(926, alone, {
    faultKinds: ["signer"],
    payments: stream(2, 12, 2),
    events: [
      { block: 4, what: "signer-down" },
      { block: 8, what: "signer-up" },
    ],
  });
}

/** The only wallet is emptied, and payments come before a block could show that. */
function emptiedWallet(): Plan {
  return scenario(927, alone, {
    faultKinds: ["wallet"],
    relayers: 1,
    payments: stream(2, 8, 2),
    events: [
      { block: 4, what: "empty-wallet", relayer: 0 },
      ...noBlocks(4, 6),
      { block: 9, what: "fill-wallet", relayer: 0 },
    ],
  });
}

/** All of them, by name. */
export const pathScenarios: Readonly<Record<string, Plan>> = {
  "batches too dear for the nodes": dearBatches(),
  "a batch whose gas is burnt": burntBatch(),
  "a head that was never there": falseHead(),
  "an endpoint without logs": missingLogs(),
  "paid by a third party after it had failed": paidByOthersLater(),
  "a refund that is signed again": refundAgain(),
  "a key service that is down": downSigner(),
  "a wallet that is emptied": emptiedWallet(),
};
