/**
 * A copy of the SQLite file of a process that settles meanwhile, put in the file's place after the
 * process and its file are lost: what the copy knows is finished, what it does not know is paid by
 * no one twice, and every payment is told truly.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { programFile } from "@farthing/lab/programs";
import type { Devnet } from "@farthing/devnet";
import type { JsonObject } from "@farthing/protocol";
import { expect, onTestFinished, test } from "vitest";
import {
  bodyOn,
  environmentOn,
  newDatabaseUrl,
  readResponse,
  serveOn,
  startChain,
  usesOf,
  type Answer,
  type Served,
} from "../support/facilitator.testing.ts";
import { backUpSqlite } from "@farthing/engine/storage";

const runner = programFile(new URL("../support/serve-runner.testing.ts", import.meta.url));
const pathOf = (databaseUrl: string): string => databaseUrl.slice("sqlite:".length);

/** In each of three thirds: settled before the copy, beside it, and after it. */
const payments = 12;

/** Starts the process, to be killed; resolves with its address and its end. */
async function startProcess(devnet: Devnet, databaseUrl: string) {
  const child = spawn(process.execPath, ["--conditions=@farthing/source", runner], {
    env: {
      ...environmentOn(devnet, { databaseUrl, wallets: [0, 1] }),
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = once(child, "exit");
  for await (const line of createInterface({ input: child.stderr })) {
    const url = /^Farthing listens on (\S+)$/.exec(line)?.[1];
    if (url !== undefined) {
      child.stderr.resume();
      return {
        url,
        kill: async () => {
          child.kill("SIGKILL");
          await ended;
        },
      };
    }
  }
  throw new Error("It ended before it listened");
}

test("a copy made under load is restored after a crash, and nothing is paid twice", async () => {
  const devnet = await startChain({ blockTimeSeconds: 1 });
  onTestFinished(() => devnet.stop());
  const databaseUrl = newDatabaseUrl();
  const before = await startProcess(devnet, databaseUrl);
  const makeBodies = () => Array.from({ length: payments }, () => bodyOn(devnet));
  const thirds = [makeBodies(), makeBodies(), makeBodies()] as const;
  const settle = async (body: object) => {
    const headers = { "content-type": "application/json", prefer: "respond-async" };
    const request = { method: "POST", headers, body: JSON.stringify(body) };
    return readResponse(await fetch(`${before.url}/settle`, request));
  };

  await Promise.all(thirds[0].map(settle));
  const copyUrl = newDatabaseUrl();
  const [{ bytes }] = await Promise.all([
    backUpSqlite(databaseUrl, pathOf(copyUrl)),
    ...thirds[1].map(settle),
  ]);
  await Promise.all(thirds[2].map(settle));
  await before.kill();

  // One file, for its owner alone, and nothing beside it.
  expect(readdirSync(dirname(pathOf(copyUrl)))).toEqual(["farthing.db"]);
  const { mode, size } = statSync(pathOf(copyUrl));
  expect([mode & 0o777, size]).toEqual([0o600, bytes]);

  const after = await serveOn(devnet, { databaseUrl: copyUrl, wallets: [0, 1] });
  onTestFinished(() => after.stop());
  const bodies = thirds.flat();
  const answers = await Promise.all(bodies.map((body) => settleAgain(after, body)));
  const uses = await Promise.all(bodies.map((body) => usesOf(devnet, body)));
  expect(uses.map(({ length }) => length)).toEqual(bodies.map(() => 1));
  for (const [index, { body }] of answers.entries()) {
    const [transaction = "none"] = uses[index] ?? [];
    // A payment of which the copy knows nothing was settled by the lost process: its use is found
    // on the chain and named. Its success is told once, and nobody is told to sign again.
    if (body["success"] === true) expect(body["transaction"]).toBe(transaction);
    else expect(JSON.stringify(body)).toMatch(new RegExp(`already_(used|settled).*${transaction}`));
    expect(JSON.stringify(body)).not.toMatch(/sign a new/);
  }
  const known = answers.slice(0, payments).map(({ body }) => body["status"]);
  expect(known).toEqual(known.map(() => "confirmed"));
});

/**
 * Settles what may have been settled by the lost process; asks again while it is being looked for, and
 * while nothing is claimed because the copy is behind the chain.
 */
async function settleAgain(served: Served, body: JsonObject): Promise<Answer> {
  let answer: Answer | undefined;
  const ask = async () => {
    answer = await served.post("/settle", body);
    return `${answer.status} ${String(answer.body["errorMessage"])}`;
  };
  await expect.poll(ask).not.toMatch(/^503|ask again/);
  if (!answer) throw new Error("Nothing was asked.");
  return answer;
}

test("nothing is written over, and only a SQLite file is copied", async () => {
  const devnet = await startChain();
  onTestFinished(() => devnet.stop());
  const served = await serveOn(devnet);
  onTestFinished(() => served.stop());
  const target = pathOf(newDatabaseUrl());
  writeFileSync(target, "something else");
  const code = "configuration";
  await expect(backUpSqlite(served.databaseUrl, target)).rejects.toMatchObject({ code });
  await expect(backUpSqlite("postgres://nowhere/x", `${target}2`)).rejects.toMatchObject({
    code,
    message: expect.stringContaining("pg_dump"),
  });
  await expect(backUpSqlite(newDatabaseUrl(), `${target}2`)).rejects.toMatchObject({ code });
  const nowhere = `${dirname(target)}/no/such/folder.db`;
  await expect(backUpSqlite(served.databaseUrl, nowhere)).rejects.toMatchObject({
    code: "storage_unavailable",
  });
  expect(existsSync(`${target}2`)).toBe(false);
});
