/**
 * Payers that delegate their code (EIP-7702) between the check and the block: on a real chain, over
 * HTTP, with Multicall3 and with the batch contract. Whatever they do, everybody else in their batch
 * is paid, nobody is told what the chain does not say, and the payer is paused. Blocks are made by
 * the test.
 */
import { hostileFlag, type Devnet, type DevnetWallet } from "@farthing/devnet";
import { networkOfChain, type Hex, type JsonObject } from "@farthing/protocol";
import * as AbiFunction from "ox/AbiFunction";
import * as Signature from "ox/Signature";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { placeContracts, withBatcher } from "../support/batch-contract.testing.ts";
import { placeDelegates, type Delegate, type Delegations } from "../support/delegations.testing.ts";
import {
  bodyOn,
  finalAfterBlocks,
  oneCent,
  serveOn,
  startChain,
  textAt,
  usesOf,
  walletAt,
  withMember,
  type Served,
} from "../support/facilitator.testing.ts";

let devnet: Devnet;
let delegations: Delegations;
let served: Served;

beforeAll(async () => {
  devnet = await startChain({ buyers: 80, relayers: 16, hardfork: "prague" });
  await placeContracts(devnet);
  const late = devnet.smartWallet.owner;
  delegations = await placeDelegates(devnet, { sponsor: devnet.treasury, late });
});
afterAll(() => devnet?.stop());
beforeEach(() => automine(false));
afterEach(async () => {
  await raise(false);
  await automine(true);
  await devnet.mine();
  await served?.stop();
});

const automine = (isOn: boolean) => devnet.rpc("evm_setAutomine", [isOn]);
const raise = (isUp: boolean) =>
  devnet.rpc("anvil_setBalance", [hostileFlag, isUp ? "0x1" : "0x0"]);

let walletsUsed = 0;

/** With one transaction at a time, so that what comes meanwhile waits together. */
async function serve(env: Record<string, string> = {}): Promise<void> {
  const wallets = [walletsUsed++];
  served = await serveOn(devnet, { wallets, env: { FARTHING_LANE_IN_FLIGHT: "1", ...env } });
}

let buyersUsed = 0;
const newBuyer = () => walletAt(devnet.buyers, buyersUsed++);
const pay = (payer: DevnetWallet) => bodyOn(devnet, { payer });

const settle = async (body: JsonObject, prefer: string) =>
  (await served.post("/settle", body, { prefer })).body;
const pageOf = async (id: string) => (await served.get(`/settlements/${id}`)).body;
const pagesOf = (ids: readonly string[]) => Promise.all(ids.map(pageOf));
const verify = async (payer: DevnetWallet) => (await served.post("/verify", pay(payer))).body;

/** Queues payments behind another one of the wallet. */
async function queue(bodies: readonly JsonObject[]): Promise<string[]> {
  await settle(pay(newBuyer()), "respond-async");
  const waiting = await Promise.all(bodies.map((body) => settle(body, "wait=0")));
  return waiting.map((one) => textAt(one, "id"));
}

const areSent = async (ids: readonly string[]) =>
  (await pagesOf(ids)).every(({ transaction }) => transaction !== "");

/** Sends payments in one transaction, which waits for its block; gives their ids. */
async function sendTogether(bodies: readonly JsonObject[]): Promise<string[]> {
  const ids = await queue(bodies);
  await devnet.mine();
  await expect.poll(() => areSent(ids), { interval: 50 }).toBe(true);
  return ids;
}

/** Makes blocks until all have an outcome; gives the states. */
async function outcomesOf(ids: readonly string[], beforeBlock = async () => {}) {
  const areOver = async () => {
    for (let blocks = 0; blocks <= finalAfterBlocks; blocks++) {
      await beforeBlock();
      await devnet.mine();
    }
    return (await pagesOf(ids)).every(({ status }) => status !== "pending");
  };
  await expect.poll(areOver, { interval: 200 }).toBe(true);
  return (await pagesOf(ids)).map(({ status }) => status);
}

