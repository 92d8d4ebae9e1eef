/** A value that never prints by accident in a log, an error or JSON. */
import { inspect } from "node:util";

/** Only `expose` returns the value, so that every use can be found. */
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
