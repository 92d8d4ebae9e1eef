/** `npm run demo [-- --once] [--json]`: the whole of Farthing on one machine, paid four ways. */
import { parseArgs } from "node:util";
import { compareHoldings, readHoldings } from "./balances.ts";
import { balancesPage, invitation, paymentTitle, stagePage, stepLine } from "./page.ts";
import { makePayment, planPayments, type MadePayment } from "./payments.ts";
import { describeDemo } from "./report.ts";
import { startStage, type Stage } from "./stage.ts";
import type { Step, StepListener } from "./watch-payment.ts";

const usage = `Starts a local chain, a facilitator and a paid API, and pays for it in four ways.

  --once   end after the payments instead of staying up
  --json   print one JSON object with the receipts and nothing else
  --help   print this
`;

/** What a shell expects of a program that Ctrl-C has ended. */
const interruptedStatus = 130;

/** Longest orderly stop; a person who pressed Ctrl-C waits for it. */
const stopMs = 15_000;

/** What is left when all has stopped is a seller asking after a payment; it need not find out. */
const lingerMs = 100;

const silence: StepListener = () => {};

interface Options {
  readonly once: boolean;
  readonly json: boolean;
}

const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Why the demo stops before or after its payments. */
type StopReason = "told" | "chain ended";

/** Runs the demo and gives its exit status. */
async function runDemo(options: Options): Promise<number> {
  const stopping = new AbortController();
  const stopped = Promise.withResolvers<StopReason>();
  const stop = (reason: StopReason): void => {
    stopping.abort();
    stopped.resolve(reason);
  };
  // Told twice is told once: npm passes Ctrl-C on to a program that the terminal has told too.
  for (const signal of stopSignals) process.on(signal, () => stop("told"));
  const stack = new AsyncDisposableStack();
  const performing = perform(options, stack, { stop, signal: stopping.signal });
  try {
    const first = await Promise.race([performing, stopped.promise]);
    if (first === "performed" && options.once) return 0;
    const reason = first === "performed" ? await stopped.promise : first;
    if (reason === "chain ended") throw new Error("The local chain ended by itself");
    return first === "performed" ? 0 : interruptedStatus;
  } finally {
    setTimeout(() => process.exit(1), stopMs).unref();
    // Only what has started can be stopped, so a start under way is waited for.
    await performing.catch(() => {});
    await stack.disposeAsync();
    setTimeout(() => process.exit(), lingerMs).unref();
  }
}

/** Starts everything, pays, tells. */
async function perform(
  { once, json }: Options,
  stack: AsyncDisposableStack,
  { stop, signal }: { stop(reason: StopReason): void; signal: AbortSignal },
): Promise<"performed"> {
  const write = (text: string): void => {
    if (!signal.aborted) process.stdout.write(text);
  };
  const say = json ? (): void => {} : write;
  let listener = silence;
  const tell = (step: Step): void => listener(step);

  const stage = await startStage(stack, tell, signal);
  void stage.devnet.ended.then(() => stop("chain ended"));
  say(stagePage(stage));
  const before = await readHoldings(stage);
  const made: MadePayment[] = [];
  for (const [index, planned] of planPayments(stage).entries()) {
    say(paymentTitle(planned, index + 1));
    const startedAt = performance.now();
    listener = (step) => say(stepLine(step, performance.now() - startedAt));
    made.push(await makePayment(planned, tell, signal));
  }
  // Whoever pays from another terminal needs no running commentary here.
  listener = silence;
  const changes = compareHoldings(before, await readHoldings(stage), made.length);
  say(balancesPage(changes));
  if (json) write(`${JSON.stringify(describeDemo(stage, made, changes))}\n`);
  if (!once) say(invitation(tryLineOf(stage)));
  return "performed";
}

/** A line for a shell that makes one more payment. */
function tryLineOf({ devnet, paidApi }: Stage): string {
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
