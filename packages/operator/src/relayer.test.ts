/** `farthing relayer` as an operator runs it, on a local chain. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDevnet, type Devnet } from "@farthing/devnet";
import {
  openStore,
  readRelayerReport,
  type ServiceStore,
  sweepRelayer,
  walletAddressOf,
} from "@farthing/facilitator";
import { startWeb3Signer } from "@farthing/facilitator/testing/key-services";
import { farthing, type Run } from "farthing/testing";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { gather } from "./gather.testing.ts";
import { advanceRotation } from "./rotation.ts";

const cold = "0x00000000000000000000000000000000000c01d0";

const oneXdc = 10n ** 18n;

let devnet: Devnet;
let folder: string;
let keysFile: string;
let environment: Record<string, string>;
beforeAll(async () => {
  devnet = await startDevnet({ buyers: 1, relayers: 3, blockTimeSeconds: 1 });
  folder = mkdtempSync(join(tmpdir(), "farthing-relayer-"));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await devnet?.stop();
});

let databases = 0;
beforeEach(() => {
  keysFile = join(folder, `relayers-${++databases}.key`);
  writeFileSync(keysFile, `${keyOf(0)},${keyOf(1)}\n`, { mode: 0o600 });
  environment = {
    FARTHING_RPC_51: devnet.rpcUrl,
    FARTHING_RELAYER_KEYS_FILE: keysFile,
    DATABASE_URL: `sqlite:${join(folder, `farthing-${databases}.db`)}`,
  };
});

function walletOf(index: number) {
  const found = devnet.relayers[index];
  if (!found) throw new Error(`the chain has no wallet ${index}`);
  return found;
}

const keyOf = (index: number) => devnet.relayers[index]?.privateKey ?? "";
const wallet = (index: number) => devnet.relayers[index]?.address ?? "0x";
const relayer = (...args: string[]): Promise<Run> =>
  farthing(["relayer", ...args], { environment });
const balanceOf = async (address: string) =>
  BigInt(await devnet.rpc<string>("eth_getBalance", [address, "latest"]));

/** The sweep without the command around it. */
const sweep = (from: `0x${string}`, to: `0x${string}`, keys: readonly string[] = []) =>
  gather(sweepRelayer({ wallet: from, to, keys }, { env: environment }));

