/** Buyers of other makers: each buys once from our seller and once from our gateway. */
import { buyers, connectBuyer, type BuyerName } from "./foreign-buyers.ts";
import { startDeployment, type Deployment } from "./deployment.ts";
import { openGateway, openShop, type OwnSeller } from "./own-sellers.ts";

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
        const purchase = await buy(deployment, { name, place, seller });
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

async function buy(
  deployment: Deployment,
  { name, place, seller }: { name: BuyerName; place: string; seller: OwnSeller },
): Promise<Purchase> {
  const wallet = deployment.newBuyer();
  let outcome: string;
  try {
    const pay = await connectBuyer(name, wallet, deployment);
    const response = await pay(seller.url);
    const isServed = response.status === 200 && (await response.text()).includes('"report"');
    outcome = isServed ? "served" : `HTTP ${response.status}`;
  } catch (error) {
    outcome = error instanceof Error ? error.message : String(error);
  }
  const transfers = (await deployment.transfers(wallet.address)).length;
  const isOk = outcome === "served" && transfers === 1;
  const line = `${isOk ? "ok  " : "FAIL"} ${name} at our ${place}: ${outcome}, ${transfers} transfers`;
  return { name: `${name}, ${place}`, isOk, line };
}
