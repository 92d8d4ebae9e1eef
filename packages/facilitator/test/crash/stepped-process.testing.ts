/**
 * A facilitator in a process of its own, observed step by step: writes to its store, sends to its
 * node, and reads of something new. Any step can be held, and the process killed or stopped there.
 */
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { programFile } from "@farthing/lab/programs";
import { startRpcProxy, type NodeCall, type RpcProxy } from "@farthing/lab/rpc-proxy";

/** A message of the process to its parent. */
export type StepMessage =
  | { readonly id: number; readonly side: Side; readonly name: string }
  | { readonly url: string };

/** Before a step is taken, or when it is done and its process does not know yet. */
export type Side = "before" | "after";

/** A process under watch. */
export interface SteppedProcess {
  readonly proxy: RpcProxy;
  /** Resolves with its URL. Rejects when it ends before. */
  readonly serving: Promise<string>;
  /** Steps since counting began, such as `after recordSigned` and `before recordSigned 2`. */
  readonly steps: readonly string[];
  /** The last lines of its log. */
  readonly logLines: readonly string[];
  /** Signed bytes that it has sent. */
  readonly sent: readonly unknown[];
  /** While set, called with each counted step, which waits for it. */
  observe: ((step: string) => Promise<void>) | undefined;
  /** Counts steps from the first one of a name; from now on without a name. */
  countFrom(name?: string): void;
  /** Holds it at a counted step; resolves when it is there. */
  holdAt(step: string): Promise<void>;
  /** Lets it continue. */
  letGo(): void;
  /** Resolves when it has taken a step of this name, `times` times since it was started. */
  passed(name: string, times?: number): Promise<void>;
  /** Resolves when it takes such a step once more. */
  passesAgain(name: string): Promise<void>;
  signal(name: "SIGSTOP" | "SIGCONT"): void;
  kill(): Promise<void>;
}

const runner = programFile(new URL("stepped-runner.testing.ts", import.meta.url));

/** Lines of its log that are kept: more than one payment makes. */
const linesMax = 200;

const started = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of started) child.kill("SIGKILL");
});

/** Starts one; it looks at the chain through a proxy of its own. */
export async function startStepped(
  upstream: string,
  environmentAt: (rpcUrl: string) => Readonly<Record<string, string>>,
): Promise<SteppedProcess> {
  const proxy = await startRpcProxy(upstream);
  const child = fork(runner, {
    execArgv: ["--conditions=@farthing/source"],
    env: { ...environmentAt(proxy.url), NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] },
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  started.add(child);
  const ended = once(child, "exit").then(() => started.delete(child));
  const watch = createStepWatch();
  const logLines: string[] = [];
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    logLines.push(...text.trimEnd().split("\n"));
    logLines.splice(0, logLines.length - linesMax);
  });
  const serving = Promise.withResolvers<string>();
  void ended.then(() =>
    serving.reject(new Error(`it ended before it served: ${logLines.join("\n")}`)),
  );
  serving.promise.catch(() => undefined);
  child.on("message", (message: StepMessage) => {
    if ("url" in message) return serving.resolve(message.url);
    const { id, side, name } = message;
    // A process that is dead by then receives nothing.
    void watch.step(side, name).then(() => child.send(id, () => undefined));
  });
  const sent: unknown[] = [];
  proxy.step = watchNode(watch, sent);
  return Object.assign(watch, {
    proxy,
    serving: serving.promise,
    logLines,
    sent,
    signal: (name: "SIGSTOP" | "SIGCONT") => void child.kill(name),
    async kill() {
      child.kill("SIGKILL");
      await ended;
      await proxy.stop();
    },
  });
}

/** Counts steps, holds one of them, and wakes those who wait for one. */
function createStepWatch() {
  const steps: string[] = [];
  const counted = new Map<string, number>();
  const taken = new Map<string, number>();
  const waiting = new Set<{ name: string; times: number; resolve: () => void }>();
  let begins: string | undefined;
  let isCounting = false;
  let held: { step: string; reached: () => void } | undefined;
  let goOn = Promise.withResolvers<void>();

  function count(side: Side, name: string): string | undefined {
    if (!isCounting && name !== begins) return undefined;
    isCounting = true;
    const key = `${side} ${name}`;
    const times = (counted.get(key) ?? 0) + 1;
    counted.set(key, times);
    const step = times === 1 ? key : `${key} ${times}`;
    steps.push(step);
    return step;
  }

  async function step(side: Side, name: string): Promise<void> {
    const counted = count(side, name);
    if (counted !== undefined) await watch.observe?.(counted);
    if (counted !== undefined && counted === held?.step) {
      held.reached();
      await goOn.promise;
    }
    if (side === "before") return;
    const times = (taken.get(name) ?? 0) + 1;
    taken.set(name, times);
    for (const one of waiting) {
      if (one.name !== name || one.times > times) continue;
      waiting.delete(one);
      one.resolve();
    }
  }

  async function passed(name: string, times = 1): Promise<void> {
    if ((taken.get(name) ?? 0) >= times) return;
    await new Promise<void>((resolve) => waiting.add({ name, times, resolve }));
  }

  const watch = {
    steps,
    step,
    observe: undefined as SteppedProcess["observe"],
    countFrom(name?: string) {
      begins = name;
      isCounting = name === undefined;
    },
    holdAt: (step: string) =>
      new Promise<void>((reached) => {
        held = { step, reached };
      }),
    letGo() {
      goOn.resolve();
      goOn = Promise.withResolvers();
    },
    passed,
    passesAgain: (name: string) => passed(name, (taken.get(name) ?? 0) + 1),
  };
  return watch;
}

const sending = "eth_sendRawTransaction";

/** The step at which bytes go out that this process has sent before. */
export const sendingAgain = `${sending} again`;

/** What is read now and then whatever is settled: prices, supplies, the final block. */
function isByTheClock({ method, params }: NodeCall): boolean {
  return (
    /^eth_(gasPrice|getBalance|getTransactionCount)$/.test(method) || params[0] === "finalized"
  );
}

/**
 * Steps at the node: every send, and every read that brought something new. The same news in answer
 * to another question are none: how a block is asked for, and with what else, is a matter of time.
 * Logs are news of each block, also where there are none.
 */
function watchNode(
  { step }: Pick<ReturnType<typeof createStepWatch>, "step">,
  sent: unknown[],
): RpcProxy["step"] {
  const known = new Set<string>();
  const repeats = new WeakSet<readonly NodeCall[]>();
  return async (side, calls, answers) => {
    if (calls.some(({ method }) => method === sending)) {
      const raws = calls.map(({ params }) => params[0]);
      if (side === "before") {
        if (raws.every((raw) => sent.includes(raw))) repeats.add(calls);
        sent.push(...raws);
      }
      return step(side, repeats.has(calls) ? sendingAgain : sending);
    }
    // Before a read nothing is different from after what was before it.
    if (side === "before") return;
    const news = calls.filter((call, index) => {
      const question = call.method === "eth_getLogs" ? call.params : [];
      const text = JSON.stringify([call.method, question, answers[index]]);
      if (isByTheClock(call) || known.has(text)) return false;
      known.add(text);
      return true;
    });
    for (const method of new Set(news.map((call) => call.method))) await step(side, method);
  };
}
