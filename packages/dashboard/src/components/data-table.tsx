import type { ReactNode } from "react";

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** Aligned right, so that digits are above digits. */
  readonly isNumber?: boolean;
  /** The title is for screen readers only: the cell explains itself. */
  readonly hasNoTitle?: boolean;
  /**
   * The position in a row's card on narrow screens: left or right of a line or on its own line, all
   * without the title, or hidden. By default a line of its own with the title.
   */
  readonly inCard?: "start" | "end" | "whole" | "hidden";
}

interface DataTableProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  /** Shown instead of a table without rows. */
  readonly empty?: ReactNode;
}

/** A table, or cards on narrow screens. Explicit roles: browsers drop them with the layout. */
export function DataTable<Row>({ caption, columns, rows, keyOf, empty }: DataTableProps<Row>) {
  if (empty !== undefined && rows.length === 0) return empty;
  const classOf = ({ isNumber, inCard }: Column<Row>) =>
    [isNumber ? "number" : "", inCard ? `card-${inCard}` : ""].filter(Boolean).join(" ") ||
    undefined;
  return (
    <div className="table-frame">
      <table className="table" role="table">
        <caption className="unseen">{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <th key={column.title} role="columnheader" scope="col" className={classOf(column)}>
                <span className={column.hasNoTitle ? "unseen" : undefined}>{column.title}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={keyOf(row)} role="row">
              {columns.map((column) => (
                <td key={column.title} role="cell" className={classOf(column)}>
                  {!column.hasNoTitle && column.inCard === undefined && (
                    <span className="cell-title" aria-hidden="true">
                      {column.title}
                    </span>
                  )}
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
