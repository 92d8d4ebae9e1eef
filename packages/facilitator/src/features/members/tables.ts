/** The table of invitations. */
import {
  integer,
  nullable,
  smallInteger,
  table,
  text,
  walletAddress,
  type KyselyTable,
} from "@farthing/engine/storage";
import type { ChainId } from "@farthing/protocol";
import type { Role } from "../../http/access/permissions.ts";

export const invitationTable = table("account_invitations", {
  account: walletAddress(),
  address: walletAddress(),
  role: text<Role>(),
  chainId: nullable(smallInteger<ChainId>()),
  invitedBy: walletAddress(),
  invitedAt: integer(),
  expiresAt: integer(),
});

declare module "@farthing/engine/storage" {
  interface Tables {
    account_invitations: KyselyTable<typeof invitationTable>;
  }
}
