/**
 * The nonces of a relayer wallet while nodes lag, blocks vanish, or another program sends from it:
 * none is given up that may still be mined, and none is left open below another.
 */
import type { Devnet } from "@farthing/devnet";
import type { Hex, JsonObject } from "@farthing/protocol";
import * as Hash from "ox/Hash";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import {
  bodyOn,
  finalAfterBlocks,
  newDatabaseUrl,
  serveOn,
  startChain,
  usesOf,
  walletAt,
  type Served,
} from "../support/facilitator.testing.ts";
import { mineUnlessMined, untilSent } from "../support/settlement-transactions.testing.ts";
import { createSigners } from "@farthing/engine";
import { Secret } from "@farthing/engine/base";
import { planCancellation } from "@farthing/engine/source/relayer/replacement";
import { startRpcProxy, type RpcProxy } from "@farthing/lab/rpc-proxy";
import { openStore, type ServiceStore } from "../../src/features/open-store.ts";

let devnet: Devnet;
let proxy: RpcProxy;
let served: Served;
/** Runs once, between a nonce that is taken and the bytes that are stored for it. */
let beforeSigned: (() => Promise<void>) | undefined;
/** Runs once, after the used nonces were counted in the store. */
let afterCounted: (() => Promise<void>) | undefined;
/** Called when transactions are closed, and when one is put in another's place. */
let onClosed: (() => void) | undefined;
let replacements = 0;
/** Called when the transactions of vanished blocks are on their way again. */
let onReopened: (() => void) | undefined;

beforeAll(async () => {
  devnet = await startChain({ relayers: 3 });
  proxy = await startRpcProxy(devnet.rpcUrl);
  const databaseUrl = newDatabaseUrl();
  const store = watched(await openStore(databaseUrl));
  const env = { FARTHING_METRICS_PORT: "0" };
  served = await serveOn(devnet, { rpcUrl: proxy.url, databaseUrl, store, env });
  // Another program has the key.
  await devnet.rpc("anvil_impersonateAccount", [served.relayer]);
  await devnet.rpc("evm_setAutomine", [false]);
});
afterAll(async () => {
  await served?.stop();
  await proxy?.stop();
  await devnet?.stop();
});
afterEach(() => {
  proxy.react = () => undefined;
});

function watched(store: ServiceStore): ServiceStore {
  let isReorganised = false;
  return {
    ...store,
    recordSigned: async (...parameters) => {
      const hook = beforeSigned;
      beforeSigned = undefined;
      await hook?.();
      return store.recordSigned(...parameters);
    },
    countMinedNonces: async (...parameters) => {
      const nonces = await store.countMinedNonces(...parameters);
      const hook = afterCounted;
      afterCounted = undefined;
      await hook?.();
      return nonces;
    },
    closeNonce: async (...parameters) => {
      await store.closeNonce(...parameters);
      onClosed?.();
    },
    replaceTransaction: (...parameters) => {
      replacements += 1;
      return store.replaceTransaction(...parameters);
    },
    recordReorganised: (...parameters) => {
      isReorganised = true;
      return store.recordReorganised(...parameters);
    },
    listOpenTransactions: async (...parameters) => {
      const open = await store.listOpenTransactions(...parameters);
      if (isReorganised) onReopened?.();
      isReorganised = false;
      return open;
    },
  };
}

async function settle(body: JsonObject): Promise<JsonObject> {
  const { body: answer } = await served.post("/settle", body, { prefer: "respond-async" });
  expect(answer).toMatchObject({ status: "pending" });
  return { ...answer, transaction: await untilSent(served, answer) };
}

const pageOf = async ({ id }: JsonObject) => (await served.get(`/settlements/${String(id)}`)).body;

/** Makes blocks, one by one, until a settlement is confirmed. */
async function untilConfirmed(answer: JsonObject): Promise<void> {
  const look = async () => {
    const { state, transaction } = await pageOf(answer);
    await mineUnlessMined(devnet, transaction);
    return state;
  };
  await expect.poll(look, { interval: 200 }).toBe("confirmed");
}

/**
 * What another program sends from the relayer's wallet, at the nonce that the node gives it. For no
 * better price than ours: anvil would try a dearer one first, whatever its nonce, and drop it.
 */
