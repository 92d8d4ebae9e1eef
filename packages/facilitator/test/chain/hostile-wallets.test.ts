/**
 * Contract wallets that tell a simulation from a transaction, to have the operator pay for gas that
 * moves no money: on a real chain, over HTTP.
 */
import { hostileFlag, hostileSignature, type Devnet } from "@farthing/devnet";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import {
  bodyOn,
  byContract,
  countOf,
  finalAfterBlocks,
  frontRun,
  memberAt,
  oneCent,
  serveOn,
  startChain,
  walletAt,
  type Served,
} from "../support/facilitator.testing.ts";
import { byHostile, placeHostile } from "../support/hostile-wallets.testing.ts";
import { startRpcProxy } from "@farthing/lab/rpc-proxy";

let devnet: Devnet;
let served: Served;

beforeAll(async () => {
  devnet = await startChain({ buyers: 2, relayers: 2 });
  served = await serveOn(devnet, { wallets: [0, 1] });
});
afterAll(async () => {
  await served?.stop();
  await devnet?.stop();
});

/** How many transactions all relayer wallets have sent. */
async function sentByAll(): Promise<number> {
  const counts = await Promise.all(devnet.relayers.map(({ address }) => countOf(devnet, address)));
  return counts.reduce((sum, count) => sum + count, 0);
}

describe("a wallet that accepts in simulations alone", () => {
  test.each(["no-origin", "no-gas-price"] as const)(
    "by what a call without a sender looks like (%s): refused by /verify, never sent",
    async (trick) => {
      const body = byHostile(devnet, await placeHostile(devnet), hostileSignature(trick));
      const before = await sentByAll();
      expect((await served.post("/verify", body)).body).toMatchObject({ isValid: false });
      expect((await served.post("/settle", body)).body).toMatchObject({
        success: false,
        transaction: "",
      });
      expect(await sentByAll()).toBe(before);
    },
  );

  test("by which relayer wallet asks: simulated as the wallet that would send it", async () => {
    const [sender, richest] = [walletAt(devnet.relayers, 0), walletAt(devnet.relayers, 1)];
    const wallet = await placeHostile(devnet);
    const body = byHostile(devnet, wallet, hostileSignature("other-origin", richest.address));
    const before = await sentByAll();
    await devnet.rpc("anvil_setBalance", [sender.address, "0x8ac7230489e80000"]);
    // A payment makes the service look at its wallets again.
    const paid = bodyOn(devnet, { payer: walletAt(devnet.buyers, 0) });
    expect((await served.post("/settle", paid)).body).toMatchObject({ success: true });
    const settled = await served.post("/settle", body);
    expect(settled.body).toMatchObject({ success: false, transaction: "" });
    expect(await sentByAll()).toBe(before + 1);
  });
});

const automine = (isOn: boolean) => devnet.rpc("evm_setAutomine", [isOn]);
const async = { prefer: "respond-async" };

/** Its owner raises a flag once the simulation has passed. */
const raise = (isUp: boolean) =>
  devnet.rpc("anvil_setBalance", [hostileFlag, isUp ? "0x1" : "0x0"]);

/** What the first wallet holds. */
const fund = (wei: bigint) =>
  devnet.rpc("anvil_setBalance", [walletAt(devnet.relayers, 0).address, `0x${wei.toString(16)}`]);
const serveAgain = async (rpcUrl = devnet.rpcUrl) => {
  await served.stop();
  served = await serveOn(devnet, { rpcUrl });
};

