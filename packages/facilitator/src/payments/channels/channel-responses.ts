/** Bodies of /verify and /settle for channels, as the published packages write and read them. */
import {
  toWireChannelState,
  wireChannelCode,
  type Address,
  type ChannelRefusal,
  type ChannelState,
  type Hex,
  type SettleResponse,
  type VerifyResponse,
} from "@farthing/protocol";

/** A channel with its state. */
export interface ReadChannel {
  readonly channelId: Hex;
  readonly state: ChannelState;
}

export function validChannel(payer: Address, { channelId, state }: ReadChannel): VerifyResponse {
  return { isValid: true, payer, extra: toWireChannelState(channelId, state) };
}

/** With the state where it is known, so that the seller's mirror of it is put right. */
export function invalidChannel(
  { code, message }: ChannelRefusal,
  payer?: Address,
  channel?: ReadChannel,
): VerifyResponse {
  return {
    isValid: false,
    invalidReason: wireChannelCode(code),
    invalidMessage: message,
    ...(payer && { payer }),
    ...(channel && { extra: toWireChannelState(channel.channelId, channel.state) }),
  };
}

/** What a settle has done; `amount` is base units as text, "" where nothing is moved by it. */
export interface ChannelDone {
  readonly transaction: Hex | "";
  readonly network: string;
  readonly amount: string;
  readonly payer?: Address;
  readonly channel?: ReadChannel;
}

export function settledChannel(done: ChannelDone): SettleResponse {
  const { transaction, network, amount, payer, channel } = done;
  return {
    success: true,
    transaction,
    network,
    amount,
    ...(payer && { payer }),
    ...(channel && { extra: extraOf(channel) }),
  };
}

export function refusedChannel(
  { code, message }: ChannelRefusal,
  network: string,
  told: {
    readonly payer?: Address;
    readonly channel?: ReadChannel;
    readonly transaction?: Hex;
  } = {},
): SettleResponse {
  const { payer, channel, transaction = "" } = told;
  return {
    success: false,
    errorReason: wireChannelCode(code),
    errorMessage: message,
    transaction,
    network,
    ...(payer && { payer }),
    ...(channel && { extra: extraOf(channel) }),
  };
}

/** Not known yet: the published seller repeats the call once, where it has the hash. */
export function pendingChannel(network: string, transaction: Hex | null, payer?: Address) {
  return {
    success: false,
    errorReason: "settlement_pending",
    errorMessage: "The transaction is under way; ask again with the same message.",
    transaction: transaction ?? "",
    network,
    ...(payer && { payer }),
  } satisfies SettleResponse;
}

function extraOf({ channelId, state }: ReadChannel) {
  return { channelState: toWireChannelState(channelId, state) };
}
