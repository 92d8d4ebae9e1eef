/** What a payment costs in gas, read from the receipts of what Farthing sent. */
import type { Devnet } from "@farthing/devnet";
import type { Address } from "@farthing/protocol";
import { startContender } from "./contenders.ts";
import { gasUsedBy, settleAtOnce } from "./settle-at-once.ts";
import type { Stand } from "./measure.ts";

/** Gas per payment. */
export interface GasFigures {
  /** One payment in a transaction of its own. */
  readonly alone: number;
  /** Each of a full batch. */
  readonly batched: number;
  /** Full batches that were found, and payments in each. */
  readonly batches: number;
  readonly batchSize: number;
  /** Gas per payment of one of those batches by what it was spent on. */
  readonly profile: ReadonlyMap<string, number>;
}

/** Payments of a full batch, as Farthing comes. */
const batchSize = 50;

/** Enough for several full batches; those that are not full are not looked at. */
const payments = 1_000;

/** Measures payments to one payee, or to many in turn; all of them hold USDC already. */
export async function measureGas(
  payees: readonly Address[],
  { devnet, mint }: Stand,
): Promise<GasFigures> {
  const server = await startContender("farthing", devnet, devnet.rpcUrl);
  const settle = (count: number) => settleAtOnce(devnet, server.url, mint.make(count, payees));
  const gasOf = (hash: string) => gasUsedBy(devnet, hash);
  try {
    // The first payment to a payee costs more, whoever sends it: not what is compared here.
    await settle(payees.length);
    const [[lone] = []] = await settle(1);
    if (lone === undefined) throw new Error("The lone payment is not on the chain");
    const full = [...(await settle(payments))].filter(([, uses]) => uses === batchSize);
    const [first] = full;
    if (!first) throw new Error(`No transaction carried ${batchSize} payments`);
    const gas = await Promise.all(full.map(([hash]) => gasOf(hash)));
    const perPayment = gas.reduce((sum, used) => sum + used, 0) / full.length / batchSize;
    return {
      alone: await gasOf(lone),
      batched: perPayment,
      batches: full.length,
      batchSize,
      profile: await profileOf(devnet, first[0]),
    };
  } finally {
    await server.stop();
  }
}

/** What every transaction costs before its first step (Yellow Paper, appendix G). */
const transactionGas = 21_000;
/** And each byte of its data (EIP-2028). */
const byteGas = { zero: 4, other: 16 } as const;

interface Step {
  readonly op: string;
  readonly gasCost: number;
}

/** Adds up a transaction's trace by operation; gives gas per payment of a full batch. */
async function profileOf(devnet: Devnet, hash: string): Promise<Map<string, number>> {
  const { from, to, input, gas, blockNumber } = await devnet.rpc<Record<string, string>>(
    "eth_getTransactionByHash",
    [hash],
  );
  // Played again on the block before: the chain keeps no traces of its own.
  const before = `0x${(Number(blockNumber) - 1).toString(16)}`;
  const trace = await devnet.rpc<{ structLogs: readonly Step[] }>("debug_traceCall", [
    { from, to, input, gas },
    before,
    { disableMemory: true, disableStack: true, disableStorage: true },
  ]);
  const bytes = input?.slice(2).match(/../g) ?? [];
  const zeros = bytes.filter((byte) => byte === "00").length;
  const calldata = zeros * byteGas.zero + (bytes.length - zeros) * byteGas.other;
  const spent = new Map([
    ["the transaction itself", transactionGas],
    ["calldata", calldata],
  ]);
  for (const { op, gasCost } of trace.structLogs) {
    // What a call passes on is counted where it is spent.
    if (!op.endsWith("CALL")) spent.set(op, (spent.get(op) ?? 0) + gasCost);
  }
  return new Map([...spent].map(([name, gas]) => [name, gas / batchSize]));
}
