import type { Authorization } from "@farthing/protocol";
import { expect, test } from "vitest";
import { checkTimeWindow } from "./time-window.ts";

const authorization: Authorization = {
  from: "0x1111111111111111111111111111111111111111",
  to: "0x2222222222222222222222222222222222222222",
  value: 10_000n,
  validAfter: 100n,
  validBefore: 200n,
  nonce: `0x${"0".repeat(64)}`,
};

test.each([
  [99n, "authorization_not_yet_valid"],
  [100n, "valid"],
  [169n, "valid"],
  [170n, "authorization_expires_too_soon"],
  [199n, "authorization_expires_too_soon"],
  [200n, "authorization_expired"],
])("from second 100 until before 200, with 30 to settle it in: at %i it is %s", (now, expected) => {
  const window = checkTimeWindow(authorization, now, 30n);
  expect(window.ok ? "valid" : window.refusal.code).toBe(expected);
});
