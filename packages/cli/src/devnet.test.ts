/** `farthing devnet` where anvil, which is installed apart, is missing. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { farthing } from "./farthing-bin.testing.ts";

/** Makes the package impossible to find, as where nobody has installed it. */
const withoutAnvil = `data:text/javascript,
import Module from "node:module";
const resolve = Module._resolveFilename;
Module._resolveFilename = (name, ...rest) => {
  if (!name.includes("@foundry-rs/anvil")) return resolve(name, ...rest);
  throw new Error("Cannot find module " + name);
};`.replaceAll("\n", "%0A");

test("says how to get it, in the version that the local chain is made for", async () => {
  const { code, stderr, stdout } = await farthing(["devnet"], {
    nodeArguments: ["--import", withoutAnvil],
  });
  const devnet = new URL("../../devnet/package.json", import.meta.url);
  const { peerDependencies } = JSON.parse(readFileSync(devnet, "utf8"));
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toContain(
    `npm install @foundry-rs/anvil@${peerDependencies["@foundry-rs/anvil"]}`,
  );
});
