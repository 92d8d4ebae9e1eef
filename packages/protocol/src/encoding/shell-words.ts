/**
 * Returns the command of these words for a POSIX shell, quoted where it is needed. PowerShell and cmd.exe
 * read it in the same way unless a word has a `"`, `'`, `$`, `!`, `\` or a backtick.
 */
export function shellCommand(words: readonly string[]): string {
  return words.map(quoted).join(" ");
}

/** Special between double quotes to one of the shells; PowerShell takes typographic ones for quotes. */
const specialInDouble = /["$`\\!\u201c-\u201e]/;

function quoted(word: string): string {
  if (/^[A-Za-z0-9_./:=-]+$/.test(word)) return word;
  // cmd.exe knows no single quotes, and in PowerShell a word ends at one that is escaped for POSIX.
  if (!specialInDouble.test(word)) return `"${word}"`;
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** Returns the same address without characters that a shell acts on between quotes: their escapes mean the same. */
export function shellUrl(url: string): string {
  return url.replaceAll(/["'$!`\\]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
}
