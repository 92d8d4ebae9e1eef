/** Words that names no longer use, each with the field's own word for it. */
import { at, textOf, type Source } from "./source.ts";

/**
 * The word, and what to write instead. Unambiguous words only: what has a second, plain meaning is
 * a matter for the reader of a change.
 */
const replacedWords: readonly (readonly [string, string])[] = [
  ["aftermath", "recovery check"],
  ["bites", "observed faults"],
  ["contested", "possibly taken"],
  ["deepening", "awaiting confirmations"],
  ["doubtful", "ambiguous"],
  ["doubts", "warnings"],
  ["dress", "add common headers"],
  ["entrance", "surface"],
  ["handed", "passed"],
  ["happenings", "event injector"],
  ["impatience", "shutdown signal"],
  ["judge", "verify, evaluate"],
  ["judged", "verified, evaluated"],
  ["judgement", "result"],
  ["keeper", "worker, scheduler"],
  ["leash", "parent watchdog"],
  ["linger", "keep-alive grace"],
  ["mended", "fixed"],
  ["neighbour", "peer"],
  ["neighbours", "peers"],
  ["nobody", "no one"],
  ["parade", "scenario"],
  ["parades", "scenarios"],
  ["patience", "timeout"],
  ["purse", "payer wallet"],
  ["purses", "payer wallets"],
  ["rehearsal", "dry run"],
  ["remedy", "recovery action"],
  ["rival", "concurrent transaction"],
  ["shallow", "unconfirmed"],
  ["somebody", "another process; the caller"],
  ["surroundings", "deps; in the buyer runtime"],
  ["telling", "report"],
  ["tellings", "reports"],
  ["till", "charging dependencies"],
  ["trouble", "error code; fault kind"],
  ["troubles", "fault kinds"],
  ["twin", "duplicate"],
  ["undone", "serialization failure"],
  ["unjudged", "not evaluated"],
  ["uprooted", "reorganised out"],
  ["vanished", "reorganised out"],
  ["verbs", "methods, repository"],
  ["weather", "node conditions"],
  ["whoever", "the caller"],
  ["wish", "request, input"],
  ["wishes", "requests, inputs"],
];

const byWord = new Map(replacedWords.map((entry) => [entry[0], entry]));

/** The lower-case words of `aName`, `A_NAME`, `AName` and `a-name`. */
function wordsOf(name: string): readonly string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/);
}

function findingsOf(where: string, name: string): string[] {
  return [...new Set(wordsOf(name))]
    .map((word) => byWord.get(word))
    .filter((entry) => entry !== undefined)
    .map(([word, instead]) => `${where}: "${name}" says "${word}"; the field says: ${instead}`);
}

/** Looks at the names of a file, of its folders, and of everything in it. */
export function checkWords(source: Source): string[] {
  const { path, visits } = source;
  const home = path.split("/").slice(0, 2).join("/");
  const seen = new Map<string, string>();
  for (const { node } of visits) {
    if (!/^(Private|JSX)?Identifier$/.test(node.type)) continue;
    const name = textOf(node["name"]);
    if (!seen.has(name)) seen.set(name, at(source, node));
  }
  return [
    ...findingsOf(path, path.slice(home.length + 1).replace(/\.[.a-z]+$/, "")),
    ...[...seen].flatMap(([name, where]) => findingsOf(where, name)),
  ];
}
