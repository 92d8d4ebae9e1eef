/** A column of amounts whose decimal points are below each other. */
import type { ReactNode } from "react";
import type { Column } from "./data-table.tsx";
import { fractionDigits } from "./format.ts";
import { Usdc } from "./values.tsx";

export function usdcColumn<Row>(
  rows: readonly Row[],
  column: Pick<Column<Row>, "title" | "inCard"> & {
    readonly unitsOf: (row: Row) => string;
    /** Shown below the amount. */
    readonly note?: (row: Row) => ReactNode;
  },
): Column<Row> {
  const { unitsOf, note, ...others } = column;
  const digits = Math.max(2, ...rows.map((row) => fractionDigits(unitsOf(row))));
  return {
    ...others,
    isNumber: true,
    cell: (row) => (
      <span>
        <Usdc units={unitsOf(row)} digits={digits} />
        {note?.(row)}
      </span>
    ),
  };
}
