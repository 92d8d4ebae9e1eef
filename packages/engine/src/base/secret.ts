/** A value that does not print: not by accident in a log, an error or JSON. */
import { inspect } from "node:util";

/** Wraps a secret; only `expose` gives it out, so that every use can be found. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  expose(): string {
    return this.#value;
  }

  toString(): string {
    return "[secret]";
  }

  toJSON(): string {
    return "[secret]";
  }

  [inspect.custom](): string {
    return "[secret]";
  }
}
