/** The whole service beside an empty database and beside a long history, in turn. */
import { performance } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import type { Devnet } from "@farthing/devnet";
import { keyIn } from "@farthing/facilitator/testing/api-keys";
import { farthingWallets, startFarthing } from "./contenders.ts";
import { nextNonces, type HistoryScene, type Tell } from "./history-fill.ts";
import { sides, type OfBoth, type Samples } from "./history-work.ts";
import { runLoad } from "./load.ts";
import type { Mint } from "./payments.ts";

/** How the service is measured. */
export interface ServiceTrials {
  /** Starts of each side, each with a load of its own. */
  readonly times: number;
  readonly callers: number;
  readonly warmUpMs: number;
  readonly countMs: number;
}

/** As many callers as keep the service's core busy for most of a block. */
export const serviceTrials: ServiceTrials = {
  times: 3,
  callers: 1_000,
  warmUpMs: 4_000,
  countMs: 10_000,
};

/** Payments signed before, for a second and caller: one a block and some more. */
const perCallerSecond = 1.5;

/** Pause between looks whether the service is ready: a hundredth of a start. */
const readyEveryMs = 10;

/** A service that is not ready by then never is. */
const readyMsMax = 120_000;

/** Gives the wallets on the chain the nonces that the history has used. */
export async function useNonces(devnet: Devnet, scene: HistoryScene, rows: number): Promise<void> {
  for (const [wallet, nonce] of nextNonces(rows, scene)) {
    await devnet.rpc("anvil_setNonce", [wallet, `0x${nonce.toString(16)}`]);
  }
}

/** Starts it on each database in turn, and has it settle with the key of the history's seller. */
export async function measureServices(
  urls: OfBoth<string>,
  stand: { readonly devnet: Devnet; readonly mint: Mint; readonly scene: HistoryScene },
  { trials, samples, tell }: { trials: ServiceTrials; samples: Samples; tell: Tell },
): Promise<void> {
  const keys = {
    empty: await keyIn(urls.empty, stand.scene.seller),
    long: await keyIn(urls.long, stand.scene.seller),
  };
  for (let turn = 0; turn < trials.times; turn++) {
    for (const side of sides) {
      const { readyMs, perSecond } = await oneTrial(urls[side], keys[side], stand, trials);
      samples.add("start of the service, to /ready", side, readyMs);
      samples.add(settlingName(trials), side, perSecond);
      tell(
        `  ${side}: ready after ${readyMs.toFixed(0)} ms, ${perSecond.toFixed(0)} settlements/s`,
      );
    }
  }
}

/** The one figure of which more is better. */
export const settlingName = ({ callers }: ServiceTrials) =>
  `settlements a second over HTTP, ${callers.toLocaleString("en")} in flight`;

async function oneTrial(
  databaseUrl: string,
  key: string,
  { devnet, mint }: { readonly devnet: Devnet; readonly mint: Mint },
  { callers, warmUpMs, countMs }: ServiceTrials,
): Promise<{ readyMs: number; perSecond: number }> {
  const bodies = mint.make(Math.ceil((callers * perCallerSecond * (warmUpMs + countMs)) / 1000));
  const startedMs = performance.now();
  const server = await startFarthing(devnet, devnet.rpcUrl, farthingWallets, {
    DATABASE_URL: databaseUrl,
    FARTHING_HOSTED_AUTH: "api-key",
    FARTHING_CREDITS_PER_SETTLEMENT: "1",
  });
  try {
    await untilReady(server.url, startedMs);
    const readyMs = performance.now() - startedMs;
    const { perSecond, good, complaint } = await runLoad({
      url: server.url,
      path: "/settle",
      callers,
      headers: { authorization: `Bearer ${key}` },
      next: () => bodies.pop(),
      warmUpMs,
      countMs,
    });
    if (good === 0) throw new Error(`Nothing was settled: ${complaint}`);
    return { readyMs, perSecond };
  } finally {
    await server.stop();
  }
}

async function untilReady(url: string, startedMs: number): Promise<void> {
  while (!(await isReady(url))) {
    if (performance.now() - startedMs > readyMsMax) throw new Error("The service is not ready");
    await pause(readyEveryMs);
  }
}

async function isReady(url: string): Promise<boolean> {
  const { status } = await fetch(`${url}/ready`);
  return status === 200;
}
