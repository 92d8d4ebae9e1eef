/**
 * `kill -9` at every step from claim to confirmation. After a restart on the same database the same
 * payment gives the same settlement and one transfer, and the wallet goes on without a gap.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Devnet } from "@farthing/devnet";
import type { JsonObject } from "@farthing/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  bodyOn,
  countOf,
  environmentOn,
  newDatabaseUrl,
  oneCent,
  payerAndNonceOf,
  serveOn,
  startChain,
  usesOf,
  walletAt,
} from "./facilitator.testing.ts";
import { openStore } from "./storage/open-store.ts";

/** Where it dies, what is stored by then, and whether a block is made before the restart. */
const crashes: readonly (readonly [string, string, boolean])[] = [
  ["before:claimSettlements", "nothing", false],
  ["after:claimSettlements", "queued", false],
  ["before:reserveTransactions", "queued", false],
  ["after:reserveTransactions", "queued", true],
  ["before:recordSigned", "queued", false],
  // Signed, stored, and not sent: the next thing would have been the send.
  ["after:recordSigned", "submitted", true],
  // Sent, and the node's answer is not stored.
  ["before:recordSent", "submitted", false],
  ["before:recordSent", "submitted", true],
  ["after:recordSent", "submitted", true],
  ["before:recordConfirmed", "submitted", false],
  ["after:recordConfirmed", "confirmed", false],
  ["before:closeTransactions", "confirmed", true],
];

let devnet: Devnet;
beforeAll(async () => {
  devnet = await startChain({
    buyers: crashes.length,
    relayers: crashes.length,
    blockTimeSeconds: 1,
  });
});
afterAll(() => devnet?.stop());

const runner = fileURLToPath(new URL("crash-runner.testing.ts", import.meta.url));

/** Settles with a facilitator that dies on the way; gives the signal that ended it. */
async function settleAndDie(step: string, wallet: number, databaseUrl: string, body: JsonObject) {
  const child = spawn(process.execPath, ["--conditions=@farthing/source", runner, step], {
    env: { ...environmentOn(devnet, { wallets: [wallet], databaseUrl }) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const [url] = await Promise.race([once(createInterface({ input: child.stdout }), "line"), ended]);
  const answered = fetch(`${String(url)}/settle`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    // Mostly there is no answer any more.
  }).catch(() => undefined);
  const [, signal] = await ended;
  await answered;
  return String(signal);
}

async function storedBy(databaseUrl: string, body: JsonObject) {
  const store = await openStore(databaseUrl);
  try {
    const open = await store.listOpenSettlements(devnet.chainId);
    const pair = {
      chainId: devnet.chainId,
      asset: devnet.token,
      ...payerAndNonceOf(body),
    };
    const [settlement] = await store.findSettlementsByPair([pair]);
    return { open: open.length, settlement };
  } finally {
    await store.close();
  }
}

describe("killed and started again", { concurrent: true }, () => {
  test.each(crashes.map((crash, index) => [...crash, index] as const))(
    "%s, when %s is stored (a block in between: %s)",
    async (step, stored, isMined, index) => {
      const databaseUrl = newDatabaseUrl();
      const payer = walletAt(devnet.buyers, index);
      const relayer = walletAt(devnet.relayers, index).address;
      const body = bodyOn(devnet, { payer });
      const start = await devnet.usdc.balanceOf(payer.address);

      expect(await settleAndDie(step, index, databaseUrl, body)).toBe("SIGKILL");
      const { settlement } = await storedBy(databaseUrl, body);
      expect(settlement?.state ?? "nothing").toBe(stored);
      if (isMined) await devnet.mine();

      const served = await serveOn(devnet, { wallets: [index], databaseUrl });
      try {
        const { body: again } = await served.post("/settle", body);
        expect(again).toMatchObject({ success: true, status: "confirmed" });
        if (settlement) expect(again["id"]).toBe(settlement.id);
        if (settlement?.transaction) expect(again["transaction"]).toBe(settlement.transaction);
        expect(await usesOf(devnet, body)).toEqual([again["transaction"]]);
        expect(start - (await devnet.usdc.balanceOf(payer.address))).toBe(oneCent);

        const further = bodyOn(devnet, { payer });
        expect((await served.post("/settle", further)).body).toMatchObject({ success: true });
        // Two payments, two transactions: nothing was sent twice and no nonce was left out.
        expect(await countOf(devnet, relayer)).toBe(2);
        expect((await storedBy(databaseUrl, body)).open).toBe(0);
      } finally {
        await served.stop();
      }
    },
  );
});
