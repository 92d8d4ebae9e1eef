import { expect, test } from "vitest";
import { boundedOutput } from "./bounded-output.ts";

test("lines that cannot be written are counted and reported once a line is written again", () => {
  let isFull = true;
  const written: string[] = [];
  const output = boundedOutput(
    {
      writableLength: 0,
      write(line, done) {
        if (!isFull) written.push(line);
        done?.(isFull ? new Error("ENOSPC") : null);
      },
    },
    (lines) => output.write(`${lines} dropped`),
  );
  output.write("first");
  output.write("second");
  isFull = false;
  output.write("third");
  output.write("fourth");
  expect(written).toEqual(["third", "2 dropped", "fourth"]);
});
