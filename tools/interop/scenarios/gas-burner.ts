/**
 * A contract wallet that agrees to everything in a simulation and burns the gas of a transaction
 * (S3): a hostile caller settles its payments of a cent while a seller with a key sells.
 */
import type { Hex } from "viem";
import { startDeployment } from "../deployment.ts";
import { draft, requestV2, sign, type Stage } from "../differential/requests.ts";
import { openShop } from "../own-sellers.ts";
import { countReverted, inXdc, relayerWei } from "./gas.ts";
import { hasReport, send, signStockPayment, times, type Scenario } from "./scenario.ts";

const hostilePayments = 60;
const honestPurchases = 5;

/** Where the wallet stands. */
const burner: Hex = "0x5000000000000000000000000000000000000005";

/**
 * origin == 0 ? return ERC-1271's magic value : loop. `eth_call` without a sender has origin 0.
 * ORIGIN ISZERO PUSH1 9 JUMPI / JUMPDEST PUSH1 5 JUMP / JUMPDEST PUSH4 1626ba7e PUSH1 e0 SHL
 * PUSH1 0 MSTORE PUSH1 20 PUSH1 0 RETURN
 */
const burnerCode: Hex = "0x32156009575b6005565b631626ba7e60e01b60005260206000f3";

const burnerUnits = 1_000_000_000n;

/** The scenario. */
export const gasBurner: Scenario = {
  about: "S3: a wallet that burns gas when it is sent costs little and delays nobody",
  async run() {
    const deployment = await startDeployment({ buyers: 2 });
    const { devnet, surfaces } = deployment;
    await devnet.rpc("anvil_setCode", [burner, burnerCode]);
    await devnet.usdc.setBalance(burner, burnerUnits);
    const [hostile, buyer] = [deployment.newBuyer(), deployment.newBuyer()];
    const stage: Stage = {
      devnet,
      buyer: hostile,
      other: hostile,
      poor: hostile,
      settle: () => Promise.resolve(),
    };
    const shop = await openShop(deployment, "public");
    try {
      const before = await relayerWei(deployment);
      const hostileCalls = times(hostilePayments, hostilePayments, async () => {
        const made = draft(stage);
        const changed = { ...made, authorization: { ...made.authorization, from: burner } };
        const request = requestV2(stage, changed, await sign(changed));
        const response = await fetch(`${surfaces.hosted.url}/settle`, {
          method: "POST",
          headers: { "Content-Type": "application/json", Prefer: "wait=0" },
          body: JSON.stringify(request),
        });
        return response.text();
      });
      const seconds: number[] = [];
      let served = 0;
      for (let at = 0; at < honestPurchases; at++) {
        const startedAt = performance.now();
        if (hasReport(await send(shop.url, await signStockPayment(shop.url, buyer)))) served++;
        seconds.push((performance.now() - startedAt) / 1_000);
      }
      await hostileCalls;
      return {
        "hostile payments": hostilePayments,
        "reverted transactions": await countReverted(deployment),
        "gas paid by the operator, XDC": inXdc(before - (await relayerWei(deployment))),
        "honest purchases served": `${served} of ${honestPurchases}`,
        "slowest honest purchase, seconds": Math.max(...seconds).toFixed(1),
      };
    } finally {
      await shop.close();
      await deployment.stop();
    }
  },
};
