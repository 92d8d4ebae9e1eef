/** The limits without a key follow the gas price: the smallest amount, and what gas may cost a day. */
import type { Devnet } from "@farthing/devnet";
import type { JsonObject } from "@farthing/protocol";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  bodyOn,
  byContract,
  serveOn,
  startChain,
  walletAt,
  type Served,
} from "../support/facilitator.testing.ts";

const usual = 12_500_000_000n;
const [hundred, dear] = [100_000_000_000n, 625_000_000_000n];

let devnet: Devnet;
let served: Served;
beforeAll(async () => {
  devnet = await startChain({ relayers: 1, gasPriceWei: usual });
  served = await serveOn(devnet, {
    selfBuilt: false,
    env: {
      FARTHING_MIN_AMOUNT: "12.5:0.001,100:0.05",
      FARTHING_KEYLESS_GAS_PER_DAY: "100:200,625:0.001",
      FARTHING_REVERTED_GAS_PER_DAY: "12.5:20,625:0.001",
    },
  });
});
beforeEach(() => priceIs(usual));
afterAll(async () => {
  await served?.stop();
  await devnet?.stop();
});

const hosted = "/api/facilitator";

/** The smallest amount of each surface, by the status. */
async function smallest(): Promise<Record<string, unknown>> {
  const { surfaces } = Object((await served.get("/v1/status")).body);
  return Object.fromEntries(
    surfaces.map(({ name, minAmountUsdc }: JsonObject) => [name, minAmountUsdc]),
  );
}

/** Changes the price, and waits until the service has read a block with it. */
async function priceIs(wei: bigint): Promise<void> {
  await devnet.setGasPrice(wei);
  await devnet.mine();
  const gwei = async () => {
    // A service at rest reads blocks now and then; a question wakes it.
    await verify(bodyOn(devnet));
    const { networks } = Object((await served.get("/v1/status")).body);
    return networks[0].gasPriceGwei;
  };
  await expect.poll(gwei).toBe(Number(wei) / 1e9);
}

const verify = async (body: JsonObject) => (await served.post(`${hosted}/verify`, body)).body;

test("the smallest amount rises with the price; refusals and status say it, and what was valid is settled", async () => {
  const payment = bodyOn(devnet, { payer: walletAt(devnet.buyers, 1) });
  expect(await smallest()).toMatchObject({ hosted: "0.001000", public: "0.000000" });
  expect(await verify(payment)).toMatchObject({ isValid: true });
  await priceIs(hundred);
  expect(await smallest()).toMatchObject({ hosted: "0.050000", public: "0.000000" });
  const exactly = bodyOn(devnet, { authorization: { value: 50_000n } });
  expect(await verify(exactly)).toMatchObject({ isValid: true });
  expect(await verify(bodyOn(devnet))).toMatchObject({
    isValid: false,
    invalidMessage: expect.stringMatching(/0\.05/),
  });
  const { body } = await served.post(`${hosted}/settle`, payment);
  expect(body).toMatchObject({ success: true });
});

test("what gas may cost a day without a key follows the price", async () => {
  expect(await verify(bodyOn(devnet))).toMatchObject({ isValid: true });
  await priceIs(dear);
  const large = bodyOn(devnet, { authorization: { value: 1_000_000n } });
  const { status, body } = await served.post(`${hosted}/verify`, large);
  expect([status, body["error"]]).toEqual([503, "keyless_gas_exhausted"]);
});

test("what contract wallets may burn a day follows the price", async () => {
  const value = { authorization: { value: 1_000_000n } };
  expect(await verify(byContract(devnet, value))).toMatchObject({ isValid: true });
  await priceIs(hundred);
  const { status, body } = await served.post(`${hosted}/verify`, byContract(devnet, value));
  expect([status, body["error"]]).toEqual([503, "reverted_gas_exhausted"]);
});
