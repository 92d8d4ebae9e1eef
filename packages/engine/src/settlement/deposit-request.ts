/** A deposit to a channel as the payment that it is: to the collector, carried by the contract's call. */
import {
  channelIdOf,
  depositCollector,
  depositNonce,
  type ChannelConfig,
  type Network,
  type PaymentRequest,
  type SignedDeposit,
} from "@farthing/protocol";
import { wrapDeposit } from "../model/channel-deposit.ts";

/** Its authorization has one nonce for each channel and salt, so that it is settled once. */
export function depositRequest(
  network: Network,
  config: ChannelConfig,
  { amount, validAfter, validBefore, salt, signature }: SignedDeposit,
): PaymentRequest {
  const nonce = depositNonce(channelIdOf(network, config), salt);
  const times = { validAfter, validBefore };
  const authorization = {
    from: config.payer,
    to: depositCollector,
    value: amount,
    ...times,
    nonce,
  };
  const name = { network, networkName: network.id };
  return {
    payment: {
      shape: "v2",
      version: 2,
      ...name,
      authorization,
      signature: wrapDeposit({ config, salt, signature }),
      asset: config.token,
    },
    requirements: {
      version: 2,
      ...name,
      asset: config.token,
      amount,
      payTo: depositCollector,
      // Unused: the authorization has its own end.
      maxTimeoutSeconds: 1,
    },
  };
}
