/**
 * The scenarios in which a process dies. Each runs from its beginning to its orderly end, and waits for
 * each step before it makes the next block.
 */
import { readRelayed } from "@farthing/lab/audit";
import { isHexBytes, parsePaymentRequest, type Hex, type JsonObject } from "@farthing/protocol";
import * as Hash from "ox/Hash";
import { type Claim, createSigners, authorizationKeyOf } from "@farthing/engine";
import { Secret, systemClock } from "@farthing/engine/base";
import {
  fanOutAfterBlocks,
  repriceAfterBlocks,
} from "@farthing/engine/source/relayer/recovery-action";
import {
  settleAt,
  until,
  type CrashEnvironment,
  type EnvironmentOptions,
} from "./crash-environment.testing.ts";
import { bodyOn, finalAfterBlocks } from "../support/facilitator.testing.ts";
import { createRefunds } from "../support/refunds.testing.ts";
import { createApiKey } from "../../src/features/api-keys/key-text.ts";
import type { SteppedProcess } from "./stepped-process.testing.ts";
import { claimOf, fund, minedIn } from "../stores/store-values.testing.ts";

/** A scenario that runs. */
export interface RunningScenario {
  readonly environment: CrashEnvironment;
  /** The process that will die. */
  readonly victim: SteppedProcess;
  /** The responses to callers for each payment. */
  readonly told: JsonObject[][];
  /** Sent by it, and dropped by the node that accepted it; may be mined at any time. */
  lost: Hex | undefined;
}

/** A scenario, and the part of it that no other scenario covers. */
export interface CrashScenario extends EnvironmentOptions {
  readonly name: string;
  /** The first step at which it dies, by name; otherwise `play` starts the count. */
  readonly from?: string;
  /** The last step at which it dies. */
  readonly until: string;
  /** Whether the steps begin before the process serves. */
  readonly isAtStart?: true;
  /** Whether bytes that were sent before go out once more, as a step of it. */
  readonly sendsAgain?: true;
  /** The wallet's transactions without one of the payments, in the end. */
  readonly otherTransactions: number;
  /** Fills the store before the process starts. */
  prepare?(environment: CrashEnvironment): Promise<void>;
  play(running: RunningScenario): Promise<void>;
}

/** Asks the victim to settle all payments; it may die before it responds. */
async function ask({ environment, victim, told }: RunningScenario): Promise<void> {
  const url = await victim.serving;
  for (const [index, body] of environment.bodies.entries()) {
    settleAt(url, body, environment).then(
      (answer) => told[index]?.push(answer),
      () => undefined,
    );
  }
}

/** Makes the block with the payment, and those until it is final. */
async function conclude({ environment, victim }: RunningScenario): Promise<void> {
  await environment.devnet.mine();
  await victim.passed("recordFinalized");
  await environment.devnet.mine(finalAfterBlocks);
  await victim.passed("recordFinalized", 2);
}

/** Lets the node accept the first transaction and drop it, at each attempt. */
function loseTheFirst(running: RunningScenario): void {
  running.victim.proxy.react = ({ method, params: [raw] }) => {
    if (method !== "eth_sendRawTransaction" || !isHexBytes(raw, rawBytesMax)) return undefined;
    running.lost ??= raw;
    return raw === running.lost ? { result: Hash.keccak256(raw) } : undefined;
  };
}

/**
 * Waits until the wallet has signed another transaction and the node has it. Sends are not counted: the
 * first one may be sent again meanwhile, which the node accepts and drops as well.
 */
async function sentAnother({ environment, victim }: RunningScenario): Promise<void> {
  await victim.passed("recordSigned", 2);
  await until("the node has another transaction", () => isPending(environment));
}

/** More than a transaction of these scenarios has. */
const rawBytesMax = 10_000;

/** One payment, from the request to the final block. */
export const lonePayment: CrashScenario = {
  name: "one payment",
  payments: 1,
  until: "closeNonce",
  otherTransactions: 0,
  async play(running) {
    const { victim } = running;
    await victim.serving;
    victim.countFrom();
    await ask(running);
    await victim.passed("recordSent");
    await conclude(running);
  },
};

