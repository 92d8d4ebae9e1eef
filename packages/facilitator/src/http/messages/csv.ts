/**
 * Lists as CSV (RFC 4180), streamed page by page, so that any list needs the memory of one page. An
 * error breaks the connection; a file is complete when its transfer is.
 */
import { csvCell } from "@farthing/protocol";
import type { Page, Paging } from "@farthing/engine/storage";
import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import { Type } from "typebox";
import { oneOf } from "./schemas.ts";

const pageRows = 500;

export const Format = Type.Optional(
  oneOf(["json", "csv"], "`csv`: everything as one file, whatever `cursor` and `limit` say"),
);

export function wantsCsv(request: {
  readonly query: { readonly format?: string | undefined };
  readonly headers: { readonly accept?: string | undefined };
}): boolean {
  if (request.query.format !== undefined) return request.query.format === "csv";
  return /^text\/csv\b/i.test(request.headers.accept ?? "");
}

/** Describes a 200 that is JSON or a file. */
export function jsonOrCsv<Schema>(schema: Schema) {
  return {
    description: "Success",
    content: {
      "application/json": { schema },
      "text/csv": { schema: Type.String({ description: "RFC 4180, with a line of names" }) },
    },
  };
}

type Cell = string | number | null;

export interface CsvFile<Item> {
  readonly name: string;
  readonly columns: Readonly<Record<string, (item: Item) => Cell>>;
}

export function sendCsv<Item, Cursor>(
  reply: FastifyReply,
  file: CsvFile<Item>,
  readPage: (paging: Paging<Cursor>) => Promise<Page<Item, Cursor>>,
): FastifyReply {
  return reply
    .type("text/csv; charset=utf-8")
    .header("Content-Disposition", `attachment; filename="${file.name}.csv"`)
    .send(csvStream(file, readPage));
}

export function csvStream<Item, Cursor>(
  file: CsvFile<Item>,
  readPage: (paging: Paging<Cursor>) => Promise<Page<Item, Cursor>>,
): Readable {
  return Readable.from(lines(file, readPage), { objectMode: false });
}

async function* lines<Item, Cursor>(
  { columns }: CsvFile<Item>,
  readPage: (paging: Paging<Cursor>) => Promise<Page<Item, Cursor>>,
): AsyncGenerator<string> {
  const cells = Object.values(columns);
  yield line(Object.keys(columns));
  let from: Cursor | undefined;
  do {
    const { items, next } = await readPage({ from, limit: pageRows });
    yield items.map((item) => line(cells.map((cell) => cell(item)))).join("");
    from = next ?? undefined;
  } while (from !== undefined);
}

function line(cells: readonly Cell[]): string {
  return `${cells.map(toCell).join(",")}\r\n`;
}

function toCell(value: Cell): string {
  if (value === null) return "";
  if (typeof value === "number") return `${value}`;
  return csvCell(value);
}
