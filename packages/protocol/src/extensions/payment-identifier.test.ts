import { expect, test } from "vitest";
import { readPaymentIdentifier } from "./payment-identifier.ts";

const withId = (id: unknown) => ({ "payment-identifier": { info: { required: false, id } } });

test.each(["pay_7d5d747be160e280504c099d984bcfe0", "a".repeat(16), "Z-_9".repeat(32)])(
  "%s is an id",
  (id) => {
    expect(readPaymentIdentifier(withId(id))).toEqual({ ok: true, value: id });
  },
);

test.each([
  undefined,
  {},
  { bazaar: {} },
  { "payment-identifier": null },
  { "payment-identifier": "pay_7d5d747be160e280504c099d984bcfe0" },
  { "payment-identifier": { info: { required: true } } },
  withId(null),
])("%j names none", (extensions) => {
  expect(readPaymentIdentifier(extensions)).toEqual({ ok: true, value: null });
});

test.each(["", "short", "x".repeat(129), "with space in it!", 7, {}, ["pay_7d5d747be160e28050"]])(
  "%j is refused",
  (id) => {
    expect(readPaymentIdentifier(withId(id))).toMatchObject({
      ok: false,
      refusal: { code: "invalid_payload" },
    });
  },
);
