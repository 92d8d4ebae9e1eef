/** Lines of the log leave together, none is lost, and each is told of its own end. */
import { expect, test } from "vitest";
import { inBatches } from "./log.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("lines of one turn are one write, in their order", async () => {
  const written: string[] = [];
  const output = inBatches({ writableLength: 5, write: (text) => written.push(text) });
  output.write("a\n");
  output.write("b\n");
  // Nobody has read them yet.
  expect([written, output.writableLength]).toEqual([[], 9]);
  await turn();
  output.write("c\n");
  await turn();
  expect(written).toEqual(["a\nb\n", "c\n"]);
});

test("a write that fails is told to each of its lines", async () => {
  const output = inBatches({
    writableLength: 0,
    write: (_text, done) => done?.(new Error("ENOSPC")),
  });
  const told: unknown[] = [];
  for (const line of ["a\n", "b\n"]) output.write(line, (error) => told.push(error?.message));
  await turn();
  expect(told).toEqual(["ENOSPC", "ENOSPC"]);
});

test("many lines do not wait for the end of the turn", () => {
  const written: number[] = [];
  const output = inBatches({ writableLength: 0, write: (text) => written.push(text.length) });
  for (let nth = 0; nth < 100; nth++) output.write("x".repeat(1024));
  expect(written).toEqual([64 * 1024]);
});