/** Payments that an earlier process has claimed go out as one transaction. */
const batch: CrashScenario = {
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
export const replacement: CrashScenario = {
  name: "a better price",
  payments: 1,
  from: "replaceTransaction",
  until: "recordSent",
  otherTransactions: 0,
  async play(running) {
    const { environment, victim } = running;
    loseTheFirst(running);
    await ask(running);
    await victim.passed("recordSent");
    await environment.devnet.mine(repriceAfterBlocks);
    // Seen at once, these blocks have the same bytes sent again first.
    await victim.passed("recordSent", 2);
    await environment.devnet.mine(fanOutAfterBlocks);
    await victim.passed("replaceTransaction");
    await sentAnother(running);
    await conclude(running);
  },
};

/** Nonces that no transaction will use are cancelled. */
const gap: CrashScenario = {
  name: "a gap of two nonces",
  payments: 1,
  from: "replaceTransaction",
  until: "recordSent",
  isAtStart: true,
  otherTransactions: 2,
  async prepare({ store, devnet: { chainId }, relayer: { address: lane } }) {
    await store.takeWalletLease({
      chainId,
      lane,
      owner: "gone",
      nonceFloor: 2,
      leaseMs: 0,
      now: 0,
    });
  },
  play: ({ victim }) => victim.passed("recordSent"),
};

/** An external sender with the wallet's key uses the nonce; the payment is sent with another one. */
const lostNonce: CrashScenario = {
  name: "a nonce that an external sender used",
  payments: 1,
  from: "closeTransactions",
  until: "recordSent",
  otherTransactions: 1,
  async play(running) {
    const { environment, victim } = running;
    loseTheFirst(running);
    await ask(running);
    await victim.passed("recordSent");
    await spendNonce(environment);
    // Once the transaction is late, the wallet's count is looked at.
    await environment.devnet.mine(finalAfterBlocks);
    await sentAnother(running);
    await conclude(running);
  },
};

/** The block that confirmed the payment is reorganised out, and its transaction with it. */
const reorganisedBlock: CrashScenario = {
  name: "a block that is reorganised out",
  payments: 1,
  until: "recordSent",
  sendsAgain: true,
  otherTransactions: 0,
  async play(running) {
    const { environment, victim } = running;
    await ask(running);
    await victim.passed("recordSent");
    await environment.devnet.mine();
    await victim.passed("closeNonce");
    victim.countFrom();
    await environment.devnet.rpc("anvil_reorg", [1, []]);
    // Another block has its place; the node has some blocks to bring the payment back.
    for (let blocks = 0; blocks <= fanOutAfterBlocks; blocks++) {
      const seen = victim.passesAgain("eth_getLogs");
      await environment.devnet.mine();
      await seen;
    }
    // On a busy machine it may have come back before the last of these blocks, and be mined already.
    await until("the node has it again", async () => {
      return (await isPending(environment)) || (await readMined(environment)).length > 0;
    });
    await environment.devnet.mine();
    await victim.passed("recordConfirmed", 2);
  },
};

/** The payment is in a block, its nonce is used, and it awaits confirmations. */
const deepPayment: CrashScenario = {
  name: "a payment that counts three blocks deep",
  payments: 1,
  confirmations: 3,
  from: "closeNonce",
  until: "recordConfirmed",
  otherTransactions: 0,
  async play(running) {
    const { environment, victim } = running;
    await ask(running);
    await victim.passed("recordSent");
    await environment.devnet.mine();
    await victim.passed("closeNonce");
    await environment.devnet.mine(2);
    await victim.passed("recordConfirmed");
  },
};

/** A final payment goes back, by an authorization that its payee has signed. */
const loneRefund: CrashScenario = {
  name: "one refund",
  payments: 1,
  from: "claimSettlements",
  until: "closeNonce",
  otherTransactions: 0,
  prepare: prepareRefund,
  async play(running) {
    await ask(running);
    await running.victim.passed("recordSent");
    await conclude(running);
  },
};

/** All scenarios. */
export const scenarios: readonly CrashScenario[] = [
  lonePayment,
  loneRefund,
  batch,
  replacement,
  gap,
  lostNonce,
  reorganisedBlock,
  deepPayment,
];

/** Stores a final payment, and puts its refund in the place of the payment's request. */
async function prepareRefund({ devnet, store, bodies, refunds }: CrashEnvironment): Promise<void> {
  const [body] = bodies.splice(0);
  if (!body) throw new Error("There is no payment.");
  const claim = { ...claimBy(body), id: `stl_${"0".repeat(31)}1` };
  const { id, payer, payTo, amount } = claim;
  await store.claimSettlements([claim], Date.now());
  await store.recordConfirmed([{ id, mined: minedIn(0) }], Date.now());
  await store.recordFinalized(devnet.chainId, 0, Date.now());
  await devnet.usdc.setBalance(payTo, amount);
  await devnet.usdc.setBalance(payer, (await devnet.usdc.balanceOf(payer)) - amount);
  const { authorizationOf, refundBody } = createRefunds(() => devnet);
  const paid = { id, payer, payTo, amount, body };
  const refund = bodyOn(devnet, { authorization: authorizationOf(paid, 0), payer: devnet.seller });
  bodies.push(refund);
  const made = await createApiKey(store, systemClock, { account: payTo, mode: "test", label: "t" });
  const headers = { authorization: `Bearer ${made.text}`, prefer: "wait=30" };
  await fund(store, payTo, 1);
  refunds.set(refund, { body: refundBody(paid, 0), headers, payment: body });
}

/** Mines an external sender's transaction at the wallet's first nonce. */
async function spendNonce({ devnet, relayer }: CrashEnvironment): Promise<void> {
  const [signer] = createSigners({ keys: [new Secret(relayer.privateKey)] });
  const fields = { chainId: devnet.chainId, nonce: 0, gasLimit: 21_000n, data: "0x" } as const;
  const to = devnet.treasury.address;
  const signed = await signer?.sign({ ...fields, to, gasPrice: 10n ** 12n });
  await devnet.rpc("eth_sendRawTransaction", [signed?.raw]);
  await devnet.mine();
}

/** Mines a transaction that the node had dropped. */
export async function comeThrough({ environment, lost }: RunningScenario): Promise<void> {
  await environment.devnet.rpc("eth_sendRawTransaction", [lost]);
  await environment.devnet.mine();
}

/** Whether a transaction of the wallet is in the node's pool. */
export async function isPending(environment: CrashEnvironment): Promise<boolean> {
  const { devnet, relayer } = environment;
  const count = await devnet.rpc<Hex>("eth_getTransactionCount", [relayer.address, "pending"]);
  return Number(count) > (await readMined(environment)).length;
}

/** Reads the wallet's transactions in blocks. */
function readMined({ devnet, relayer }: CrashEnvironment) {
  return readRelayed(devnet, [relayer.address]);
}

/** The claim of a request that was verified. */
function claimBy(body: JsonObject): Claim {
  const parsed = parsePaymentRequest(body);
  if (!parsed.ok) throw new Error(parsed.refusal.message);
  const { authorization, signature } = parsed.value.payment;
  const { to: payTo, value: amount, validAfter, validBefore } = authorization;
  const terms = { payTo, amount, validAfter, validBefore };
  return claimOf({ ...authorizationKeyOf(parsed.value), ...terms, signature, seenUnusedAt: 0 });
}