/** What callers were told agrees with the chain. */
async function expectAgreement(bodies: readonly JsonObject[], ids: readonly string[]) {
  const pages = await pagesOf(ids);
  for (const [index, body] of bodies.entries()) {
    const { status, transaction } = pages[index] ?? {};
    expect(await usesOf(devnet, body)).toEqual(status === "confirmed" ? [transaction] : []);
  }
}

const others = (count: number) => Array.from({ length: count }, () => pay(newBuyer()));
const paid = (count: number) => Array.from({ length: count }, () => "confirmed");

describe.each([
  ["Multicall3", {}],
  ["the batch contract", withBatcher],
])("in a batch of %s", (_contract, env) => {
  test("a payer that delegates to burning code ahead of the batch is paused; the others are paid", async () => {
    await serve(env);
    const hostile = newBuyer();
    const bodies = others(3).toSpliced(1, 0, pay(hostile));
    const ids = await sendTogether(bodies);
    await delegations.delegate(hostile, "burns-gas");
    expect(await outcomesOf(ids)).toEqual(["confirmed", "failed", ...paid(2)]);
    await expectAgreement(bodies, ids);
    await delegations.end(hostile);
    await devnet.mine();
    expect(await verify(hostile)).toMatchObject({ invalidReason: "payer_paused" });
  });

  // Multicall3 gives the calls behind the burning one too little gas. Where that one is the last, the
  // batch succeeds as a transaction; where many follow, it reverts.
  test.each(["in the middle", "at the end"])(
    "one that delegates for each block alone, %s, and is a plain payer in between, is paused too",
    async (place) => {
      await serve(env);
      const hostile = newBuyer();
      const at = place === "at the end" ? 3 : 1;
      const bodies = others(3).toSpliced(at, 0, pay(hostile));
      const ids = await sendTogether(bodies);
      const outcomes = await outcomesOf(ids, () => delegations.flash(hostile, "burns-gas"));
      expect(outcomes).toEqual(paid(3).toSpliced(at, 0, "failed"));
      await expectAgreement(bodies, ids);
      expect(await verify(hostile)).toMatchObject({ invalidReason: "payer_paused" });
      const again = await settle(pay(hostile), "wait=1");
      expect(again).toMatchObject({ success: false, errorReason: "payer_paused", transaction: "" });
    },
  );

  test("one whose delegate burns by a flag is no plain payer once it has code", async () => {
    await serve(env);
    const hostile = newBuyer();
    const bodies = [pay(newBuyer()), pay(hostile), pay(newBuyer()), pay(newBuyer())];
    const ids = await queue(bodies);
    await delegations.delegate(hostile, "burns-by-flag");
    // The block that has the delegation also frees the wallet for the batch.
    await devnet.mine();
    await expect.poll(() => areSent(ids.toSpliced(1, 1))).toBe(true);
    await raise(true);
    const outcomes = await outcomesOf(ids);
    expect(outcomes).toEqual(["confirmed", "failed", ...paid(2)]);
    await expectAgreement(bodies, ids);
  });
});

