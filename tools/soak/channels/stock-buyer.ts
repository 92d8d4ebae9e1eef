/** The published buyer of channels. */
import {
  BatchSettlementEvmScheme as ChannelClient,
  InMemoryClientChannelStorage,
} from "@x402/evm/batch-settlement/client";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import type { Devnet, DevnetWallet } from "@farthing/devnet";
import type { Network } from "@farthing/protocol";
import { createPublicClient, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";

/** A stock buyer with an empty memory. */
export function createStockBuyer(
  { devnet, network }: { readonly devnet: Devnet; readonly network: Network },
  wallet: DevnetWallet,
) {
  const reader = createPublicClient({ transport: http(devnet.rpcUrl) });
  const account = privateKeyToAccount(wallet.privateKey);
  const signer = Object.assign(account, {
    readContract: (call: Parameters<typeof reader.readContract>[0]) => reader.readContract(call),
  });
  const storage = new InMemoryClientChannelStorage();
  const scheme = new ChannelClient(signer, { storage });
  const client = new x402Client().register(network.id, scheme);
  const pay = wrapFetchWithPayment(fetch, client);
  return { wallet, address: wallet.address, scheme, storage, pay };
}
