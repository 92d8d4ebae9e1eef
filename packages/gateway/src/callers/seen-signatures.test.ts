/** The memory of used signatures is bounded, and forgets none that is still accepted. */
import { expect, test } from "vitest";
import { createSeenSignatures } from "./seen-signatures.ts";

const use = (signature: string, until = 100) => ({ signature, credential: "paid", until });

test("a host with ten thousand signatures in force has no further one accepted, and others have", () => {
  let seconds = 0;
  const seen = createSeenSignatures(() => seconds * 1000);
  for (let count = 0; count < 10_000; count++) seen.take("a.example", use(`${count}`));
  expect(seen.take("a.example", use("one more"))).toBe(false);
  expect(seen.take("b.example", use("one more"))).toBe(true);
  seconds = 100;
  expect(seen.take("a.example", use("one more"))).toBe(false);
  expect(seen.take("a.example", { ...use("0"), credential: "other" })).toBe(false);
  seconds = 101;
  expect(seen.take("a.example", use("one more", 200))).toBe(true);
});
