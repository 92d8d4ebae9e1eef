/** The kit of `farthing conform` against our own facilitator: the cases that take a moment. */
import { fileURLToPath } from "node:url";
import { facilitatorCases, runFacilitator } from "@farthing/conform";
import { expect, test } from "vitest";

const names = ["settle-valid", "equal-calls-at-once", "killed-after-the-send", "foreign-submitter"];

const farthing = fileURLToPath(new URL("../../../packages/cli/bin/farthing.js", import.meta.url));

const start = [
  "FARTHING_LOG_LEVEL=silent FARTHING_RATE_LIMIT=0 FARTHING_PORT=$PORT",
  "FARTHING_RPC_51=$CONFORM_RPC_URL FARTHING_RELAYER_KEYS=$CONFORM_KEYS",
  "DATABASE_URL=sqlite:$CONFORM_FOLDER/farthing.db",
  `exec "${process.execPath}" "${farthing}" serve --self-built`,
].join(" ");

test("our facilitator keeps the rules about calls at once, kills and strangers", async () => {
  const cases = facilitatorCases.filter(({ name }) => names.includes(name));
  const results = await runFacilitator({ start, cases });
  const found = results.map(({ name, verdict, reason }) => ({ name, verdict, reason }));
  expect(found).toEqual(names.map((name) => ({ name, verdict: "pass", reason: "" })));
});
