/** Buyers of other makers: each buys once from our seller and once from our gateway. */
import type { DevnetWallet } from "@farthing/devnet";
import { buyers, connectBuyer } from "./foreign-buyers.ts";
import { startDeployment, type Deployment } from "./deployment.ts";
import { openGateway, openShop } from "./own-sellers.ts";

/** What a purchase came to. */
export interface Purchase {
  readonly name: string;
  /** Served at the first try, with one transfer. */
  readonly isOk: boolean;
  readonly line: string;
}

const sellers = { seller: openShop, gateway: openGateway };

/** Lets every buyer buy everywhere; `onResult` is called as each purchase ends. */
export async function buyEverywhere(
  onResult: (purchase: Purchase) => void,
): Promise<readonly Purchase[]> {
  const names = Object.keys(sellers).length;
  const deployment = await startDeployment({ buyers: buyers.length * names });
  const results: Purchase[] = [];
  try {
    for (const [place, open] of Object.entries(sellers)) {
      const seller = await open(deployment, "hosted");
      // One at a time: some of these packages keep what they learnt in the process.
      for (const name of buyers) {
        const wallet = deployment.newBuyer();
        const purchase = await buyOnce(deployment, {
          name: `${name} at our ${place}`,
          wallet,
          pay: async () => (await connectBuyer(name, wallet, deployment))(seller.url),
        });
        results.push(purchase);
        onResult(purchase);
      }
      await seller.close();
    }
  } finally {
    await deployment.stop();
  }
  return results;
}

/** Characters of an unexpected response that are printed: enough for the reason. */
const shownCharsMax = 300;

/** One purchase: who pays, and how. */
interface Attempt {
  readonly name: string;
  readonly wallet: DevnetWallet;
  readonly pay: () => Promise<Response>;
}

/** Buys one report, and counts the transfers of the wallet. */
export async function buyOnce(
  deployment: Deployment,
  { name, wallet, pay }: Attempt,
): Promise<Purchase> {
  let outcome: string;
  try {
    const response = await pay();
    const text = await response.text();
    const isServed = response.status === 200 && text.includes('"report"');
    outcome = isServed ? "served" : `HTTP ${response.status} ${text.slice(-shownCharsMax)}`;
  } catch (error) {
    outcome = error instanceof Error ? error.message : String(error);
  }
  const transfers = (await deployment.transfers(wallet.address)).length;
  const isOk = outcome === "served" && transfers === 1;
  return {
    name,
    isOk,
    line: `${isOk ? "ok  " : "FAIL"} ${name}: ${outcome}, ${transfersText(transfers)}`,
  };
}

/** `1 transfer`. */
export const transfersText = (count: number): string =>
  `${count} ${count === 1 ? "transfer" : "transfers"}`;
