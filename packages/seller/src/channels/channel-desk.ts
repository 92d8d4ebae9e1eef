/** What all routes of a seller share for their channels; a gateway shares it between its sellers. */
import { systemClock, type Clock } from "../clock.ts";
import type { FacilitatorOrder } from "../facilitator-order.ts";
import { parseFacilitators, type GivenFacilitators } from "../parse-facilitators.ts";
import { createChannelAuthorities, type ChannelAuthorities } from "./channel-authorizers.ts";
import { parseChannelKeys, type ChannelKeys, type ParsedChannelKeys } from "./channel-options.ts";
import { createChannelTurns, type ChannelTurns } from "./channel-turns.ts";
import { createVoucherVault, type VoucherVault } from "./voucher-vault.ts";

/** Who signs for channels, whose turn it is on each, and who keeps their vouchers. */
export interface ChannelDesk {
  readonly authorities: ChannelAuthorities;
  readonly turns: ChannelTurns;
  readonly vault: VoucherVault;
}

interface DeskOf extends ParsedChannelKeys {
  readonly facilitators: FacilitatorOrder;
}

export function createChannelDesk(
  { facilitators, authorizerKey, maxUnvaulted }: DeskOf,
  clock: Clock,
): ChannelDesk {
  return {
    authorities: createChannelAuthorities(facilitators, authorizerKey, clock),
    turns: createChannelTurns(clock),
    vault: createVoucherVault(facilitators, maxUnvaulted, clock),
  };
}

/** Opens a desk for several sellers with the same facilitators and the same key. */
export function openChannelDesk(options: {
  readonly facilitator: GivenFacilitators;
  readonly channels?: ChannelKeys | undefined;
}): ChannelDesk {
  const facilitators = parseFacilitators(options.facilitator);
  return createChannelDesk({ facilitators, ...parseChannelKeys(options.channels) }, systemClock);
}