describe("a delegation", () => {
  test("that ends before the block loses a payment that only the code had accepted", async () => {
    await serve();
    const [payer, thief] = [newBuyer(), newBuyer()];
    await delegations.delegate(payer, "accepts-all");
    await devnet.mine();
    // Anybody can sign for such an account, and it alone loses.
    const stolen = () =>
      bodyOn(devnet, { payer: thief, authorization: { from: payer.address, value: oneCent } });
    const before = await devnet.usdc.balanceOf(payer.address);
    const [first, second] = [stolen(), stolen()];
    expect((await served.post("/verify", first)).body).toMatchObject({ isValid: true });
    const [id] = await sendTogether([first]);
    const [outcome] = await outcomesOf([id ?? ""]);
    expect(outcome).toBe("confirmed");
    expect(await devnet.usdc.balanceOf(payer.address)).toBe(before - oneCent);
    const [late] = await sendTogether([second]);
    await delegations.end(payer);
    expect(await outcomesOf([late ?? ""])).toEqual(["failed"]);
    await expectAgreement([first, second], [id ?? "", late ?? ""]);
    expect((await served.post("/verify", stolen())).body).toMatchObject({ isValid: false });
  });

  test("that begins after /verify is noticed by /settle, and named", async () => {
    await serve();
    for (const delegate of ["refuses-all", "no-code"] as const) {
      const payer = newBuyer();
      const body = pay(payer);
      expect((await served.post("/verify", body)).body).toMatchObject({ isValid: true });
      await delegations.delegate(payer, delegate);
      await devnet.mine();
      const told = await settle(body, "wait=0");
      expect(told).toMatchObject({
        success: false,
        errorReason: "invalid_signature",
        errorMessage: expect.stringContaining(delegations.addressOf(delegate)),
        transaction: "",
      });
      await delegations.end(payer);
      await devnet.mine();
      // The same authorization is good again, and nothing was lost.
      const [id] = await sendTogether([body]);
      expect(await outcomesOf([id ?? ""])).toEqual(["confirmed"]);
    }
  });

  test("does not open what was settled for a key to whoever has no signature", async () => {
    await serve();
    const payer = newBuyer();
    const body = pay(payer);
    const [id] = await sendTogether([body]);
    expect(await outcomesOf([id ?? ""])).toEqual(["confirmed"]);
    await delegations.delegate(payer, "refuses-all");
    await devnet.mine();
    const signature = `0x${"22".repeat(65)}`;
    const forged = withMember(body, "paymentPayload.payload.signature", signature);
    expect(await settle(forged, "wait=0")).toMatchObject({ errorReason: "invalid_signature" });
    // The payer's own signature is still theirs, whatever their code says now.
    expect(await settle(body, "wait=0")).toMatchObject({
      transaction: expect.stringMatching(/^0x/),
    });
  });
});

const terms =
  "address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce";
const overloads = {
  bytes: AbiFunction.from(`function transferWithAuthorization(${terms}, bytes signature)`),
  vrs: AbiFunction.from(
    `function transferWithAuthorization(${terms}, uint8 v, bytes32 r, bytes32 s)`,
  ),
};

async function callToken(data: Hex): Promise<string> {
  const asked = {
    from: devnet.treasury.address,
    to: networkOfChain(devnet.chainId).usdc,
    data,
  };
  return devnet.rpc("eth_call", [asked, "latest"]).then(() => "paid", String);
}

/** What the token says to a payment by each overload. */
async function saidByToken(body: JsonObject): Promise<{ bytes: string; vrs: string }> {
  const { authorization, signature } = Object(body["paymentPayload"]).payload;
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  const signed = [from, to, BigInt(value), BigInt(validAfter), BigInt(validBefore), nonce] as const;
  const { r, s, yParity } = Signature.fromHex(signature);
  return {
    bytes: await callToken(AbiFunction.encodeData(overloads.bytes, [...signed, signature])),
    vrs: await callToken(AbiFunction.encodeData(overloads.vrs, [...signed, yParity + 27, r, s])),
  };
}

test("both overloads of the token ask a delegate, so payments go by the one that every payer can use", async () => {
  await serve();
  const refused = expect.stringContaining("FiatTokenV2: invalid signature");
  const table: [Delegate | undefined, unknown][] = [
    [undefined, "paid"],
    ["refuses-all", refused],
    ["own-key", "paid"],
    ["no-owner", refused],
  ];
  for (const [delegate, says] of table) {
    const payer = newBuyer();
    if (delegate !== undefined) await delegations.delegate(payer, delegate);
    await devnet.mine();
    const body = pay(payer);
    expect([delegate, await saidByToken(body)]).toEqual([delegate, { bytes: says, vrs: says }]);
    if (says !== "paid") {
      expect(await settle(body, "wait=0")).toMatchObject({ errorReason: "invalid_signature" });
      continue;
    }
    const [id = ""] = await sendTogether([body]);
    expect(await outcomesOf([id])).toEqual(["confirmed"]);
    const { transaction } = await pageOf(id);
    const { input } = await devnet.rpc<{ input: Hex }>("eth_getTransactionByHash", [transaction]);
    expect([delegate, input.slice(0, 10)]).toEqual([
      delegate,
      AbiFunction.getSelector(overloads.bytes),
    ]);
  }
});
