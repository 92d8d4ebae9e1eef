#!/usr/bin/env node
// Starts the farthing command. Plain JavaScript that old versions of Node can still read, so that
// they can say what to do instead of failing on a syntax error.
import { existsSync } from "node:fs";
import * as nodeModule from "node:module";
import process from "node:process";

// Node 24 is the first version that runs TypeScript as it is and brings node:sqlite.
const nodeMajorMin = 24;
// "Configuration" in the table of exit codes, see exit-codes.ts.
const exitConfiguration = 3;

const major = Number(process.versions.node.split(".")[0]);
if (major < nodeMajorMin) {
  process.stderr.write(
    "farthing needs Node.js " +
      nodeMajorMin +
      " or newer; this is " +
      process.versions.node +
      ". Install it from https://nodejs.org; in a clone, `npm run farthing -- <arguments>` uses" +
      " the one that npm has installed.\n",
  );
  process.exitCode = exitConfiguration;
} else {
  // In a clone the TypeScript sources are run as they are, also those of the other workspaces:
  // each package names its source in `exports` under this condition.
  const source = new URL("../src/main.ts", import.meta.url);
  const isClone = existsSync(source);
  if (isClone) {
    nodeModule.registerHooks({
      resolve: (specifier, context, nextResolve) =>
        nextResolve(
          specifier,
          Object.assign({}, context, {
            conditions: context.conditions.concat("@farthing/source"),
          }),
        ),
    });
  }
  const main = isClone ? source : new URL("../dist/main.js", import.meta.url);
  await import(main.href);
}
