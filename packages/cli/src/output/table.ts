/** Tables for people: human heads, short values, and as wide as the terminal. */
import { printableLine } from "@farthing/protocol";

/** Cells of a table by the name of their column, the most important column first. */
export type Row = Readonly<Record<string, unknown>>;

export interface Layout {
  /** Columns that a narrow terminal leaves out, the last one first. */
  readonly wide?: readonly string[];
  /** Columns that are needed whole, such as ids that other commands take. */
  readonly whole?: readonly string[];
}

/** A column that is shortened keeps what tells its values apart. */
const minWidth = 8;
const gap = "  ";

/** Lays rows out for a width; undefined for a pipe, which gets every value whole. */
export function tableText(rows: readonly Row[], layout: Layout = {}, width?: number): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const textOf = width === undefined ? wholeText : shortText;
  const columns = names.map((name) => ({
    name,
    isTime: rows.some((row) => isoTime.test(wholeText(row[name]))),
    cells: [headOf(name), ...rows.map((row) => printableLine(textOf(row[name])))],
  }));
  const fitted = width === undefined ? columns : fit(columns, layout, width);
  return printed(fitted.map(({ cells }) => cells));
}

interface Column {
  readonly name: string;
  /** Of a time every character counts: it gives way after all other texts. */
  readonly isTime: boolean;
  /** The head and a cell for each row. */
  readonly cells: readonly string[];
}

function fit(columns: readonly Column[], { wide = [], whole = [] }: Layout, width: number) {
  let shown = columns;
  for (const name of wide.toReversed()) {
    const shortened = shown.map((column) => abbreviate(column, whole));
    if (widthOf(shortened) <= width) break;
    shown = shown.filter((column) => column.name !== name);
  }
  if (widthOf(shown) <= width) return shown;
  shown = shown.map((column) => abbreviate(column, whole));
  let excess = widthOf(shown) - width;
  // The widest text gives way first, down to the width of the next one.
  while (excess > 0) {
    const flexible = shown.filter(({ name }) => !whole.includes(name));
    const texts = flexible.filter(({ isTime }) => !isTime);
    const cut = widestOf(texts) ?? widestOf(flexible);
    if (!cut) break;
    const widest = widthOfColumn(cut);
    shown = shown.map((column) => (column === cut ? truncate(column, widest - 1) : column));
    excess--;
  }
  return shown;
}

/** The widest of the columns that can be cut; undefined where none can. */
function widestOf(columns: readonly Column[]): Column | undefined {
  const widest = Math.max(0, ...columns.map(widthOfColumn));
  if (widest <= minWidth) return undefined;
  return columns.find((column) => widthOfColumn(column) === widest);
}

/** Addresses and hashes as explorers show them: 0x1234…abcd. */
function abbreviate(column: Column, whole: readonly string[]): Column {
  if (whole.includes(column.name)) return column;
  const cells = column.cells.map((cell) =>
    cell.replace(/^(0x[0-9a-fA-F]{4})[0-9a-fA-F]{32,}([0-9a-fA-F]{4})$/, "$1…$2"),
  );
  return { ...column, cells };
}

function truncate(column: Column, width: number): Column {
  const cells = column.cells.map((cell) =>
    cell.length > width ? `${cell.slice(0, width - 1)}…` : cell,
  );
  return { ...column, cells };
}

function widthOfColumn({ cells }: Column): number {
  return Math.max(...cells.map((cell) => cell.length));
}

function widthOf(columns: readonly Column[]): number {
  const gaps = gap.length * (columns.length - 1);
  return columns.reduce((sum, column) => sum + widthOfColumn(column), gaps);
}

/** Numbers stand at the right, so that they can be compared. */
function printed(columns: readonly (readonly string[])[]): string {
  const padded = columns.map(([head = "", ...cells]) => {
    const width = Math.max(head.length, ...cells.map((cell) => cell.length));
    const isNumeric = cells.some((cell) => cell !== "") && cells.every(isNumberOrNone);
    const pad = (cell: string) => (isNumeric ? cell.padStart(width) : cell.padEnd(width));
    return [pad(head), ...cells.map(pad)];
  });
  const lines = (padded[0] ?? []).map((_, row) =>
    padded
      .map((column) => column[row] ?? "")
      .join(gap)
      .trimEnd(),
  );
  return lines.join("\n");
}

function isNumberOrNone(cell: string): boolean {
  return /^(\d[\d.,]*)?$/.test(cell);
}

/** Words of the product for names of members. */
const heads: Readonly<Record<string, string>> = {
  id: "ID",
  url: "URL",
  usdc: "USDC",
  xdc: "XDC",
  calls30d: "Calls (30 days)",
  isInUse: "Default",
  isOpen: "Open",
  mimeType: "Media type",
};

/** "Pay to" for `payTo`. */
export function headOf(name: string): string {
  const known = heads[name];
  if (known !== undefined) return known;
  const words = name.replace(/^is(?=[A-Z])/, "").replaceAll(/([a-z])([A-Z])/g, "$1 $2");
  const text = words.toLowerCase().replaceAll(/\b(id|url|usdc)\b/g, (word) => word.toUpperCase());
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function wholeText(value: unknown): string {
  if (value === undefined || value === null || value === false) return "";
  if (value === true) return "yes";
  if (Array.isArray(value) && value.every((one) => typeof one === "string")) {
    return value.join(", ");
  }
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** A value on a terminal: times without seconds, amounts without zeros at the end. */
function shortText(whole: unknown): string {
  const value = wholeText(whole);
  if (isoTime.test(value)) return shortTime(new Date(value));
  return /^\d+\.\d{6}$/.test(value) ? value.replace(/0{1,4}$/, "") : value;
}

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** Local time, as `ls -l` shows it: "23 Nov 16:40", and the year instead of the time when far. */
function shortTime(time: Date): string {
  const halfYearMs = 182 * 24 * 60 * 60 * 1000;
  const month = time.toLocaleString("en", { month: "short" });
  const day = `${time.getDate()}`.padStart(2);
  const isNear = Math.abs(Date.now() - time.getTime()) < halfYearMs;
  const clock = `${two(time.getHours())}:${two(time.getMinutes())}`;
  return `${day} ${month} ${isNear ? clock : ` ${time.getFullYear()}`}`;
}

function two(number: number): string {
  return `${number}`.padStart(2, "0");
}
