/**
 * Makes third parties' text safe for terminals: characters that move the cursor, set the title,
 * reverse or hide text are shown as JSON escapes.
 */

/** Control and format characters, line and paragraph separators, surrogate halves. */
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** The same without line ends and tabs. */
const hiddenInText = /(?!\r\n|\n|\t)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

export interface TextOutput {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Writes text that may be a third party's; programs behind a pipe get it unchanged. */
export function writeTo(output: TextOutput, text: string): void {
  output.write(output.isTTY === true ? printableText(text) : text);
}

export function printableLine(text: string): string {
  return text.replaceAll(hidden, escaped);
}

export function printableText(text: string): string {
  return text.replaceAll(hiddenInText, escaped);
}

/** JSON on one line unless `indent` is set. */
export function printableJson(value: unknown, indent?: number): string {
  return printableText(JSON.stringify(value, undefined, indent));
}

/** Characters beyond the first plane have two code units. */
function escaped(sign: string): string {
  return Array.from(
    { length: sign.length },
    (_, at) => `\\u${sign.charCodeAt(at).toString(16).padStart(4, "0")}`,
  ).join("");
}
