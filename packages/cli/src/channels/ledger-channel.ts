/** A channel of this machine's ledger, by its id. */
import type { ChannelRecord } from "@farthing/buyer";
import { isBytes32, toLowerHex, type Hex } from "@farthing/protocol";
import { UsageError } from "../command/command-errors.ts";
import { exitCodes, type ExitCode } from "../command/exit-codes.ts";
import { openLedger } from "../input/buyer-settings.ts";

export async function findRecord(id: string): Promise<ChannelRecord | undefined> {
  const channelId = parseId(id);
  const records = (await openLedger().listChannels?.()) ?? [];
  return records.find((record) => record.channelId === channelId);
}

export function parseId(id: string): Hex {
  if (isBytes32(id)) return toLowerHex(id);
  throw new UsageError("A channel's id is 0x and 64 hexadecimal digits.");
}

export function noSuchChannel(id: string): ExitCode {
  console.error(`There is no channel ${id}. List channels with: farthing channels list`);
  return exitCodes.notFound;
}