async function withStore<T>(work: (store: ServiceStore) => Promise<T>): Promise<T> {
  const store = await openStore(environment["DATABASE_URL"] ?? "");
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Takes a wallet as a process that may have died: only a `leaseMs` keeps others out. */
function takeAs(store: ServiceStore, lane: `0x${string}`, owner: string, leaseMs: number) {
  return store.takeWalletLease({
    chainId: 51,
    lane,
    owner,
    nonceFloor: 0,
    leaseMs,
    now: Date.now(),
  });
}

test("status shows each wallet with its gas, and the process that works it", async () => {
  await devnet.rpc("anvil_setBalance", [wallet(1), "0x1"]);
  await withStore((store) => takeAs(store, wallet(0), `elsewhere/7/abc`, 600_000));
  const text = await relayer("status");
  expect(text).toMatchObject({ code: 0, stderr: "" });
  const [, first = "", second = ""] = text.stdout.split("\n");
  expect(first).toMatch(
    new RegExp(`^eip155:51 +0 +${wallet(0)} +\\d+ +[\\d,]+ +0 +0 +elsewhere/7`),
  );
  expect(second).toMatch(new RegExp(`^eip155:51 +1 +${wallet(1)} +0 +0, low +0 +0 +none`));
  await devnet.rpc("anvil_setBalance", [wallet(1), `0x${(10n * oneXdc).toString(16)}`]);
});

test("sweep leaves a wallet alone that a facilitator works, and asks before it sends", async () => {
  await withStore((store) => takeAs(store, wallet(0), `elsewhere/${process.ppid}/abc`, 600_000));
  const unasked = await relayer("sweep", wallet(0), "--to", cold);
  expect([unasked.code, unasked.stderr]).toEqual([
    3,
    expect.stringMatching(/\? There is no terminal to ask on; run the command with --yes/),
  ]);
  const before = await balanceOf(wallet(0));
  await expect(sweep(wallet(0), cold)).rejects.toThrow(`A running facilitator works ${wallet(0)}`);
  expect(await balanceOf(wallet(0))).toBe(before);
});

test("sweep finishes what a dead process left, sends the rest once, and repeats do nothing", async () => {
  const plan = { settlementIds: [], to: wallet(1), data: "0x" as const, gasLimit: 21_000n };
  await withStore(async (store) => {
    // It died after it had taken a nonce: nothing is signed.
    const held = await takeAs(store, wallet(0), "elsewhere/1/dead", 600_000);
    if (!held) throw new Error("the wallet is its own");
    await store.reserveTransactions(held, [{ ...plan, gasPrice: 12_500_000_000n }], Date.now());
    await store.releaseWallets(51, "elsewhere/1/dead");
  });
  const [status] = JSON.parse((await relayer("status", "--json")).stdout);
  expect(status).toMatchObject({ address: wallet(0), unmined: 1 });
  const before = await balanceOf(wallet(0));
  const swept = await relayer("sweep", wallet(0), "--to", cold, "--yes");
  expect(swept).toMatchObject({ code: 0, stderr: "" });
  expect(swept.stdout).toMatch(/^eip155:51: [\d.]+ XDC sent in 0x[0-9a-f]{64}\n$/);
  // Two transfers without data, and nothing else, were paid from the wallet.
  const fees = 2n * 21_000n * 12_500_000_000n;
  expect(await balanceOf(cold)).toBeGreaterThanOrEqual(before - 2n * fees);
  expect(await balanceOf(wallet(0))).toBeLessThan(fees);
  expect(await devnet.rpc("eth_getTransactionCount", [wallet(0), "latest"])).toBe("0x2");
  expect(await sweep(wallet(0), cold)).toEqual([
    { network: "eip155:51", xdc: "0", transaction: null },
  ]);
  expect(await devnet.rpc("eth_getTransactionCount", [wallet(0), "latest"])).toBe("0x2");
  await withStore(async (store) => {
    // The next facilitator begins after the transfer.
    const lease = await takeAs(store, wallet(0), "elsewhere/2/next", 1_000);
    expect(lease?.nextNonce).toBe(2);
  });
});

test("rotate goes on from every state that a crash leaves, and loses no key", async () => {
  const old = wallet(1);
  const advance = () => {
    const { FARTHING_RELAYER_KEYS_FILE: _, ...settings } = environment;
    return advanceRotation(keysFile, old, settings);
  };
  const first = await relayer("rotate", old);
  expect([first.code, first.stderr]).toEqual([
    0,
    expect.stringContaining("needs gas on eip155:51"),
  ]);
  const next = first.stdout.trim();
  // The same wallet, however often it is run.
  const lacking = [{ network: "eip155:51", xdc: "0" }];
  expect(await advance()).toEqual({ kind: "fund", to: next, lacking });
  expect(statSync(`${keysFile}.next`).mode & 0o777).toBe(0o600);
  expect(readFileSync(keysFile, "utf8")).toBe(`${keyOf(0)},${keyOf(1)}\n`);
  const planned = readFileSync(`${keysFile}.next`, "utf8");

  // Gas that is too little is seen, and said to be too little.
  await devnet.rpc("anvil_setBalance", [next, `0x${(oneXdc / 1_000n).toString(16)}`]);
  expect((await relayer("rotate", old)).stderr).toContain(
    "needs gas on eip155:51: it holds 0.001 XDC, less than one payment costs",
  );

  await devnet.rpc("anvil_setBalance", [next, `0x${oneXdc.toString(16)}`]);
  expect(await advance()).toEqual({ kind: "restart", to: next });
  const keys = readFileSync(keysFile, "utf8").trim().split(",");
  expect(keys.map(walletAddressOf)).toEqual([wallet(0), next]);
  expect(statSync(`${keysFile}.retired`).mode & 0o777).toBe(0o600);

  // A crash before the keys file was replaced, and one before the plan was removed.
  writeFileSync(keysFile, `${keyOf(0)},${keyOf(1)}\n`);
  writeFileSync(`${keysFile}.next`, planned);
  expect(await advance()).toEqual({ kind: "restart", to: next });
  expect(readFileSync(keysFile, "utf8").trim().split(",").map(walletAddressOf)).toContain(next);
  expect(readFileSync(`${keysFile}.retired`, "utf8").trim().split("\n")).toHaveLength(1);
  writeFileSync(`${keysFile}.next`, planned);

  // The service still runs with the old file.
  const owner = `elsewhere/${process.ppid}/abc`;
  await withStore((store) => takeAs(store, old, owner, 600_000));
  expect(await advance()).toEqual({ kind: "sweep", to: next, key: keyOf(1) });
  expect(readFileSync(`${keysFile}.next`, "utf8")).toBe("");
  await expect(sweep(old, walletAddressOf(keys[1] ?? ""), [keyOf(1)])).rejects.toThrow(
    `works ${old}`,
  );
  await withStore((store) => store.releaseWallets(51, owner));

  const before = await balanceOf(old);
  const last = await relayer("rotate", old, "--yes");
  expect([last.code, last.stderr]).toEqual([0, expect.stringContaining("rotation is complete")]);
  expect(await balanceOf(next)).toBeGreaterThan(before);
  expect(readFileSync(`${keysFile}.retired`, "utf8")).toContain(keyOf(1));
  expect(existsSync(`${keysFile}.new`)).toBe(false);
  const { wallets } = await readRelayerReport({ env: environment });
  expect(wallets.map(({ address }) => address)).toEqual([wallet(0), next]);
});

test("rotate --to leads from a wallet of a key service to another one, step by step", async () => {
  const [old, next] = [walletOf(1), walletOf(2)];
  const service = await startWeb3Signer(old, "a:b");
  onTestFinished(() => service.stop());
  const rotate = (...args: string[]) => relayer("rotate", old.address, ...args);
  delete environment["FARTHING_RELAYER_KEYS_FILE"];
  Object.assign(environment, {
    FARTHING_RELAYER_WEB3SIGNER_URL: service.url.replace("//", "//a:b@"),
    FARTHING_RELAYER_WEB3SIGNER_WALLETS: old.address,
  });
  const to = ["--to", next.address];
  const saysStep = async (text: string, stdout = "") =>
    expect(await rotate(...to)).toMatchObject({
      code: 0,
      stdout,
      stderr: expect.stringContaining(text),
    });
  expect((await rotate()).stderr).toContain("name its replacement with --to");
  await saysStep(`have no key of ${next.address}. Make it at the key service`);

  environment["FARTHING_RELAYER_KEYS"] = next.privateKey;
  await devnet.rpc("anvil_setBalance", [old.address, `0x${oneXdc.toString(16)}`]);
  await devnet.rpc("anvil_setBalance", [next.address, "0x0"]);
  await saysStep("needs gas on eip155:51", `${next.address}\n`);

  await devnet.rpc("anvil_setBalance", [next.address, `0x${oneXdc.toString(16)}`]);
  await withStore((store) => takeAs(store, old.address, "elsewhere/7/abc", 600_000));
  await saysStep(`the process elsewhere/7 works ${old.address}`);
  expect(service.signed).toBe(0);

  await withStore((store) => store.releaseWallets(51, "elsewhere/7/abc"));
  const asked = await rotate(...to);
  expect([asked.code, asked.stderr]).toEqual([3, expect.stringContaining("--yes")]);
  const done = await rotate(...to, "--yes");
  expect([done.code, done.stderr]).toEqual([0, expect.stringContaining("rotation is complete")]);
  expect(service.signed).toBe(1);
  expect(await balanceOf(old.address)).toBe(0n);
  expect(await balanceOf(next.address)).toBeGreaterThan(oneXdc);

  delete environment["FARTHING_RELAYER_WEB3SIGNER_URL"];
  delete environment["FARTHING_RELAYER_WEB3SIGNER_WALLETS"];
  const late = await rotate(...to);
  expect([late.code, late.stderr]).toEqual([
    3,
    expect.stringContaining(`no key of ${old.address}, which the last step needs`),
  ]);
});

test("an unknown wallet, and keys that are in no file: 3, with what to do", async () => {
  await expect(advanceRotation(keysFile, wallet(2), environment)).rejects.toThrow("has no key of");
  delete environment["FARTHING_RELAYER_KEYS_FILE"];
  environment["FARTHING_RELAYER_KEYS"] = keyOf(0);
  const without = await relayer("rotate", wallet(0));
  expect([without.code, without.stderr]).toEqual([3, expect.stringContaining("_KEYS_FILE")]);
});
