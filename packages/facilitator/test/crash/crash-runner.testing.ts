/**
 * A facilitator that kills itself, as `kill -9` would, at one step of its store: the argument names
 * the verb and the side of it, such as `before:recordSigned`, and for a purchase the state that it
 * goes to, `after:movePurchase:credited`. A second argument `accounts` starts the face that has
 * them. Says its address on standard output.
 */
import { isObject } from "@farthing/protocol";
import { readConfig } from "../../src/config/config.ts";
import { silentLog } from "@farthing/engine/base";
import { startFacilitator } from "../../src/app.ts";
import { openStore } from "../../src/features/open-store.ts";

/** Ends the process at once; nothing after it runs, not even what is already under way. */
function die(): Promise<never> {
  process.kill(process.pid, "SIGKILL");
  return new Promise(() => {});
}

const [side, step, to] = (process.argv[2] ?? "").split(":");

/** Whether this call of the method is the one to die at. */
function isMeant(parameters: readonly unknown[]): boolean {
  return to === undefined || parameters.some((one) => isObject(one) && one["to"] === to);
}

const config = readConfig();
const store = await openStore(config.databaseUrl);
if (step === undefined || !Object.hasOwn(store, step)) throw new Error(`no such step: ${step}`);

const dyingStore = new Proxy(store, {
  get(target, name, receiver) {
    const verb: unknown = Reflect.get(target, name, receiver);
    if (name !== step || typeof verb !== "function") return verb;
    const dying = async (...parameters: unknown[]) => {
      if (!isMeant(parameters)) return Reflect.apply(verb, target, parameters);
      if (side === "before") return die();
      await Reflect.apply(verb, target, parameters);
      return die();
    };
    return dying;
  },
});
const { url } = await startFacilitator({
  config,
  selfBuilt: process.argv[3] !== "accounts",
  log: silentLog,
  store: dyingStore,
});
process.stdout.write(`${url}\n`);
