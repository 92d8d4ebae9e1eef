/** The engine alone: what its README and its example say, without HTTP and without metrics. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startDevnet, type Devnet } from "@farthing/devnet";
import { networkOfChain, parsePaymentRequest } from "@farthing/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { signPayment } from "../examples/sign-payment.ts";
import { Secret } from "./base/secret.ts";
import { createEngine, type EngineOptions } from "./engine.ts";
import { createSigners } from "./relayer/sign.ts";
import { createFacilitator } from "./x402.ts";

const example = fileURLToPath(new URL("../examples/settle.ts", import.meta.url));

test("the example settles a payment on a devnet", async () => {
  const flags = ["--conditions=@farthing/source", "--disable-warning=ExperimentalWarning"];
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, example]);
  expect(stdout).toMatch(
    /^stl_[0-9a-f]{32} confirmed: 10000 base units of USDC in transaction 0x[0-9a-f]{64}\n$/,
  );
});

describe("an engine without a service", () => {
  let devnet: Devnet;
  beforeAll(async () => void (devnet = await startDevnet({ buyers: 1, blockTimeSeconds: 0 })));
  afterAll(() => devnet?.stop());

  const engineOn = (options: Partial<EngineOptions> = {}) =>
    createEngine({
      networks: [{ network: networkOfChain(devnet.chainId), rpcUrls: [new Secret(devnet.rpcUrl)] }],
      signers: createSigners({
        keys: devnet.relayers.slice(0, 1).map(({ privateKey }) => new Secret(privateKey)),
      }),
      storage: { databaseUrl: "sqlite::memory:" },
      ...options,
    });

  test("verifies, settles once, finds and notifies", async () => {
    const engine = engineOn();
    expect(engine.status().step).toBe("chain");
    const [check] = await engine.start();
    expect(check?.lines.map(({ status }) => status)).not.toContain("fail");
    expect(engine.status().step).toBe("running");
    const request = parsePaymentRequest(signPayment(devnet));
    if (!request.ok) throw new Error(request.refusal.message);
    expect(await engine.verify(request.value)).toMatchObject({ ok: true });
    const sent = await engine.settle(request.value, { goal: "broadcast" });
    if (sent.kind !== "settlement") throw new Error(sent.kind);
    const { id } = sent.settlement;
    const waiting = engine.subscribe(id, "outcome", 60_000);
    await devnet.mine();
    expect(await waiting.done).toMatchObject({ id, state: "confirmed", amount: 10_000n });
    expect(await engine.find(id)).toMatchObject({ id, state: "confirmed" });
    expect(await engine.settle(request.value)).toMatchObject({
      kind: "settlement",
      isRepeat: true,
      settlement: { id },
    });
    await engine.stop();
  });

  test("responds to x402 requests, and tells the success of one payment to one of two sellers", async () => {
    const engine = engineOn();
    const facilitator = createFacilitator(engine);
    await engine.start();
    const { kinds } = facilitator.supported();
    expect(kinds).toMatchObject([{ network: networkOfChain(devnet.chainId).id, scheme: "exact" }]);
    const junk = await facilitator.settle({ x402Version: 2 });
    expect(junk).toMatchObject({ status: 200, body: { success: false, transaction: "" } });
    const body = signPayment(devnet);
    const payer = devnet.buyers[0]?.address;
    for (let seller = 0; seller < 2; seller++) {
      expect(await facilitator.verify(body)).toEqual({
        status: 200,
        body: { isValid: true, payer },
      });
    }
    // A block each second confirms it.
    await devnet.rpc("evm_setIntervalMining", [1]);
    const first = await facilitator.settle(body, { caller: "one" });
    expect(first).toMatchObject({ status: 200, body: { success: true, payer } });
    const repeated = await facilitator.settle(body, { caller: "another" });
    expect(repeated).toMatchObject({
      status: 409,
      body: { success: false, errorReason: "already_settled", transaction: first.body.transaction },
    });
    expect((await facilitator.verify(body)).body).toMatchObject({ isValid: false });
    await engine.stop();
    expect(await facilitator.verify(signPayment(devnet))).toMatchObject({ status: 503 });
  });

  test("does not start with a wrong chain, and stops all the same", async () => {
    const other = networkOfChain(devnet.chainId === 50 ? 51 : 50);
    const engine = engineOn({
      networks: [{ network: other, rpcUrls: [new Secret(devnet.rpcUrl)] }],
    });
    await expect(engine.start()).rejects.toMatchObject({ code: "configuration" });
    await engine.stop();
  });
});
