/** Returns the command of these words for a POSIX shell, quoted where it is needed. */
export function shellCommand(words: readonly string[]): string {
  return words.map(quoted).join(" ");
}

function quoted(word: string): string {
  if (/^[A-Za-z0-9_./:=-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
