/**
 * What a process is doing when it dies. A scene plays one of them from its beginning to its good
 * end, and waits for each step before it makes the next block.
 */
import { readRelayed } from "@farthing/lab/audit";
import { isHexBytes, parsePaymentRequest, type Hex, type JsonObject } from "@farthing/protocol";
import * as Hash from "ox/Hash";
import { type Claim, createSigners, pairOf } from "@farthing/engine";
import { Secret } from "@farthing/engine/base";
import { fanOutAfterBlocks, repriceAfterBlocks } from "@farthing/engine/source/relayer/remedy";
import { settleAt, until, type Ground, type Purpose } from "./crash-ground.testing.ts";
import { finalAfterBlocks } from "../support/facilitator.testing.ts";
import type { SteppedProcess } from "./stepped-process.testing.ts";
import { claimOf } from "../stores/store-values.testing.ts";

/** A scene under way. */
export interface Stage {
  readonly ground: Ground;
  /** The process that will die. */
  readonly victim: SteppedProcess;
  /** What callers were told of each payment. */
  readonly told: JsonObject[][];
  /** Sent by it, and lost by the node that took it; may come through at any time. */
  lost: Hex | undefined;
}

/** What happens, and which part of it is new. */
export interface Scene extends Purpose {
  readonly name: string;
  /** The first step at which it dies, by name; the play itself says when steps count otherwise. */
  readonly from?: string;
  /** The last step at which it dies. */
  readonly until: string;
  /** Whether all is under way before the process serves. */
  readonly isAtStart?: true;
  /** Transactions of the wallet that carry no payment of ours, in the end. */
  readonly otherTransactions: number;
  /** What is stored before the process starts. */
  prepare?(ground: Ground): Promise<void>;
  play(stage: Stage): Promise<void>;
}

/** Asks the victim to settle all payments; it may die before it answers. */
async function ask({ ground, victim, told }: Stage): Promise<void> {
  const url = await victim.serving;
  for (const [index, body] of ground.bodies.entries()) {
    settleAt(url, body).then(
      (answer) => told[index]?.push(answer),
      () => undefined,
    );
  }
}

/** From a block with the payment to the end of it. */
async function conclude({ ground, victim }: Stage): Promise<void> {
  await ground.devnet.mine();
  await victim.passed("recordFinalized");
  await ground.devnet.mine(finalAfterBlocks);
  await victim.passed("recordFinalized", 2);
}

/** The node takes the first transaction and forgets it, whenever it comes. */
function loseTheFirst(stage: Stage): void {
  stage.victim.proxy.react = ({ method, params: [raw] }) => {
    if (method !== "eth_sendRawTransaction" || !isHexBytes(raw, rawBytesMax)) return undefined;
    stage.lost ??= raw;
    return raw === stage.lost ? { result: Hash.keccak256(raw) } : undefined;
  };
}

/**
 * The wallet has signed another transaction, and the node has it. Sends are not counted: the first
 * one may be sent again meanwhile, which the node takes and forgets as well.
 */
async function sentAnother({ ground, victim }: Stage): Promise<void> {
  await victim.passed("recordSigned", 2);
  await until("the node has another transaction", () => isPending(ground));
}

/** More than a transaction of these scenes has. */
const rawBytesMax = 10_000;

/** One payment, from the request to the final block. */
export const lonePayment: Scene = {
  name: "one payment",
  payments: 1,
  until: "closeTransactions",
  otherTransactions: 0,
  async play(stage) {
    const { victim } = stage;
    await victim.serving;
    victim.countFrom();
    await ask(stage);
    await victim.passed("recordSent");
    await conclude(stage);
  },
};

/** Payments that an earlier process has claimed go out as one transaction. */
const batch: Scene = {
  name: "a batch of three",
  payments: 3,
  from: "reserveTransactions",
  until: "recordSent",
  isAtStart: true,
  otherTransactions: 0,
  prepare: async ({ store, bodies }) => {
    await store.claimSettlements(bodies.map(claimBy), Date.now());
  },
  play: ({ victim }) => victim.passed("recordSent"),
};

/** A transaction that never shows up is replaced by one at a better price. */
export const replacement: Scene = {
  name: "a better price",
  payments: 1,
  from: "replaceTransaction",
  until: "recordSent",
  otherTransactions: 0,
  async play(stage) {
    const { ground, victim } = stage;
    loseTheFirst(stage);
    await ask(stage);
    await victim.passed("recordSent");
    await ground.devnet.mine(repriceAfterBlocks + 1);
    await victim.passed("replaceTransaction");
    await sentAnother(stage);
    await conclude(stage);
  },
};

