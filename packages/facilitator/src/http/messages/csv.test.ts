/** Files are written as they are read: one page in memory, whatever the list. */
import Fastify from "fastify";
import { expect, onTestFinished, test } from "vitest";
import { csvStream, sendCsv, type CsvFile } from "./csv.ts";

interface Row {
  readonly id: number;
  readonly text: string | null;
}

const file: CsvFile<Row> = {
  name: "rows",
  columns: { id: ({ id }) => id, text: ({ text }) => text },
};

/** Pages of a list that hardly ends; counts how many were read. */
function endlessPages() {
  const pages = { read: 0 };
  return {
    pages,
    readPage: async ({ from = 0, limit }: { from?: number | undefined; limit: number }) => {
      pages.read++;
      const items = Array.from({ length: limit }, (_, index) => ({ id: from + index, text: "x" }));
      const next = from + limit;
      return { items, next: next < 10_000_000 ? next : null };
    },
  };
}

test("a page is read when the reader has taken the one before", async () => {
  const { pages, readPage } = endlessPages();
  const stream = csvStream<Row, number>(file, readPage);
  onTestFinished(() => void stream.destroy());
  const iterator = stream[Symbol.asyncIterator]();
  for (let count = 1; count <= 5; count++) {
    await iterator.next();
    expect(pages.read).toBeLessThanOrEqual(count + 2);
  }
});

test("a reader who goes away ends the reading", async () => {
  const { pages, readPage } = endlessPages();
  const server = Fastify();
  onTestFinished(() => server.close());
  server.get("/", (_, reply) => sendCsv<Row, number>(reply, file, readPage));
  const url = await server.listen({ host: "127.0.0.1", port: 0 });
  const leaving = new AbortController();
  const response = await fetch(url, { signal: leaving.signal });
  const reader = response.body?.getReader();
  await reader?.read();
  leaving.abort();
  const settled = async () => {
    const before = pages.read;
    await new Promise((done) => setImmediate(done));
    return pages.read - before;
  };
  await expect.poll(settled).toBe(0);
  expect(pages.read).toBeLessThan(20_000);
});

test("cells: quotes, lines, and nothing that a spreadsheet would carry out", async () => {
  // Spreadsheets skip what stands before, and normalise full-width signs.
  const hidden = [" =1", "\n=1", "\u00a0=1", "\u200b=1", "\ufeff=1", "＝1", "＋1", "－1", "＠x"];
  const texts = [
    'say "x"',
    "a,b",
    "a\nb",
    "=1+1",
    "+1",
    "-1",
    "@x",
    "\tx",
    "plain",
    null,
    ...hidden,
  ];
  const items = texts.map((text, id) => ({ id, text }));
  const stream = csvStream<Row, number>(file, async () => ({ items, next: null }));
  let whole = "";
  for await (const chunk of stream) whole += String(chunk);
  expect(whole.split("\r\n")).toEqual([
    "id,text",
    '0,"say ""x"""',
    '1,"a,b"',
    '2,"a\nb"',
    "3,'=1+1",
    "4,'+1",
    "5,'-1",
    "6,'@x",
    "7,'\tx",
    "8,plain",
    "9,",
    ...hidden.map((text, index) => {
      const cell = `'${text}`;
      return `${10 + index},${text.includes("\n") ? `"${cell}"` : cell}`;
    }),
    "",
  ]);
});
