/** What channels cost in gas, read from the receipts of transactions on a local chain. */
import { startDevnet, type Devnet, type DevnetWallet } from "@farthing/devnet";
import {
  channelContract,
  channelIdOf,
  claimBatchDigest,
  depositDigest,
  depositNonce,
  networkOfChain,
  signDigest,
  voucherDigest,
  type ChannelConfig,
  type Hex,
} from "@farthing/protocol";
import { channelCalls } from "@farthing/protocol/channel-contract";

export interface ChannelGas {
  readonly deposit: number;
  readonly furtherDeposit: number;
  /** Claims of so many channels, the largest last. */
  readonly claims: readonly { readonly rows: number; readonly gas: number }[];
  /** A sweep to a seller who holds USDC. */
  readonly settle: number;
}

const claimSizes = [1, 10, 100] as const;

/** Base units. */
const depositUnits = 100_000n;
const chargedUnits = 50_000n;

export async function measureChannelGas(): Promise<ChannelGas> {
  const channels = claimSizes.reduce((sum, size) => sum + size, 0);
  const devnet = await startDevnet({ blockTimeSeconds: 0, buyers: channels, relayers: 1 });
  try {
    return await measureOn(devnet);
  } finally {
    await devnet.stop();
  }
}

async function measureOn(devnet: Devnet): Promise<ChannelGas> {
  const { buyers, seller, relayers } = devnet;
  const [relayer] = relayers;
  if (!relayer) throw new Error("There is no relayer.");
  await devnet.rpc("anvil_impersonateAccount", [relayer.address]);
  const send = async (data: Hex): Promise<number> => {
    const call = { from: relayer.address, to: channelContract, data, gas: "0x4c4b400" };
    const hash = await devnet.rpc<Hex>("eth_sendTransaction", [call]);
    await devnet.rpc("evm_mine");
    const receipt = await devnet.rpc<{ status: Hex; gasUsed: Hex } | null>(
      "eth_getTransactionReceipt",
      [hash],
    );
    if (receipt?.status !== "0x1") throw new Error("A measured transaction reverted.");
    return Number(receipt.gasUsed);
  };
  const configs = buyers.map((buyer) => configOf(devnet, buyer, seller));
  const deposits: number[] = [];
  for (const [index, buyer] of buyers.entries()) {
    const config = configs[index];
    if (config) deposits.push(await send(depositOf(config, buyer, 1n)));
  }
  const [first, last] = [configs[0], buyers[0]];
  if (!first || !last) throw new Error("There are no buyers.");
  const furtherDeposit = await send(depositOf(first, last, 2n));
  const claims: { rows: number; gas: number }[] = [];
  let settle = 0;
  let from = 0;
  for (const rows of claimSizes) {
    const own = buyers.slice(from, from + rows).flatMap((buyer, index) => {
      const config = configs[from + index];
      return config ? [{ buyer, config }] : [];
    });
    claims.push({ rows, gas: await send(claimOf(own, seller)) });
    // The last one: the seller has held USDC since the first.
    settle = await send(channelCalls.settle(seller.address, devnet.token));
    from += rows;
  }
  // The second, since the first one to hold money makes the contract's own balance.
  return { deposit: deposits[1] ?? NaN, furtherDeposit, claims, settle };
}

function configOf(devnet: Devnet, buyer: DevnetWallet, seller: DevnetWallet): ChannelConfig {
  return {
    payer: buyer.address,
    payerAuthorizer: buyer.address,
    receiver: seller.address,
    receiverAuthorizer: seller.address,
    token: devnet.token,
    withdrawDelay: 86_400,
    salt: `0x${"00".repeat(32)}`,
  };
}

const network = networkOfChain(51);

function depositOf(config: ChannelConfig, { privateKey }: DevnetWallet, salt: bigint): Hex {
  const terms = { validAfter: 0n, validBefore: 2n ** 40n };
  const nonce = depositNonce(channelIdOf(network, config), salt);
  const authorization = { from: config.payer, value: depositUnits, ...terms, nonce };
  const signature = signDigest(privateKey, depositDigest(network, authorization));
  return channelCalls.deposit(config, { amount: depositUnits, ...terms, salt, signature });
}

function claimOf(
  own: readonly { readonly buyer: DevnetWallet; readonly config: ChannelConfig }[],
  seller: DevnetWallet,
): Hex {
  const rows = own.map(({ buyer, config }) => {
    const channelId = channelIdOf(network, config);
    const terms = { channelId, maxClaimableAmount: chargedUnits };
    const signature = signDigest(buyer.privateKey, voucherDigest(network.chainId, terms));
    return { ...terms, config, signature, totalClaimed: chargedUnits };
  });
  const signature = signDigest(seller.privateKey, claimBatchDigest(network.chainId, rows));
  return channelCalls.claimWithSignature(rows, signature);
}
