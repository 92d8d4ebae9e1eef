/** The texts in the language of this page, which the server has written into it. */
import { byId } from "./screen.ts";
import type { english } from "./texts/english.ts";

/** Typed as the English table, whose texts name their values. */
export const texts: Omit<typeof english, "server"> = JSON.parse(byId("texts").textContent);

/** The names in braces. */
type NamesIn<T extends string> = T extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

/** Puts values into a text; some may be elements. */
export function parts<T extends string, V extends Node | string>(
  text: T,
  values: Readonly<Record<NamesIn<T>, V>>,
): (V | string)[] {
  const all: Readonly<Record<string, V>> = values;
  return text.split(/\{(\w+)\}/).map((part, at) => (at % 2 === 1 ? (all[part] ?? "") : part));
}

export function fill<T extends string>(
  text: T,
  values: Readonly<Record<NamesIn<T>, string | number>>,
): string {
  const written = Object.entries(values).map(([name, value]) => [name, String(value)]);
  return parts<string, string>(text, Object.fromEntries(written)).join("");
}
