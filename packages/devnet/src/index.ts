/**
 * A local chain with stand-in USDC, for trying and testing x402 payments. Never for real money.
 * @packageDocumentation
 */
export {
  factoryTricks,
  hostileFactoryCall,
  hostileFlag,
  hostileSignature,
  hostileTricks,
  walletModes,
  type FactoryTrick,
  type HostileTrick,
  type WalletMode,
} from "./contract-calls.ts";
export { anvilPackage, anvilVersion, findAnvil, howToGetAnvil } from "./find-anvil.ts";
export { parseGwei } from "./gas-price.ts";
export { hostileFactoryCode } from "./generated/hostile-factory.ts";
export { hostileWalletCode } from "./generated/hostile-wallet.ts";
export { ownerSlot, sampleWalletCode } from "./generated/sample-wallet.ts";
export type { Rpc } from "./chain-controls.ts";
export { RpcError } from "./json-rpc.ts";
export {
  buyerUnits,
  nativeWei,
  smartWalletAddress,
  standIns,
  startDevnet,
  type ChannelCode,
  type Devnet,
  type DevnetOptions,
} from "./devnet.ts";
export { describeDevnet, devnetPage, runDevnet, type RunOptions } from "./run-devnet.ts";
export { devnetMnemonic, type DevnetWallet } from "./wallets.ts";
