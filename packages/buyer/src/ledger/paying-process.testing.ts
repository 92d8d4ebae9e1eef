/**
 * A process that pays from a ledger in a file, and can be made to die at one step. Its last line
 * of output is what became of its calls.
 */
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { programFile } from "@farthing/lab/programs";
import { fileLedger } from "./file-ledger.ts";
import type { Ledger, LedgerState } from "./ledger.ts";
import { privateKeySigner } from "../signer.ts";
import { testKey } from "../scripted-seller.testing.ts";
import { wrapFetch } from "../wrap-fetch.ts";

const program = programFile(new URL(import.meta.url));

/** What to do. */
export interface PayingOrders {
  readonly path: string;
  readonly url: string;
  /** One call for each, all at once. */
  readonly requestIds: readonly string[];
  readonly perDay: string;
  /** Die by SIGKILL right after the record of this state is on the disk. */
  readonly dieAt?: LedgerState;
  readonly rpcUrl?: string;
}

/** What a call came to: the payment's state, or the error's code. */
export type PayingResults = readonly string[];

/** Starts it and waits for its end; undefined when it was killed. */
export async function runPayingProcess(orders: PayingOrders): Promise<PayingResults | undefined> {
  const flags = ["--conditions=@farthing/source", program, JSON.stringify(orders)];
  const child = spawn(process.execPath, flags, { stdio: ["ignore", "pipe", "inherit"] });
  const output = await text(child.stdout);
  if (output === "") return undefined;
  const results: PayingResults = JSON.parse(output);
  return results;
}

async function pay(orders: PayingOrders): Promise<PayingResults> {
  const { url, requestIds, perDay, rpcUrl = "none" } = orders;
  const wrapped = wrapFetch(fetch, {
    signer: privateKeySigner(testKey),
    ledger: dying(fileLedger(orders.path), orders.dieAt),
    limits: { perDay, openPayments: 1000 },
    rpcUrl,
  });
  return Promise.all(
    requestIds.map((requestId) =>
      wrapped(url, { payment: { requestId } }).then(
        (response) => response.payment.state,
        (error: unknown) =>
          error instanceof Error && "code" in error ? String(error.code) : String(error),
      ),
    ),
  );
}

function dying(ledger: Ledger, dieAt: LedgerState | undefined): Ledger {
  const dieIn = (state: LedgerState) => {
    if (state === dieAt) process.kill(process.pid, "SIGKILL");
  };
  return {
    ...ledger,
    async reserve(reservation, rules) {
      const outcome = await ledger.reserve(reservation, rules);
      dieIn("reserved");
      return outcome;
    },
    async transition(requestId, transition) {
      const record = await ledger.transition(requestId, transition);
      dieIn(transition.state);
      return record;
    },
  };
}

if (process.argv[1] === program) {
  const orders: PayingOrders = JSON.parse(process.argv[2] ?? "");
  process.stdout.write(JSON.stringify(await pay(orders)));
}
