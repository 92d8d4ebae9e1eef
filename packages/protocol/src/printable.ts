/**
 * Text of strangers as a terminal may show it: nothing in it moves the cursor, sets the title, turns
 * text round or hides. What would is shown as the escape by which JSON writes it.
 */

/** Control and format characters, separators of lines and paragraphs, and halves of pairs. */
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** The same without what makes lines and columns. */
const hiddenInText = /(?!\r\n|\n|\t)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** What is written to: a process's standard output or standard error. */
export interface TextOutput {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/**
 * Writes what may hold a stranger's text. On a terminal it is made printable, since control
 * characters there are commands; a program on the other end of a pipe gets it as it is.
 */
export function writeTo(output: TextOutput, text: string): void {
  output.write(output.isTTY === true ? printableText(text) : text);
}

/** Text of one line. */
export function printableLine(text: string): string {
  return text.replaceAll(hidden, escaped);
}

/** Text of several lines; line ends and tabs stay. */
export function printableText(text: string): string {
  return text.replaceAll(hiddenInText, escaped);
}

/** JSON of the same value, in one line unless `indent` is set. */
export function printableJson(value: unknown, indent?: number): string {
  return printableText(JSON.stringify(value, undefined, indent));
}

/** By its code units: signs beyond the first plane have two. */
function escaped(sign: string): string {
  return Array.from(
    { length: sign.length },
    (_, at) => `\\u${sign.charCodeAt(at).toString(16).padStart(4, "0")}`,
  ).join("");
}
