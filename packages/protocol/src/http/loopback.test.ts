import { expect, test } from "vitest";
import { isLoopback } from "./loopback.ts";

test.each([
  ["localhost", true],
  ["a.localhost", true],
  ["127.0.0.1", true],
  ["127.9.9.9", true],
  ["[::1]", true],
  ["localhost.example.com", false],
  ["127.0.0.1.example.com", false],
  ["10.0.0.1", false],
  ["0.0.0.0", false],
])("loopback: %s is %s", (host, is) => {
  expect(isLoopback(host)).toBe(is);
});
