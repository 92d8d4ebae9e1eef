/** What `farthing refund` refuses before it asks anyone. */
import { expect, test } from "vitest";
import { farthing } from "../command/farthing-bin.testing.ts";

test("an id that is none of a settlement: what one looks like, 2", async () => {
  const environment = { FARTHING_FACILITATOR_URL: "http://127.0.0.1:1", FARTHING_API_KEY: "fk" };
  const { code, stderr } = await farthing(["refund", "req_1", "--yes"], { environment });
  expect(stderr).toMatch(/^farthing: The settlement's id is stl_ and 32 hexadecimal digits/);
  expect(code).toBe(2);
});