describe("a wallet that burns the gas of its transaction all the same", () => {
  test("has one payment on its way, then waits; others are paid meanwhile", async () => {
    const wallet = await placeHostile(devnet, 10n * oneCent);
    const bodies = Array.from({ length: 5 }, () =>
      byHostile(devnet, wallet, hostileSignature("flag")),
    );
    const before = await sentByAll();
    await automine(false);
    const answers = await Promise.all(bodies.map((body) => served.post("/settle", body, async)));
    expect(answers.map(({ body }) => body["status"])).toEqual(bodies.map(() => "pending"));
    expect(await sentByAll()).toBe(before + 1);
    await raise(true);
    await automine(true);
    await devnet.mine(finalAfterBlocks);
    const sent = answers.find(({ body }) => body["transaction"] !== "");
    const page = await served.get(`/settlements/${String(sent?.body["id"])}?wait=20`);
    expect(page.body).toMatchObject({ status: "failed" });
    await raise(false);
    // Waits: also what was claimed before, and after a restart.
    await served.stop();
    served = await serveOn(devnet, { wallets: [0, 1], databaseUrl: served.databaseUrl });
    const more = byHostile(devnet, wallet, hostileSignature("flag"));
    for (const path of ["/verify", "/settle"]) {
      const { status, body } = await served.post(path, more);
      expect(status).toBe(200);
      const message = expect.stringMatching(/nothing is settled for it until 20\d\d-/);
      expect(body).toMatchObject(
        path === "/verify"
          ? { isValid: false, invalidReason: "payer_paused", invalidMessage: message }
          : { success: false, errorReason: "payer_paused", errorMessage: message },
      );
    }
    const honest = byContract(devnet);
    expect((await served.post("/settle", honest)).body).toMatchObject({ success: true });
    await devnet.mine(2);
    expect(await sentByAll()).toBe(before + 2);
  });

  test("is not blamed when a third party settled its payment first", async () => {
    const wallet = await placeHostile(devnet, 10n * oneCent);
    const body = byHostile(devnet, wallet, hostileSignature("accept-all"));
    await automine(false);
    expect((await served.post("/settle", body, async)).body).toMatchObject({ status: "pending" });
    await frontRun(devnet, body);
    await automine(true);
    await devnet.mine(finalAfterBlocks);
    expect((await served.post("/settle", body)).body).toMatchObject({ success: true });
    const next = byHostile(devnet, wallet, hostileSignature("accept-all"));
    expect((await served.post("/settle", next)).body).toMatchObject({ success: true });
  });
});

describe("while no wallet can take work", () => {
  test("for want of gas money: /verify and /settle say so before anything is claimed", async () => {
    await serveAgain();
    const [last, body] = [0, 1].map((index) =>
      bodyOn(devnet, { payer: walletAt(devnet.buyers, index) }),
    );
    // A wallet with something on its way is looked at with each block.
    await automine(false);
    await served.post("/settle", last, async);
    await fund(0n);
    await automine(true);
    await expect.poll(mineAndLook).toBe(0);
    for (const path of ["/verify", "/settle"]) {
      const { status, headers, body: answer } = await served.post(path, body);
      expect([status, headers.get("retry-after")]).toEqual([503, "5"]);
      expect(answer).toMatchObject({
        error: "no_wallet",
        message: expect.stringMatching(/No relayer wallet can send/),
        retryable: true,
      });
    }
    // What cannot be paid in any case is told so.
    const poor = bodyOn(devnet, { authorization: { value: 10n ** 15n } });
    expect((await served.post("/verify", poor)).body).toMatchObject({ isValid: false });
    await fund(10n ** 20n);
    await serveAgain();
    expect((await served.post("/settle", body)).body).toMatchObject({ success: true });
  });

  test("for a node that takes no transactions: after two blocks, until it does again", async () => {
    const proxy = await startRpcProxy(devnet.rpcUrl);
    onTestFinished(() => proxy.stop());
    await serveAgain(proxy.url);
    proxy.react = ({ method }) => (method === "eth_sendRawTransaction" ? "down" : undefined);
    const stuck = bodyOn(devnet, { payer: walletAt(devnet.buyers, 0) });
    expect((await served.post("/settle", stuck, async)).body).toMatchObject({ status: "pending" });
    const next = bodyOn(devnet, { payer: walletAt(devnet.buyers, 1) });
    const look = async () => {
      await devnet.mine();
      return (await served.post("/verify", next)).status;
    };
    await expect.poll(look).toBe(503);
    expect((await served.post("/settle", next)).status).toBe(503);
    proxy.react = () => undefined;
    await expect.poll(look).toBe(200);
    for (const body of [stuck, next]) {
      expect((await served.post("/settle", body)).body).toMatchObject({ success: true });
    }
  });
});

/** Makes a block, and asks how many wallets can take work. */
async function mineAndLook(): Promise<unknown> {
  await devnet.mine();
  const { networks } = (await served.get("/v1/status")).body;
  return Array.isArray(networks) ? memberAt(Object(networks[0]), "lanesUsable") : undefined;
}
