/** The tables of linked wallets, sign requests and sessions. */
import type { WalletKind } from "@farthing/engine";
import {
  integer,
  nullable,
  smallInteger,
  table,
  text,
  walletAddress,
  type KyselyTable,
  type WholeOrNull,
} from "@farthing/engine/storage";
import type { ChainId } from "@farthing/protocol";
import type { Role } from "../../http/access/permissions.ts";
import type { SignPurpose } from "./model.ts";

export const accountWalletTable = table("account_wallets", {
  account: walletAddress(),
  address: walletAddress(),
  kind: text<WalletKind>(),
  chainId: nullable(smallInteger<ChainId>()),
  role: text<Role>(),
  linkedAt: integer(),
});

export const signRequestTable = table("sign_requests", {
  id: text(),
  purpose: text<SignPurpose>(),
  address: walletAddress(),
  chainId: smallInteger<ChainId>(),
  account: nullable(walletAddress()),
  message: text(),
  binding: text(),
  details: text(),
  createdAt: integer(),
  expiresAt: integer(),
});

export const sessionTable = table("sessions", {
  id: text(),
  account: walletAddress(),
  wallet: walletAddress(),
  walletKind: text<WalletKind>(),
  chainId: smallInteger<ChainId>(),
  createdAt: integer(),
  lastSeenAt: integer(),
  expiresAt: integer(),
});

declare module "@farthing/engine/storage" {
  interface Tables {
    account_wallets: KyselyTable<typeof accountWalletTable>;
    sign_requests: KyselyTable<typeof signRequestTable>;
    sessions: KyselyTable<typeof sessionTable> & { id_hash: string; revoked_at: WholeOrNull };
  }
}
