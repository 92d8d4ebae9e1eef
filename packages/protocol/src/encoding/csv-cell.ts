/** Cells of CSV files (RFC 4180) that people open in a spreadsheet. */

/** Quotes a text where it needs it; what a spreadsheet would run as a formula gets an apostrophe before. */
export function csvCell(value: string): string {
  const text = isFormula(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Whether a spreadsheet would run the text, which third parties write. Programs skip leading spaces, line
 * ends and what is invisible, and read full-width signs, as `＝`, like their plain forms.
 */
function isFormula(value: string): boolean {
  const read = value.normalize("NFKC").replace(/^[\s\p{Cc}\p{Cf}]+/u, "");
  return /^[\t\r]/.test(value) || /^[=+\-@|%]/.test(read);
}
