/** What the operator paid: gas of the relayer wallets, and transactions that were reverted. */
import type { Hex } from "viem";
import type { Deployment } from "../deployment.ts";

/** One XDC in wei. */
const weiPerXdc = 1e18;

/** Native balance of all relayer wallets. */
export async function relayerWei({ devnet }: Deployment): Promise<bigint> {
  const balances = await Promise.all(
    devnet.relayers.map(({ address }) => devnet.rpc<Hex>("eth_getBalance", [address, "latest"])),
  );
  return balances.reduce((sum, balance) => sum + BigInt(balance), 0n);
}

/** An amount of gas money for a person. */
export const inXdc = (wei: bigint) => (Number(wei) / weiPerXdc).toFixed(4);

interface Receipt {
  readonly status: Hex;
}

/** Transactions of all blocks so far that failed. */
export async function countReverted({ devnet: { rpc } }: Deployment): Promise<number> {
  const head = Number(await rpc<Hex>("eth_blockNumber"));
  let reverted = 0;
  for (let block = 1; block <= head; block++) {
    const receipts = await rpc<Receipt[]>("eth_getBlockReceipts", [`0x${block.toString(16)}`]);
    reverted += receipts.filter(({ status }) => status === "0x0").length;
  }
  return reverted;
}
