/** A store whose database fails while a test wants it to. */
import type { ServiceStore } from "../../src/features/open-store.ts";

export function failingStore(inner: ServiceStore, isDown: () => boolean): ServiceStore {
  return new Proxy(inner, {
    get(target, name) {
      const verb: unknown = Reflect.get(target, name);
      if (typeof verb !== "function") return verb;
      return (...parameters: unknown[]) => {
        if (isDown() && name !== "close") throw new Error("the disk is full");
        return Reflect.apply(verb, target, parameters);
      };
    },
  });
}
