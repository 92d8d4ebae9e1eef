import { expect, test } from "vitest";
import { readEveryBalance } from "./read-balance.ts";

const owner = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

const offline = () => Promise.reject(new Error("offline"));

test("where no public node answers, the error says how to name another one", async () => {
  await expect(readEveryBalance(offline, undefined, owner)).rejects.toThrow(
    /No public node answers\. Set FARTHING_RPC_URL/,
  );
});
