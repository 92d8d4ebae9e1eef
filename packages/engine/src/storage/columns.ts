/** Column types that several schema files share. */
import type { ColumnType } from "kysely";

/** A 64-bit column: SQLite returns a number, PostgreSQL text. */
export type Whole = ColumnType<number | string, number, number>;
export type WholeOrNull = ColumnType<number | string | null, number | null, number | null>;
