/**
 * Safes as payers beside plain ones: the rate at which they are settled, with and without the batch
 * contract, and the gas of a payment alone and in a batch.
 */
import { startDevnet, type Devnet } from "@farthing/devnet";
import { farthingWallets, startFarthing } from "./contenders.ts";
import { runLoad } from "./load.ts";
import { headOf, usesSince } from "./measure.ts";
import type { Mint } from "./payments.ts";
import { cores, pin, type Server } from "./processes.ts";
import { gasUsedBy, settleAtOnce } from "./settle-at-once.ts";
import { openMints, payerKinds, withBatchContract, type PayerKind } from "./safe-payers.ts";

/** What is measured. */
export interface ContractPayerPlan {
  /** Callers of the closed loop; there are half as many payers again, who pay in turn. */
  readonly callers: number;
  /** Each has a window of every kind of payer. */
  readonly rounds: number;
  readonly warmUpMs: number;
  readonly countMs: number;
  /** Payments of a batch whose gas is measured. */
  readonly batchSize: number;
}

export const contractPayerPlan: ContractPayerPlan = {
  callers: 1_000,
  rounds: 5,
  warmUpMs: 4_000,
  countMs: 12_000,
  batchSize: 20,
};

/** One window. */
export interface PayerRate {
  readonly payer: PayerKind;
  readonly hasBatchContract: boolean;
  readonly round: number;
  /** Payments in the blocks of the window, by the chain. */
  readonly perSecond: number;
  /** Server CPU for one of them, in microseconds; undefined where the system does not tell. */
  readonly cpuMicros: number | undefined;
  readonly complaint: string | undefined;
}

/** Gas of one payment. */
export interface PayerGas {
  readonly payer: PayerKind;
  readonly alone: number;
  readonly batched: number;
}

/** All figures. */
export interface ContractPayerFigures {
  readonly plan: ContractPayerPlan;
  readonly rates: readonly PayerRate[];
  readonly gas: readonly PayerGas[];
}

interface Stand {
  readonly devnet: Devnet;
  readonly mints: Readonly<Record<PayerKind, Mint>>;
}

/** Seconds between blocks: with XDC's two, 1,000 callers would get 500 answers a second at most. */
const blockTimeSeconds = 1;

/** XDC's main network starts its nodes with this limit. */
const blockGasLimit = 420_000_000;

/** Contract wallets of strangers may burn as much as they like here, as plain payers may spend. */
const unlimited = { FARTHING_REVERTED_GAS_PER_DAY: "0" };

export async function measureContractPayers(
  plan: ContractPayerPlan,
  tell: (line: string) => void,
): Promise<ContractPayerFigures> {
  pin(process.pid, cores.others);
  const payers = Math.ceil(plan.callers * 1.5);
  const devnet = await startDevnet({
    blockTimeSeconds,
    buyers: payers,
    relayers: farthingWallets,
    blockGasLimit,
  });
  try {
    pin(devnet.pid, cores.others);
    const stand = { devnet, mints: await openMints(devnet, payers) };
    const gas = await measureGasOfPayers(stand, plan);
    for (const one of gas) tell(JSON.stringify(one));
    const rates: PayerRate[] = [];
    for (const [hasBatchContract, rounds] of [
      [true, plan.rounds],
      // The difference is so large that one round shows it.
      [false, 1],
    ] as const) {
      const settings = { ...unlimited, ...(hasBatchContract ? withBatchContract(devnet) : {}) };
      const server = await startFarthing(devnet, devnet.rpcUrl, farthingWallets, settings);
      try {
        for (let round = 0; round < rounds; round++) {
          // Each kind comes first in turn.
          const turn = round % payerKinds.length;
          for (const payer of [...payerKinds.slice(turn), ...payerKinds.slice(0, turn)]) {
            const window = await measureWindow({ ...stand, server }, payer, plan);
            rates.push({ ...window, payer, hasBatchContract, round });
            tell(JSON.stringify(rates.at(-1)));
          }
        }
      } finally {
        await server.stop();
      }
    }
    return { plan, rates, gas };
  } finally {
    await devnet.stop();
  }
}

async function measureWindow(
  { devnet, mints, server }: Stand & { readonly server: Server },
  payer: PayerKind,
  { callers, warmUpMs, countMs }: ContractPayerPlan,
) {
  const seconds = (warmUpMs + countMs) / 1_000;
  // Every caller gets an answer for each block at most.
  const bodies = mints[payer].make(Math.ceil((callers * (seconds + 2)) / blockTimeSeconds));
  const marks: { readonly block: Promise<number>; readonly cpuSeconds: number | undefined }[] = [];
  const { complaint } = await runLoad({
    url: server.url,
    path: "/settle",
    callers,
    headers: { prefer: "wait=30" },
    next: () => bodies.pop(),
    warmUpMs,
    countMs,
    onCounting: () =>
      void marks.push({ block: headOf(devnet), cpuSeconds: server.usage()?.cpuSeconds }),
  });
  const [begin, end] = marks;
  if (!begin || !end) throw new Error("Nothing was counted");
  const [from, to] = [await begin.block, await end.block];
  const uses = await usesSince(devnet, from + 1, to);
  const paid = [...uses.values()].reduce((sum, count) => sum + count, 0);
  const cpuSeconds = (end.cpuSeconds ?? Number.NaN) - (begin.cpuSeconds ?? Number.NaN);
  return {
    perSecond: paid / ((to - from) * blockTimeSeconds),
    cpuMicros: Number.isNaN(cpuSeconds) ? undefined : (cpuSeconds * 1e6) / paid,
    complaint,
  };
}

async function measureGasOfPayers(stand: Stand, plan: ContractPayerPlan): Promise<PayerGas[]> {
  const { devnet, mints } = stand;
  const { batchSize } = plan;
  const settings = {
    ...unlimited,
    ...withBatchContract(devnet),
    FARTHING_BATCH_MAX: `${batchSize}`,
  };
  const server = await startFarthing(devnet, devnet.rpcUrl, 1, settings);
  const settle = (payer: PayerKind, count: number) =>
    settleAtOnce(devnet, server.url, mints[payer].make(count));
  const gasOf = (hash: string) => gasUsedBy(devnet, hash);
  try {
    // The first payment to a payee costs more, whoever sends it.
    await settle("plain", 1);
    const gas: PayerGas[] = [];
    for (const payer of payerKinds) {
      const [lone] = [...(await settle(payer, 1)).keys()];
      const uses = await settle(payer, batchSize * fullBatches);
      const full = [...uses].find(([, count]) => count === batchSize);
      if (lone === undefined || !full) throw new Error(`No full batch of ${payer} payers`);
      gas.push({ payer, alone: await gasOf(lone), batched: (await gasOf(full[0])) / batchSize });
    }
    return gas;
  } finally {
    await server.stop();
  }
}

/** So many at once that at least one batch is full. */
const fullBatches = 8;
