/** A seller's API key as stored: a hash, never the key. */
import type { Address, keyOverlaps } from "@farthing/protocol";
import type { KeyMode } from "../../http/access/request-key.ts";

/** Times are milliseconds since 1970. */
export interface ApiKey {
  /** Twelve characters that identify the key; not secret. */
  readonly id: string;
  /** The payout address that the key acts for. */
  readonly account: Address;
  readonly mode: KeyMode;
  readonly label: string;
  /** SHA-256 of the whole key in hex. */
  readonly hash: string;
  readonly lastFour: string;
  readonly createdAt: number;
  /** The wallet that signed for it; null for keys of purchases, of the operator and of earlier versions. */
  readonly createdBy: Address | null;
  readonly lastUsedAt: number | null;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

/** How long a rotated key works beside its successor. */
export type Overlap = (typeof keyOverlaps)[number];

declare module "../sign-in/model.ts" {
  interface StepUpDetails {
    readonly create_key: {
      readonly label: string;
      readonly mode: KeyMode;
      readonly expiresInDays: number | null;
    };
    readonly rotate_key: { readonly id: string; readonly overlap: Overlap };
  }
}

declare module "../../http/access/request-key.ts" {
  interface RequestKey extends ApiKey {}
}
