/** `npm run demo [-- --once] [--json]`: all of Farthing on one machine: payments, a pass, a stream, a refund, a channel. */
import { parseArgs } from "node:util";
import { compareHoldings, readHoldings } from "./balances.ts";
import { balancesPage, invitation, stepTitle, environmentPage, stepLine } from "./page.ts";
import { useChannel } from "./channel.ts";
import { usePass } from "./pass.ts";
import { makePayment, planPayments, type MadePayment } from "./payments.ts";
import { refundPayment } from "./refund.ts";
import { describeDemo } from "./report.ts";
import { readStreams } from "./stream.ts";
import { startDemoEnvironment, type DemoEnvironment } from "./environment.ts";
import type { Step, StepListener } from "./watch-payment.ts";

const usage = `Starts a local chain, a facilitator and a paid API, makes four payments, uses a pass,
reads metered streams, refunds a payment and pays calls over a channel.

  --once   exit after the payments instead of keeping the services running
  --json   print only one JSON object with the receipts
  --help   print this help
`;

/** The exit status of a program that Ctrl-C has ended, by convention. */
const interruptedStatus = 130;

/** Limit of an orderly stop, for which the user waits after Ctrl-C. */
const stopMs = 15_000;

/** Time for open connections after the stop; a seller's poll of a payment may be cut off. */
const keepAliveGraceMs = 100;

const ignoreSteps: StepListener = () => {};

interface Options {
  readonly once: boolean;
  readonly json: boolean;
}

const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Why the demo stops before or after its payments. */
type StopReason = "told" | "chain ended";

/** Runs the demo; returns its exit status. */
async function runDemo(options: Options): Promise<number> {
  const stopping = new AbortController();
  const stopped = Promise.withResolvers<StopReason>();
  const stop = (reason: StopReason): void => {
    stopping.abort();
    stopped.resolve(reason);
  };
  // The signal may come twice: npm passes on a Ctrl-C that the terminal has sent as well.
  for (const signal of stopSignals) process.on(signal, () => stop("told"));
  const stack = new AsyncDisposableStack();
  const running = runPayments(options, stack, { stop, signal: stopping.signal });
  try {
    const first = await Promise.race([running, stopped.promise]);
    if (first === "paid" && options.once) return 0;
    const reason = first === "paid" ? await stopped.promise : first;
    if (reason === "chain ended") throw new Error("The local chain ended by itself");
    return first === "paid" ? 0 : interruptedStatus;
  } finally {
    setTimeout(() => process.exit(1), stopMs).unref();
    // A start that is under way has to finish before its result can be stopped.
    await running.catch(() => {});
    await stack.disposeAsync();
    setTimeout(() => process.exit(), keepAliveGraceMs).unref();
  }
}

/** Starts the services, makes the payments and prints each step. */
async function runPayments(
  { once, json }: Options,
  stack: AsyncDisposableStack,
  { stop, signal }: { stop(reason: StopReason): void; signal: AbortSignal },
): Promise<"paid"> {
  const write = (text: string): void => {
    if (!signal.aborted) process.stdout.write(text);
  };
  const say = json ? (): void => {} : write;
  let listener = ignoreSteps;
  const report = (step: Step): void => listener(step);

  const environment = await startDemoEnvironment(stack, report, signal);
  void environment.devnet.ended.then(() => stop("chain ended"));
  say(environmentPage(environment));
  const before = await readHoldings(environment);
  const made: MadePayment[] = [];
  for (const [index, planned] of planPayments(environment).entries()) {
    say(stepTitle(planned.title, index + 1));
    const startedAt = performance.now();
    listener = (step) => say(stepLine(step, performance.now() - startedAt));
    made.push(await makePayment(planned, report, signal));
  }
  let parts = made.length;
  const begin = (title: string): void => {
    say(stepTitle(title, ++parts));
    const startedAt = performance.now();
    listener = (step) => say(stepLine(step, performance.now() - startedAt));
  };
  begin("A pass: one payment, and requests that settle nothing");
  const pass = await usePass(environment, report, signal);
  begin("A balance: one payment, and streams that are charged what they use");
  const stream = await readStreams(environment, report, signal);
  const paymentsMade = parts;
  begin("A refund: the seller signs, and pays no gas");
  const paid = made.find(({ face }) => face === "public");
  if (!paid) throw new Error("No payment was made with the API key of the seller");
  const refund = await refundPayment(environment, paid, report, signal);
  // Payments from another terminal are not reported here.
  listener = ignoreSteps;
  const after = await readHoldings(environment);
  const changes = compareHoldings(before, after, paymentsMade, BigInt(refund.amount));
  say(balancesPage(changes));
  begin("A channel: a published buyer deposits once, and signs a voucher for each call");
  await useChannel(environment, report, signal);
  listener = ignoreSteps;
  const opened = { pass, stream, refund };
  if (json) write(`${JSON.stringify(describeDemo(environment, made, opened, changes))}\n`);
  if (!once) say(invitation(tryLineOf(environment)));
  return "paid";
}

/** A shell command that makes one more payment. */
function tryLineOf({ devnet, paidApi }: DemoEnvironment): string {
  const key = devnet.buyers[0]?.privateKey ?? "";
  return `FARTHING_WALLET_KEY=${key} npx farthing pay ${paidApi.publicUrl}`;
}

function readOptions(): Options | undefined {
  const flag = { type: "boolean", default: false } as const;
  const { values } = parseArgs({ options: { once: flag, json: flag, help: flag } });
  if (!values.help) return values;
  process.stdout.write(usage);
  return undefined;
}

try {
  const options = readOptions();
  if (options) process.exitCode = await runDemo(options);
} catch (error) {
  process.stderr.write(`demo: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