/** Nonces that nothing will ever use are used up by calls to itself. */
const gap: Scene = {
  name: "a gap of two nonces",
  payments: 1,
  from: "replaceTransaction",
  until: "recordSent",
  isAtStart: true,
  otherTransactions: 2,
  async prepare({ store, devnet: { chainId }, relayer: { address: lane } }) {
    await store.takeLane({ chainId, lane, owner: "gone", nonceFloor: 2, leaseMs: 0, now: 0 });
  },
  play: ({ victim }) => victim.passed("recordSent"),
};

/** Somebody else with the wallet's key uses the nonce; the payment goes out under another one. */
const lostNonce: Scene = {
  name: "a nonce that a stranger used",
  payments: 1,
  from: "closeTransactions",
  until: "recordSent",
  otherTransactions: 1,
  async play(stage) {
    const { ground, victim } = stage;
    loseTheFirst(stage);
    await ask(stage);
    await victim.passed("recordSent");
    await spendNonce(ground);
    // Once the transaction is late, the wallet's count is looked at.
    await ground.devnet.mine(finalAfterBlocks);
    await sentAnother(stage);
    await conclude(stage);
  },
};

/** The block that confirmed the payment vanishes, and its transaction with it. */
const vanishedBlock: Scene = {
  name: "a block that vanishes",
  payments: 1,
  until: "recordSent",
  otherTransactions: 0,
  async play(stage) {
    const { ground, victim } = stage;
    await ask(stage);
    await victim.passed("recordSent");
    await ground.devnet.mine();
    await victim.passed("closeTransactions");
    victim.countFrom();
    await ground.devnet.rpc("anvil_reorg", [1, []]);
    // Another block has its place; it is left to the node for a while to bring the payment back.
    for (let blocks = 0; blocks <= fanOutAfterBlocks; blocks++) {
      const seen = victim.passesAgain("eth_getLogs");
      await ground.devnet.mine();
      await seen;
    }
    await until("the node has it again", () => isPending(ground));
    await ground.devnet.mine();
    await victim.passed("recordConfirmed", 2);
  },
};

/** The payment is in a block, its nonce is done with, and it still has to become deep enough. */
const deepPayment: Scene = {
  name: "a payment that counts three blocks deep",
  payments: 1,
  confirmations: 3,
  from: "closeTransactions",
  until: "recordConfirmed",
  otherTransactions: 0,
  async play(stage) {
    const { ground, victim } = stage;
    await ask(stage);
    await victim.passed("recordSent");
    await ground.devnet.mine();
    await victim.passed("closeTransactions");
    await ground.devnet.mine(2);
    await victim.passed("recordConfirmed");
  },
};

/** Everything that is played. */
export const scenes: readonly Scene[] = [
  lonePayment,
  batch,
  replacement,
  gap,
  lostNonce,
  vanishedBlock,
  deepPayment,
];

/** A stranger's transaction at the wallet's first nonce, in a block. */
async function spendNonce({ devnet, relayer }: Ground): Promise<void> {
  const [signer] = createSigners({ keys: [new Secret(relayer.privateKey)] });
  const fields = { chainId: devnet.chainId, nonce: 0, gasLimit: 21_000n, data: "0x" } as const;
  const to = devnet.treasury.address;
  const signed = await signer?.sign({ ...fields, to, gasPrice: 10n ** 12n });
  await devnet.rpc("eth_sendRawTransaction", [signed?.raw]);
  await devnet.mine();
}

/** Signed bytes come through that were lost. */
export async function comeThrough({ ground, lost }: Stage): Promise<void> {
  await ground.devnet.rpc("eth_sendRawTransaction", [lost]);
  await ground.devnet.mine();
}

/** Whether the wallet has something in the node's pool. */
export async function isPending(ground: Ground): Promise<boolean> {
  const { devnet, relayer } = ground;
  const count = await devnet.rpc<Hex>("eth_getTransactionCount", [relayer.address, "pending"]);
  return Number(count) > (await readRelayed(devnet, [relayer.address])).length;
}

/** The claim of a request that was verified. */
function claimBy(body: JsonObject): Claim {
  const parsed = parsePaymentRequest(body);
  if (!parsed.ok) throw new Error(parsed.refusal.message);
  const { authorization, signature } = parsed.value.payment;
  const { to: payTo, value: amount, validAfter, validBefore } = authorization;
  const terms = { payTo, amount, validAfter, validBefore };
  return claimOf({ ...pairOf(parsed.value), ...terms, signature, seenUnusedAt: 0 });
}