async function sendFromWallet(): Promise<string> {
  const call = { from: served.relayer, to: devnet.treasury.address, gasPrice: "0x2e90edd00" };
  return devnet.rpc<string>("eth_sendTransaction", [call]);
}

/** A settlement's block and all after it vanish with what is in them; empty ones take their place. */
async function loseBlockOf(answer: JsonObject): Promise<void> {
  const { blockNumber } = await pageOf(answer);
  const head = Number(await devnet.rpc<Hex>("eth_blockNumber"));
  await devnet.rpc("anvil_reorg", [head - Number(blockNumber) + 1, []]);
  await devnet.mine();
}

const count = async () =>
  Number(await devnet.rpc<Hex>("eth_getTransactionCount", [served.relayer, "latest"]));

test("used, and the node that is asked has no receipt yet: ours is not given up", async () => {
  const body = bodyOn(devnet);
  const answer = await settle(body);
  // It lags, but for the count that it shows.
  proxy.react = ({ method, params }) => {
    if (method === "eth_getLogs") return { result: [] };
    if (method === "eth_getTransactionReceipt") return { result: null };
    const isPinned = method === "eth_getTransactionCount" && params[1] !== "latest";
    return isPinned ? { error: { code: -32_000, message: "header not found" } } : undefined;
  };
  await devnet.mine(finalAfterBlocks);
  proxy.reset();
  const receipts = async () => {
    await devnet.mine();
    return proxy.countOf("eth_getTransactionReceipt");
  };
  await expect.poll(receipts, { interval: 200 }).toBeGreaterThan(2);
  expect(await pageOf(answer)).toMatchObject({
    state: "submitted",
    transaction: answer["transaction"],
  });
  proxy.react = () => undefined;
  await untilConfirmed(answer);
  expect(await usesOf(devnet, body)).toEqual([answer["transaction"]]);
});

test("used by another program: the payment goes with the next nonce", async () => {
  const body = bodyOn(devnet);
  proxy.react = ({ method }) =>
    method === "eth_sendRawTransaction"
      ? { error: { code: -32_000, message: "replacement transaction underpriced" } }
      : undefined;
  const before = await count();
  const answer = await settle(body);
  const foreign = await sendFromWallet();
  await devnet.mine();
  expect(await count()).toBe(before + 1);
  proxy.react = () => undefined;
  await untilConfirmed(answer);
  expect(await usesOf(devnet, body)).not.toContain(foreign);
  expect(await count()).toBe(before + 2);
  const metrics = await (await fetch(`${served.metricsUrl}/metrics`)).text();
  const used = 'x402_relayer_used_elsewhere_total{network="eip155:51",relayer_index="0"}';
  expect(Number(metrics.split(`${used} `)[1]?.split("\n")[0])).toBeGreaterThan(0);
});

test("left open by another program whose block vanished: closed, and the rest goes on", async () => {
  const first = await settle(bodyOn(devnet));
  const before = await count();
  await sendFromWallet();
  await untilConfirmed(first);
  expect(await count()).toBe(before + 2);
  // Both are gone; only ours comes again, and the nonce in between was theirs.
  await loseBlockOf(first);
  const second = await settle(bodyOn(devnet));
  await untilConfirmed(second);
  await untilConfirmed(first);
  expect(await count()).toBe(await pendingCount());
});

const pendingCount = async () =>
  Number(await devnet.rpc<Hex>("eth_getTransactionCount", [served.relayer, "pending"]));

test("taken while the blocks before it vanish: signed and sent all the same", async () => {
  const first = await settle(bodyOn(devnet));
  await untilConfirmed(first);
  const waiting = await settle(bodyOn(devnet));
  await untilFollowed();
  beforeSigned = async () => {
    const reopened = new Promise<void>((resolve) => (onReopened = resolve));
    await loseBlockOf(first);
    await reopened;
  };
  const second = await settle(bodyOn(devnet));
  for (const answer of [second, waiting, first]) await untilConfirmed(answer);
});

