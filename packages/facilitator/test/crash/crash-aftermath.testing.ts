/** After a process has died or stopped: another one takes over, and callers ask again. */
import type { JsonObject } from "@farthing/protocol";
import { expect } from "vitest";
import { followAt, settleAt, until, whileMining, type Ground } from "./crash-ground.testing.ts";
import type { Stage } from "./crash-scenes.testing.ts";
import { bodyOn, walletAt, type Served } from "../support/facilitator.testing.ts";

/** Settles each payment again, and follows what is stored of it, both to the outcome. */
export async function askAgain({ ground, told }: Stage, url: string): Promise<void> {
  const stored = await ground.settlements();
  await Promise.all(
    ground.bodies.map(async (body, index) => {
      const id = stored[index]?.id;
      const pages = await Promise.all([
        settleAt(url, body),
        ...(id === undefined ? [] : [followAt(url, id)]),
      ]);
      for (const page of pages) expect(page).toMatchObject({ status: "confirmed", success: true });
      told[index]?.push(...pages);
    }),
  );
}

/** Gives the facilitator that goes on, once it has the wallet. */
export async function takeOver(ground: Ground, neighbour: Served | undefined): Promise<Served> {
  const successor = neighbour ?? (await ground.serve());
  await until("the wallet is taken over", ground.isTaken);
  return successor;
}

/** Settles a further payment, by the first payer. */
export async function payAlso({ ground, told }: Stage, url: string): Promise<void> {
  const body = bodyOn(ground.devnet, { payer: walletAt(ground.devnet.buyers, 0) });
  const pages: JsonObject[] = [];
  ground.bodies.push(body);
  told.push(pages);
  pages.push(await settleAt(url, body));
}

/** Makes no block before everything is on its way, and then until callers have their answers. */
export async function answerAll(ground: Ground, asked: Promise<unknown>): Promise<void> {
  asked.catch(() => undefined);
  await until("every payment is on its way", async () => {
    const stored = await ground.settlements();
    return stored.every((settlement) => settlement && settlement.state !== "queued");
  });
  await whileMining(ground, asked);
}

/** All payments become final. */
export async function finalize(ground: Ground): Promise<void> {
  await until("all payments are final", async () => {
    await ground.devnet.mine();
    return (await ground.settlements()).every((settlement) => settlement?.finalizedAt != null);
  });
}
