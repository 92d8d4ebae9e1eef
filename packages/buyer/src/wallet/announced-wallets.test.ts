/** Announcements come from whatever runs in the browser: only what is right is taken from them. */
import { expect, test } from "vitest";
import { readAnnouncement } from "./announced-wallets.ts";

const provider = { request: async () => null };
const info = { uuid: "1", name: "Alpha", icon: "data:image/svg+xml,<svg/>", rdns: "test.alpha" };

test("a wallet is read", () => {
  expect(readAnnouncement({ info, provider })).toEqual({
    id: "1",
    name: "Alpha",
    icon: "data:image/svg+xml,<svg/>",
    rdns: "test.alpha",
    provider,
  });
});

test.each([
  [undefined],
  [{}],
  [{ info }],
  [{ info, provider: {} }],
  [{ info: { ...info, uuid: 1 }, provider }],
  [{ info: { ...info, name: null }, provider }],
])("what is no announcement is none", (detail) => {
  expect(readAnnouncement(detail)).toBeUndefined();
});

test.each(["https://tracker.example/pixel.png", "javascript:alert(1)", 7])(
  "an icon that is no image in itself is left out: %s",
  (icon) => {
    expect(readAnnouncement({ info: { ...info, icon }, provider })?.icon).toBe("");
  },
);

test("a name is cut, and never empty", () => {
  expect(
    readAnnouncement({ info: { ...info, name: "A".repeat(500) }, provider })?.name,
  ).toHaveLength(40);
  expect(readAnnouncement({ info: { ...info, name: "  " }, provider })?.name).toBe(
    "Unnamed wallet",
  );
});
