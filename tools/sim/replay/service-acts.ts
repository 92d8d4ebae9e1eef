/** What a service does in a story: its writes and sends, which are held until then, its starts and ends. */
import type { SignedPayment } from "@farthing/lab/token-calls";
import type { Client } from "pg";
import type { SimEnvironment } from "../environment.ts";
import type { Act, SendReply } from "./acts.ts";
import { createSendGate, createWriteGates, faultOf, writeNames, type Write } from "./gates.ts";
import { notSeen, type IsSoon } from "./wait.ts";

/** Seconds of the run: a task whose write does not wait at its gate by then has none. */
const taskSeconds = 1;

async function isClaimed({ database }: SimEnvironment, { authorization }: SignedPayment) {
  const { settlements } = await database.read();
  return settlements.some(({ nonce }) => nonce === authorization.nonce);
}

export async function createServiceActs(
  environment: SimEnvironment,
  client: Client,
  isSoon: IsSoon,
) {
  const { plan, trace, processes, callers, payerWallets } = environment;
  const writes = await createWriteGates(client);
  const sends = createSendGate(environment.transports);
  const playing = new Set<Promise<void>>();

  async function write(name: Write): Promise<string> {
    const before = await writes.count(name);
    await writes.open(name);
    const isMade = await isSoon(async () => (await writes.count(name)) > before);
    return isMade ? "played" : notSeen;
  }

  return {
    /** What the rest of the story does not do is free, unless a crash has to come before it. */
    async hold(rest: readonly Act[]): Promise<void> {
      const has = (name: Act["do"]) => rest.some((act) => act.do === name);
      for (const name of writeNames) {
        if (has(name) || has("crash")) await writes.close(name);
        else await writes.open(name);
      }
      if (has("send") || has("crash")) sends.close();
      else sends.open();
    },
    write,
    /** A task writes where there is something to write, which shows at the gate. */
    async task(name: Write): Promise<string> {
      if (!(await isSoon(() => writes.isAwaited(name), taskSeconds))) return "by itself";
      return write(name);
    },
    async send(reply: SendReply): Promise<string> {
      if (!(await isSoon(() => sends.waiting() > 0))) return notSeen;
      const { nodeConditions, submissions } = environment;
      const { pool } = nodeConditions;
      if (reply === "dropped") nodeConditions.pool = { ...pool, dropped: 100 };
      const before = submissions.length;
      sends.let(faultOf(reply));
      if (reply !== "lost-before") await isSoon(() => submissions.length > before);
      nodeConditions.pool = pool;
      return "played";
    },
    async claim(index: number): Promise<string> {
      const planned = plan.payments[index];
      if (!planned) return "not played: the run has no such payment";
      const payment = payerWallets.signed.get(index) ?? payerWallets.sign(planned);
      const asked = callers
        .play(planned, payment)
        .catch((error: unknown) => trace.note(`payment ${index}: ${String(error)}`))
        .finally(() => playing.delete(asked));
      playing.add(asked);
      return (await isSoon(() => isClaimed(environment, payment))) ? "played" : notSeen;
    },
    async start(index: number): Promise<string> {
      await processes[index]?.start();
      return "played";
    },
    /** At the place that the story has for it: what waits at a gate is not made. */
    async crash(index: number): Promise<string> {
      await processes[index]?.kill();
      await writes.dropWaiting();
      sends.cut();
      return "played";
    },
    /** As if their holders had been silent for long. */
    async endLeases(): Promise<string> {
      await client.query("update lanes set lease_until = 0");
      return "played";
    },
    isDone: () => playing.size === 0,
  };
}
