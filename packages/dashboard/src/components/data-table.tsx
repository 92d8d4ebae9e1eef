import type { ReactNode } from "react";

/** A column: its heading and what a row shows in it. */
export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** Numbers stand right, so that digits are above digits. */
  readonly isNumber?: boolean;
  /** Its heading is for those who hear the table: the cell speaks for itself. */
  readonly hasNoTitle?: boolean;
  /**
   * Where it stands when a row becomes a card: on the left or on the right of a line, without its
   * heading, on a line of its own without it, or not at all because the details have it. Left out:
   * a line of its own, heading and value.
   */
  readonly inCard?: "start" | "end" | "whole" | "hidden";
}

/**
 * A table. On a narrow screen each row becomes a small card with its headings beside the values;
 * the roles are spelled out because a browser drops them with the layout.
 */
export function DataTable<Row>({
  caption,
  columns,
  rows,
  keyOf,
}: {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
}) {
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
