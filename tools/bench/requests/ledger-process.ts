/**
 * A buyer whose ledger has recorded payments before: `node ledger-process.ts <store> <count> <file>`.
 * It pays at a seller within this process and with a signature that is always the same, so that a
 * payment takes what the buyer and its ledger need. It does what {@link commandsOf} lists.
 */
import { appendFileSync, readFileSync, rmSync, statSync } from "node:fs";
import { performance } from "node:perf_hooks";
import {
  dayMs,
  memoryLedger,
  openStates,
  wrapFetch,
  type Ledger,
  type LedgerScope,
  type PayingFetch,
} from "@farthing/buyer";
import { fileLedger } from "@farthing/buyer/file-ledger";
import { oneCent, payer, receiptHeader } from "@farthing/buyer/testing";
import { buildChallenge, defined, headerNames } from "@farthing/protocol";
import { middleOf } from "../report-table.ts";
import { serveCommands, type Commands } from "./command-server.ts";

/** What one of several operations took, in the middle. */
export interface OperationFigures {
  readonly milliseconds: number;
  /** CPU time of the process, in microseconds. */
  readonly cpuMicros: number;
}

export interface LedgerSize {
  /** Of the file, in MiB; 0 in memory. */
  readonly fileMiB: number;
  /** Resident memory, in MiB. */
  readonly memoryMiB: number;
}

const url = "https://seller.example/report";
const resource = { url, description: "One report", mimeType: "text/plain" };
const challenge = buildChallenge({ offers: [oneCent], resource, mode: "v2-only" }).headers;

/** A seller without a network: a challenge, and the content for any payment. */
async function sell(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const { headers } = new Request(input, init);
  return headers.has(headerNames.paymentSignature)
    ? new Response("content", { headers: receiptHeader() })
    : new Response("{}", { status: 402, headers: challenge });
}

/** Of a wallet that signs at once; no one verifies it here. */
const signature = `0x${"ab".repeat(65)}` as const;

/** A limit that is checked and never reached. */
const limits = { perDay: "1000000" };

const signer = { address: payer, signTypedData: async () => signature };
const payWith = (ledger: Ledger) => wrapFetch(sell, { signer, limits, ledger, rpcUrl: "none" });

/** Earlier payments are spread over this time, within the day of the limit. */
const spreadMs = 20 * 60 * 60 * 1_000;

const idOf = (nth: number) => `req_${nth.toString(16).padStart(32, "0")}`;

/** Records so many payments as they are made, only without the buyer around them. */
async function fillMemory(count: number): Promise<Ledger> {
  const model = memoryLedger();
  await (await payWith(model)(url)).text();
  const [record] = await model.list();
  if (!record) throw new Error("The model payment left no record.");
  const {
    signed,
    transaction,
    answer,
    evidence,
    settledAt,
    state,
    attempt: _,
    ...reservation
  } = record;
  const rules = {
    perDayUnits: undefined,
    windowMs: spreadMs,
    openPaymentsMax: 1,
    payeePin: "keep",
  } as const;
  const ledger = memoryLedger();
  const startMs = Date.now() - spreadMs;
  for (let nth = 0; nth < count; nth++) {
    const requestId = idOf(nth);
    const reservedAt = startMs + (nth / count) * spreadMs;
    await ledger.reserve({ ...reservation, requestId, reservedAt }, rules);
    await ledger.transition(requestId, { state: "signed", ...defined({ signed }) });
    await ledger.transition(requestId, { state: "sent" });
    await ledger.transition(requestId, {
      state,
      ...defined({ transaction, answer, evidence, settledAt }),
    });
  }
  return ledger;
}

/** Lines that are written at a time: some two megabytes. */
const linesAtOnce = 1_000;

/** Writes a file as its last replacement leaves it: one line for each payment. */
async function fillFile(path: string, count: number): Promise<void> {
  const model = `${path}.model`;
  await (await payWith(fileLedger(model, { spareLinesMax: 0 }))(url)).text();
  const [header = "", pin = "", record = "", ...more] = readFileSync(model, "utf8")
    .trim()
    .split("\n");
  rmSync(model);
  const [, requestId = ""] = /"requestId":"(\w+)"/.exec(record) ?? [];
  const [, reservedAt = ""] = /"reservedAt":(\d+)/.exec(record) ?? [];
  if (more.length > 0 || requestId === "" || reservedAt === "") {
    throw new Error(`The model payment is not one line: ${record}`);
  }
  appendFileSync(path, `${header}\n${pin}\n`, { mode: 0o600 });
  const startMs = Date.now() - spreadMs;
  for (let from = 0; from < count; from += linesAtOnce) {
    const lines = Array.from({ length: Math.min(linesAtOnce, count - from) }, (_, index) => {
      const at = Math.round(startMs + ((from + index) / count) * spreadMs);
      return `${record.replaceAll(requestId, idOf(from + index)).replace(reservedAt, `${at}`)}\n`;
    });
    appendFileSync(path, lines.join(""));
  }
}

async function measure(
  input: URLSearchParams,
  run: () => Promise<unknown>,
): Promise<OperationFigures> {
  const [milliseconds, cpuMicros]: [number[], number[]] = [[], []];
  for (let nth = 0; nth < Number(input.get("times")); nth++) {
    const [cpu, atMs] = [process.cpuUsage(), performance.now()];
    await run();
    milliseconds.push(performance.now() - atMs);
    const { user, system } = process.cpuUsage(cpu);
    cpuMicros.push(user + system);
  }
  return { milliseconds: middleOf(milliseconds), cpuMicros: middleOf(cpuMicros) };
}

/** What a payment reads for its limits. */
async function readLimits(ledger: Ledger): Promise<void> {
  const scope: LedgerScope = { wallet: payer, network: oneCent.network.id, asset: oneCent.asset };
  await ledger.usage(scope, Date.now() - dayMs);
  await ledger.list(openStates);
}

/** Each but `size` takes how many times it is done, and returns the middle. */
function commandsOf(pay: PayingFetch, ledger: Ledger, file: string): Commands {
  return {
    pay: (input) => measure(input, async () => (await pay(url)).text()),
    limits: (input) => measure(input, () => readLimits(ledger)),
    list: (input) => measure(input, () => ledger.list()),
    /** What a new process does first; a ledger in memory begins empty instead. */
    open: (input) =>
      measure(input, () => readLimits(file === "" ? memoryLedger() : fileLedger(file))),
    size: async (): Promise<LedgerSize> => ({
      fileMiB: file === "" ? 0 : statSync(file).size / 2 ** 20,
      memoryMiB: process.memoryUsage.rss() / 2 ** 20,
    }),
  };
}

if (import.meta.main) {
  const [store, count = "", file = ""] = process.argv.slice(2);
  if (store === "file") await fillFile(file, Number(count));
  const ledger = store === "file" ? fileLedger(file) : await fillMemory(Number(count));
  const pay = payWith(ledger);
  // The first payment of a process also reads what earlier ones left.
  await (await pay(url)).text();
  serveCommands(commandsOf(pay, ledger, store === "file" ? file : ""));
}
