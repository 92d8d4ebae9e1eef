/** The recovery after a crash: another process takes over, and callers ask again. */
import type { JsonObject } from "@farthing/protocol";
import { expect } from "vitest";
import {
  followAt,
  settleAt,
  until,
  whileMining,
  type CrashEnvironment,
} from "./crash-environment.testing.ts";
import type { RunningScenario } from "./crash-scenarios.testing.ts";
import { bodyOn, walletAt, type Served } from "../support/facilitator.testing.ts";

/** Settles each payment again, and polls its stored settlement, both to the outcome. */
export async function askAgain({ environment, told }: RunningScenario, url: string): Promise<void> {
  const stored = await environment.settlements();
  await Promise.all(
    environment.bodies.map(async (body, index) => {
      const id = stored[index]?.id;
      const pages = await Promise.all([
        settleAt(url, body, environment),
        ...(id === undefined ? [] : [followAt(url, id)]),
      ]);
      for (const page of pages) expect(page).toMatchObject({ status: "confirmed", success: true });
      told[index]?.push(...pages);
    }),
  );
}

/** Returns the facilitator that takes over, once it has the wallet. */
export async function takeOver(
  environment: CrashEnvironment,
  peer: Served | undefined,
): Promise<Served> {
  const successor = peer ?? (await environment.serve());
  await until("the wallet is taken over", environment.isTaken);
  return successor;
}

/** Settles a further payment, by the first payer. */
export async function payAlso({ environment, told }: RunningScenario, url: string): Promise<void> {
  const body = bodyOn(environment.devnet, { payer: walletAt(environment.devnet.buyers, 0) });
  const pages: JsonObject[] = [];
  environment.bodies.push(body);
  told.push(pages);
  pages.push(await settleAt(url, body, environment));
}

/** Makes no block before every payment is sent, and then until callers have their responses. */
export async function answerAll(
  environment: CrashEnvironment,
  asked: Promise<unknown>,
): Promise<void> {
  asked.catch(() => undefined);
  await until("every payment is on its way", async () => {
    const stored = await environment.settlements();
    return stored.every((settlement) => settlement && settlement.state !== "queued");
  });
  await whileMining(environment, asked);
}

/** All payments become final. */
export async function finalize(environment: CrashEnvironment): Promise<void> {
  await until("all payments are final", async () => {
    await environment.devnet.mine();
    return (await environment.settlements()).every((settlement) => settlement?.finalizedAt != null);
  });
}
