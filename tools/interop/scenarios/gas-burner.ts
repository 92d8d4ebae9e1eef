/**
 * Contract wallets that agree to everything in a simulation and burn the gas of a transaction (S3): a
 * hostile caller settles their payments of a cent while a seller with a key sells. One sees what a
 * simulation comes from, the other's owner changes its mind while a transaction waits for its block.
 */
import type { Hex } from "viem";
import { startDeployment, type Deployment } from "../deployment.ts";
import { draft, requestV2, sign, type Stage } from "../differential/requests.ts";
import { openShop } from "../own-sellers.ts";
import { countReverted, inXdc, relayerWei } from "./gas.ts";
import {
  hasReport,
  send,
  signStockPayment,
  times,
  type Figures,
  type Scenario,
} from "./scenario.ts";

const hostilePayments = 60;
const honestPurchases = 5;

/** Where the wallet stands. */
const burner: Hex = "0x5000000000000000000000000000000000000005";

/** The account whose balance tells the second wallet to burn. */
const flag: Hex = "0x00000000000000000000000000000000000f1a60";

/** MSTORE ERC-1271's magic value at 0, RETURN. */
const agree = "631626ba7e60e01b60005260206000f3";

/** What the wallets do, by what makes them burn. */
const wallets: Readonly<Record<string, Hex>> = {
  // origin == 0 ? agree : loop. `eth_call` without a sender has origin 0.
  "origin of a simulation": `0x32156009575b6005565b${agree}`,
  // balance(flag) == 0 ? agree : loop.
  "owner's change of mind": `0x73${flag.slice(2)}3115601e575b601a565b${agree}`,
};

/** Between two looks at what waits for a block: far shorter than a block of a second. */
const lookMs = 20;

const burnerUnits = 1_000_000_000n;

/** Nothing is settled before a payment is signed here. */
const settle = () => Promise.resolve();

/** Sets the flag while anything waits for a block, until it is stopped. */
async function changeMinds({ devnet: { rpc } }: Deployment, signal: AbortSignal): Promise<void> {
  let isSet = false;
  while (!signal.aborted) {
    const { pending } = await rpc<{ pending: Hex }>("txpool_status");
    const isWanted = Number(pending) > 0;
    if (isWanted !== isSet) await rpc("anvil_setBalance", [flag, isWanted ? "0x1" : "0x0"]);
    isSet = isWanted;
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
}

async function burn(code: Hex): Promise<Figures> {
  const deployment = await startDeployment({ buyers: 2 });
  const { devnet, surfaces } = deployment;
  await devnet.rpc("anvil_setCode", [burner, code]);
  await devnet.usdc.setBalance(burner, burnerUnits);
  const [hostile, buyer] = [deployment.newBuyer(), deployment.newBuyer()];
  const stage: Stage = { devnet, buyer: hostile, other: hostile, poor: hostile, settle };
  const shop = await openShop(deployment, "public");
  const ended = new AbortController();
  const changing = changeMinds(deployment, ended.signal);
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
      "reverted transactions": await countReverted(deployment),
      "gas paid by the operator, XDC": inXdc(before - (await relayerWei(deployment))),
      "honest purchases served": `${served} of ${honestPurchases}`,
      "slowest honest purchase, seconds": Math.max(...seconds).toFixed(1),
    };
  } finally {
    ended.abort();
    await changing.catch(() => undefined);
    await shop.close();
    await deployment.stop();
  }
}

/** The scenario. */
export const gasBurner: Scenario = {
  about: "S3: a wallet that burns gas when it is sent costs little and delays nobody",
  async run() {
    const figures: Record<string, string | number> = { "hostile payments": hostilePayments };
    for (const [cause, code] of Object.entries(wallets)) {
      for (const [what, figure] of Object.entries(await burn(code))) {
        figures[`${cause}: ${what}`] = figure;
      }
    }
    return figures;
  },
};
