import { DataTable, type Column } from "./data-table.tsx";

export type ExampleCell = readonly [title: string, text: string, inCard?: Column<null>["inCard"]];

interface ExampleRowProps {
  /** `payment`: what the row is an example of. */
  readonly of: string;
  readonly cells: readonly ExampleCell[];
}

/** What an empty list will look like. It says that it is an example before anything else does. */
export function ExampleRow({ of, cells }: ExampleRowProps) {
  return (
    <figure className="example-row">
      <figcaption>Example of a {of}, not yours</figcaption>
      <DataTable
        caption={`Example of a ${of}, not yours`}
        rows={[null]}
        keyOf={() => "example"}
        columns={cells.map(([title, text, inCard]) => ({
          title,
          ...(inCard && { inCard }),
          cell: () => text,
        }))}
      />
    </figure>
  );
}
