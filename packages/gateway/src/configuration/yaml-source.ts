/** The configuration file as YAML, with the line of each value. */
import { isMap, isNode, isPair, LineCounter, parseDocument } from "yaml";
import type { Location, Problem } from "./read-settings.ts";

export interface YamlSource {
  readonly value: unknown;
  /** Returns the line of a location, from 1, or of the nearest parent that exists. */
  readonly lineOf: (location: Location) => number | undefined;
}

/** No configuration written by people is longer. */
const maxSourceChars = 1024 * 1024;

/** Reads YAML 1.2, or returns problems. */
export function readYamlSource(text: string): YamlSource | readonly Problem[] {
  if (text.length > maxSourceChars) {
    return [{ location: [], message: `the file has more than ${maxSourceChars} characters` }];
  }
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter, stringKeys: true });
  const lineAt = (location: Location) => {
    const node = document.getIn(location, true);
    const key = location.at(-1);
    const around = document.getIn(location.slice(0, -1), true);
    const pair = isMap(around)
      ? around.items.find((one) => isPair(one) && String(one.key) === String(key))
      : undefined;
    // A key stands on its own line; its value may begin on the next.
    const start = [pair?.key, node].find((one) => isNode(one) && one.range);
    return isNode(start) && start.range ? counter.linePos(start.range[0]).line : undefined;
  };
  const errors = [...document.errors, ...document.warnings];
  if (errors.length > 0) {
    return errors.map(({ message }) => ({
      location: [],
      message: `no YAML: ${firstLine(message)}`,
    }));
  }
  if (document.contents === null) {
    return [
      { location: [], message: "the file is empty; docs/reference/gateway.md has one to copy" },
    ];
  }
  return {
    value: toValue(() => document.toJS()),
    lineOf: (location) => {
      for (let length = location.length; length > 0; length--) {
        const line = lineAt(location.slice(0, length));
        if (line !== undefined) return line;
      }
      return undefined;
    },
  };
}

/** The library's first line ends with a colon, because it shows the place in the text below it. */
function firstLine(message: string): string {
  return message.split("\n")[0]?.replace(/:$/, "") ?? message;
}

/** Aliases that multiply beyond the library's bound throw; a file that holds them is no object. */
function toValue(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return undefined;
  }
}
