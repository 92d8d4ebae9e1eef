/** Somebody who reads the chain (S6): the payment is rebuilt from calldata and the public 402. */
import { decodeFunctionData, parseAbi, type Hex } from "viem";
import { startDeployment, type Deployment } from "../deployment.ts";
import { openShop } from "../own-sellers.ts";
import { readChallenge } from "../stock-sellers.ts";
import { hasReport, headerOf, send, signStockPayment, type Scenario } from "./scenario.ts";

const purchases = 5;

const abi = parseAbi([
  "function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)",
  "function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)",
]);

/** The selectors of both, as they stand in calldata, alone or inside a batch. */
const selectors = /e3ee160e|cf092995/;

async function rebuild({ devnet }: Deployment, transaction: Hex, url: string) {
  const { input } = await devnet.rpc<{ input: Hex }>("eth_getTransactionByHash", [transaction]);
  const at = selectors.exec(input)?.index;
  if (at === undefined) throw new Error("The transaction has no transfer with authorization.");
  const { args } = decodeFunctionData({ abi, data: `0x${input.slice(at)}` });
  const [from, to, value, validAfter, validBefore, nonce, ...rest] = args;
  const [first, r, s] = rest;
  const signature =
    typeof first === "number" ? `${r}${s.slice(2)}${first.toString(16).padStart(2, "0")}` : first;
  const authorization = {
    from,
    to,
    value: String(value),
    nonce,
    validAfter: String(validAfter),
    validBefore: String(validBefore),
  };
  const { accepts, ...required } = await readChallenge(url);
  const payload = { signature, authorization };
  return headerOf({ ...required, x402Version: 2, accepted: accepts[0], payload });
}

/** The scenario. */
export const chainReader: Scenario = {
  about: "S6: what a buyer bought goes to nobody who only read the chain",
  async run() {
    const deployment = await startDeployment({ buyers: purchases });
    const shop = await openShop(deployment, "hosted");
    let [bought, read, repeated] = [0, 0, 0];
    try {
      for (let at = 0; at < purchases; at++) {
        const buyer = deployment.newBuyer();
        const header = await signStockPayment(shop.url, buyer);
        if (hasReport(await send(shop.url, header))) bought++;
        const [transfer] = await deployment.transfers(buyer.address);
        if (!transfer) throw new Error("Nothing was transferred.");
        const rebuilt = await rebuild(deployment, transfer.transaction, shop.url);
        if (hasReport(await send(shop.url, rebuilt))) read++;
        if (hasReport(await send(shop.url, header))) repeated++;
      }
    } finally {
      await shop.close();
      await deployment.stop();
    }
    return {
      purchases,
      "contents bought": bought,
      "contents for who read the chain": read,
      "contents again for the buyer": repeated,
    };
  },
};
