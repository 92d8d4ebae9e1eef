/** Where the two database engines differ, beyond what Kysely evens out. */
import type { Dialect } from "kysely";

/** Column type of a self-counting integer key. */
export type IdType = "integer" | "bigserial";

/** An engine: how to reach it, and its ways. */
export interface Engine {
  readonly dialect: Dialect;
  readonly idType: IdType;
}
