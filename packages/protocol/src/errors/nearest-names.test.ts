import { expect, test } from "vitest";
import { didYouMean, nearestNames } from "./nearest-names.ts";

const names = ["port", "host", "perPayer", "perAddress", "relayerKeys", "rpc50", "rpc51"];

test.each([
  ["prot", ["port"]],
  ["PORT", ["port"]],
  ["perAdress", ["perAddress"]],
  ["relayer_keys", ["relayerKeys"]],
  ["rpc52", ["rpc50", "rpc51"]],
  ["colour", []],
  ["", []],
  ["x", []],
  ["port".repeat(1_000_000), []],
])("%# %s", (name, found) => {
  expect(nearestNames(name, names)).toEqual(found);
});

test("one question for all of them", () => {
  expect(didYouMean("rpc52", names)).toBe("Did you mean rpc50 or rpc51?");
  expect(didYouMean("colour", names)).toBeUndefined();
});
