/**
 * Reads the fenced blocks of a documentation page that its reader is asked to run. A comment above
 * a block, which only the page's source shows, says how the block runs:
 *
 * | comment                            | meaning                                                   |
 * | ---------------------------------- | --------------------------------------------------------- |
 * | `<!-- run: as shop.ts -->`         | the reader saves the block under this name                |
 * | `<!-- run: stays up, says ... -->` | it keeps running; it is ready once it has printed this    |
 * | `<!-- run: ends with 3 -->`        | its exit code, if that is not 0                           |
 * | `<!-- run: says ... -->`           | a text that it prints                                     |
 * | `<!-- run: not, ... -->`           | why a test cannot run it                                  |
 * | `<!-- elsewhere: fund x.key -->`   | what the reader does elsewhere, as a command;             |
 * |                                    | `Ctrl-C` ends the block that stayed up last               |
 */

/** How a block is run. */
export interface Run {
  readonly as?: string;
  readonly staysUp?: true;
  readonly endsWith: number;
  readonly says?: string;
  /** Why the block is not run. */
  readonly not?: string;
}

/** A fenced block. */
export interface Block {
  /** The word after the fence; empty without one. */
  readonly language: string;
  readonly text: string;
  /** Line of the opening fence, from 1. */
  readonly line: number;
  readonly run: Run;
}

const directive = /^<!-- run: (.*) -->$/;
const elsewhere = /^<!-- elsewhere: (.*) -->$/;

/** Returns the fenced blocks of a page, in order. Throws on a comment in another form. */
export function readPage(markdown: string): Block[] {
  const blocks: Block[] = [];
  const lines = markdown.split("\n");
  let said: string | undefined;
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? "";
    const fence = /^(\s*)(`{3,})(\w*)\s*$/.exec(line);
    if (!fence) {
      const told = directive.exec(line.trim())?.[1];
      const command = elsewhere.exec(line.trim())?.[1];
      if (told !== undefined) said = told;
      else if (command !== undefined)
        blocks.push({ language: "sh", text: command, line: index + 1, run: { endsWith: 0 } });
      else if (line.trim() !== "" && said !== undefined)
        throw new Error(`line ${index + 1}: "run: ${said}" stands above no block`);
      continue;
    }
    const [, indent = "", ticks = "", language = ""] = fence;
    const end = lines.indexOf(`${indent}${ticks}`, index + 1);
    if (end < 0) throw new Error(`line ${index + 1}: the block has no end`);
    const text = lines.slice(index + 1, end).map((inner) => inner.slice(indent.length));
    const run = parseRun(said, index);
    blocks.push({ language, text: `${text.join("\n")}\n`, line: index + 1, run });
    said = undefined;
    index = end;
  }
  return blocks;
}

function parseRun(told: string | undefined, line: number): Run {
  if (told === undefined) return { endsWith: 0 };
  const [, not] = /^not, (.+)$/.exec(told) ?? [];
  if (not !== undefined) return { endsWith: 0, not };
  const match =
    /^(?:as (?<as>\S+))?(?<stays>stays up)?(?:ends with (?<code>\d+))?(?:,? ?says (?<says>.+))?$/.exec(
      told,
    );
  const { as, stays, code = "0", says } = match?.groups ?? {};
  if (!match || told === "" || (stays !== undefined && says === undefined))
    throw new Error(`line ${line}: "run: ${told}" is not understood; see read-page.ts`);
  return {
    endsWith: Number(code),
    ...(as === undefined ? {} : { as }),
    ...(stays === undefined ? {} : { staysUp: true }),
    ...(says === undefined ? {} : { says }),
  };
}
