/** The parts that the simulator of channels runs on a chain of its own, in place of a whole service. */
export { noAuthorizer } from "../../payments/channels/context.ts";
export {
  claimChannels,
  refundChannel,
  sweepReceiver,
} from "../../payments/channels/call-channel.ts";
export {
  invalidChannel,
  pendingChannel,
  refusedChannel,
  settledChannel,
  validChannel,
} from "../../payments/channels/channel-responses.ts";
export { checkMessage } from "../../payments/channels/check-channel.ts";
export { createClaimer, type ClaimerDeps } from "./claimer.ts";
export type { KeptVoucher } from "./model.ts";
export { createVault } from "./vault.ts";
