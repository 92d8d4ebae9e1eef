/**
 * The scenario that takes each recovery path of the engine whatever the machine's load, for
 * `npm run sim -- --paths`; or the reason why no run of the simulator can take it.
 */
import { pathScenarios } from "./path-scenarios.ts";
import type { Plan } from "./plan.ts";
import { scenarios } from "./scenarios.ts";

export const allScenarios: Readonly<Record<string, Plan>> = { ...scenarios, ...pathScenarios };

export type PathRun = { readonly scenario: string } | { readonly impossible: string };

/** Recovery paths by their words. */
type Words = readonly string[];

const taken: Readonly<Record<string, Words>> = {
  "a batch whose gas is burnt": [
    "a payment without an open transaction waits for a wallet again",
    "a reverted batch is evaluated payment by payment",
  ],
  "confirmed blocks are reorganised out": [
    "a confirmed payment is open again after a reorganisation",
    "a used nonce is open again",
  ],
  "a refund that is signed again": ["a failed refund is signed again with its nonce"],
  "a key service that is down": [
    "a nonce that was never signed is given back",
    "a gap between nonces is filled",
    "a preparation that failed is repeated",
  ],
  "batches too dear for the nodes": [
    "a transaction is dropped, because another one has used its nonce",
    "a batch that no node takes is canceled, and its payments go other ways",
    "a batch is made smaller for a node",
  ],
  "an endpoint without logs": [
    "a wallet moves to another endpoint",
    "an endpoint whose logs lack a payment is asked last",
  ],
  "a gas step over full pools": ["a transaction is replaced at a higher price"],
  "a wallet that is emptied": ["a wallet without money pauses"],
  "rules and strangers": [
    "a transaction is replaced by a cancellation",
    "a nonce that another program has used is given up",
  ],
  "paid by a third party after it had failed": [
    "a third party's transaction confirms a payment",
    "a failed payment that a third party has paid is confirmed",
    // What has reverted leaves no log, and is sent again until its block is final.
    "the same bytes are sent again",
    "the same bytes are sent to every endpoint",
  ],
  "lost commits, by a failover": [
    "a payment that the database had lost is found",
    "blocks that the database lacks are searched",
    "a wallet loads what an older database has",
    "a wallet is given to a process that has fewer",
    "a wallet whose lease was lost is left to its new holder",
  ],
  "no answers": ["a send without a clear reply is treated as sent"],
  "a head that was never there": ["the end of the chain is forgotten that no node shows"],
  "a read-only database": [
    "recovery that failed runs again with the next block",
    "an outcome that was not recorded is recorded later",
  ],
  "people and machines": ["sending waits while the token is paused"],
};

const impossible: Readonly<Record<string, string>> = {
  "a used nonce turns out to be unused, and its bytes are gone":
    "bytes are removed once their block is final, and the simulated chain keeps final blocks, as all promises about them take for granted. `wallet-nonces.test.ts` takes the path on a node whose final blocks are gone.",
  "a transaction that repeats stored bytes is dropped":
    "every replacement that a process plans differs from what it knows of, and a process loads all that is stored before it plans. Only a statement whose commit is done and whose reply is lost, right before another replacement, leads there; no plan reaches into that moment. `repeated-bytes.test.ts` stores it.",
};

/** By the words of the path. */
export const pathRuns: ReadonlyMap<string, PathRun> = new Map<string, PathRun>([
  ...Object.entries(taken).flatMap(([scenario, paths]) =>
    paths.map((path) => [path, { scenario }] as const),
  ),
  ...Object.entries(impossible).map(([path, why]) => [path, { impossible: why }] as const),
]);

/** The scenarios that have to be played for all paths, and the paths that each has to take. */
export const scenariosOfPaths: readonly (readonly [name: string, plan: Plan, paths: Words])[] =
  Object.entries(taken).flatMap(([name, paths]) => {
    const plan = allScenarios[name];
    return plan ? [[name, plan, paths] as const] : [];
  });
