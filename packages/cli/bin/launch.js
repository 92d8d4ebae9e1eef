// Starts a command. Plain JavaScript that old versions of Node can still read, so that they can
// say what to do instead of failing on a syntax error.
import { existsSync } from "node:fs";
import * as nodeModule from "node:module";
import process from "node:process";

// "Configuration" in the table of exit codes, see exit-codes.ts.
const exitConfiguration = 3;
// Node 24 is the first version that runs TypeScript as it is, which a clone does.
const cloneNodeMin = 24;

/** Loads the program of the package that `bin` is a file of. */
export async function launch(name, bin, packageNodeMin) {
  const source = new URL("../src/main.ts", bin);
  const isClone = existsSync(source);
  const nodeMin = isClone ? cloneNodeMin : packageNodeMin;
  if (Number(process.versions.node.split(".")[0]) < nodeMin) {
    process.stderr.write(
      name +
        " needs Node.js " +
        nodeMin +
        " or newer; this is " +
        process.versions.node +
        ". Install it from https://nodejs.org; in a clone, `npm run farthing -- <arguments>` uses" +
        " the one that npm has installed.\n",
    );
    process.exitCode = exitConfiguration;
    return;
  }
  // The sources of the other workspaces are run as they are too: each package names its source in
  // `exports` under this condition.
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
  const main = isClone ? source : new URL("../dist/main.js", bin);
  await import(main.href);
}