test("mined while gaps are looked for: it is none", async () => {
  let lost: unknown;
  proxy.react = ({ method, params: [raw] }) => {
    if (method !== "eth_sendRawTransaction") return undefined;
    lost = raw;
    return { result: Hash.keccak256(`0x${String(raw).slice(2)}`) };
  };
  const before = replacements;
  const used = await count();
  const answer = await settle(bodyOn(devnet));
  const closed = new Promise<void>((resolve) => (onClosed = resolve));
  afterCounted = async () => {
    await devnet.rpc("eth_sendRawTransaction", [lost]);
    await devnet.mine();
    await closed;
  };
  // The node was asked before as well.
  const counted = `0x${used.toString(16)}`;
  proxy.react = ({ method }) =>
    method === "eth_getTransactionCount" && afterCounted ? { result: counted } : undefined;
  await untilConfirmed(answer);
  await untilFollowed();
  expect(replacements).toBe(before);
  expect(await count()).toBe(used + 1);
});

/** The newest block has been dealt with: since then the chain was looked at again, twice. */
async function untilFollowed(): Promise<void> {
  proxy.reset();
  const looks = () =>
    proxy.calls.filter(
      ({ method, params }) => method === "eth_getBlockByNumber" && params[0] === "latest",
    );
  await expect.poll(() => looks().length).toBeGreaterThan(2);
}

describe("stored as used in a block that was reorganised out unobserved", () => {
  test("used again by the same bytes", async () => {
    const databaseUrl = newDatabaseUrl();
    const hash = await storeUsedNonce(1, databaseUrl);
    await settleAfter(1, databaseUrl);
    const receipt = await devnet.rpc("eth_getTransactionReceipt", [hash]);
    expect(receipt).toMatchObject({ status: "0x1" });
  });

  test("filled by another transaction where the bytes were removed", async () => {
    const databaseUrl = newDatabaseUrl();
    const hash = await storeUsedNonce(2, databaseUrl, "removed");
    await settleAfter(2, databaseUrl);
    expect(await devnet.rpc("eth_getTransactionReceipt", [hash])).toBeNull();
    const { address } = walletAt(devnet.relayers, 2);
    // The gap and the payment.
    expect(Number(await devnet.rpc<Hex>("eth_getTransactionCount", [address, "latest"]))).toBe(2);
  });
});

/** Serves with a wallet whose first nonce is held to be used; ends with a confirmed payment. */
async function settleAfter(wallet: number, databaseUrl: string): Promise<void> {
  await devnet.mine(finalAfterBlocks);
  const late = await serveOn(devnet, { wallets: [wallet], databaseUrl });
  onTestFinished(() => late.stop());
  const { body: answer } = await late.post("/settle", bodyOn(devnet), {
    prefer: "respond-async",
  });
  const state = async () => {
    await devnet.mine();
    return (await late.get(`/settlements/${String(answer["id"])}`)).body["state"];
  };
  await expect.poll(state, { interval: 200 }).toBe("confirmed");
}

/** A wallet's first nonce, stored as used in the newest block; no node knows of it. */
async function storeUsedNonce(
  wallet: number,
  databaseUrl: string,
  bytes: "kept" | "removed" = "kept",
): Promise<Hex> {
  const { chainId } = devnet;
  const { privateKey } = walletAt(devnet.relayers, wallet);
  const [signer] = createSigners({ keys: [new Secret(privateKey)] });
  if (!signer) throw new Error("one key makes one signer");
  const store = await openStore(databaseUrl);
  const holder = { owner: "gone", nonceFloor: 0, leaseMs: 1, now: 0 };
  const lease = await store.takeWalletLease({ chainId, lane: signer.address, ...holder });
  if (!lease) throw new Error("the wallet is free");
  // Dearer than what fills a gap: the same bytes would be the same transaction.
  const plan = planCancellation(signer.address, 13_000_000_000n);
  const [transaction] = await store.reserveTransactions(lease, [plan], 0);
  if (!transaction) throw new Error("one plan makes one transaction");
  const { raw, hash } = await signer.sign(transaction);
  await store.recordSigned(lease, [{ id: transaction.id, raw, hash }], 0);
  const head = Number(await devnet.rpc<Hex>("eth_blockNumber"));
  await store.closeTransactions([transaction], "mined", head);
  if (bytes === "removed") expect(await store.pruneSignedBytes(chainId, head, 10)).toBe(1);
  await store.close();
  return hash;
}
