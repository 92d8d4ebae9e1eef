/** What all routes of a seller share for their channels; a gateway shares it between its sellers. */
import { systemClock, type Clock } from "../clock.ts";
import type { FacilitatorOrder } from "../facilitator-order.ts";
import type { PaymentRecords } from "../payment-records/rules/payment-records.ts";
import { parseFacilitators, type GivenFacilitators } from "../parse-facilitators.ts";
import { createChannelAuthorities, type ChannelAuthorities } from "./channel-authorizers.ts";
import { parseChannelKeys, type ChannelKeys, type ParsedChannelKeys } from "./channel-options.ts";
import { createChannelTurns, type ChannelTurns } from "./channel-turns.ts";
import { createLeftVouchers, type LeftVouchers } from "./left-vouchers.ts";
import { createVoucherVault, type VoucherVault } from "./voucher-vault.ts";

/** Who signs for channels, whose turn it is on each, who keeps their vouchers, and which are left. */
export interface ChannelDesk {
  readonly authorities: ChannelAuthorities;
  readonly turns: ChannelTurns;
  readonly vault: VoucherVault;
  readonly leftVouchers: LeftVouchers;
}

interface DeskOf extends ParsedChannelKeys {
  readonly facilitators: FacilitatorOrder;
  readonly records: Pick<PaymentRecords, "channels">;
}

export function createChannelDesk(
  { facilitators, authorizerKey, maxUnvaulted, records: { channels } }: DeskOf,
  clock: Clock,
): ChannelDesk {
  const authorities = createChannelAuthorities(facilitators, authorizerKey, clock);
  const vault = createVoucherVault({ facilitators, maxUnvaulted, clock, channels });
  return {
    authorities,
    turns: createChannelTurns(clock),
    vault,
    leftVouchers: createLeftVouchers({ channels, authorities, vault, clock }),
  };
}

/** Opens a desk for several sellers with the same facilitators, records and key. */
export function openChannelDesk(options: {
  readonly facilitator: GivenFacilitators;
  readonly channels?: ChannelKeys | undefined;
  readonly grants: PaymentRecords;
}): ChannelDesk {
  const { facilitator, channels, grants: records } = options;
  const facilitators = parseFacilitators(facilitator);
  return createChannelDesk({ facilitators, records, ...parseChannelKeys(channels) }, systemClock);
}
