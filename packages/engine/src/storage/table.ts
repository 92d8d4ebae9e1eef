/**
 * Tables declared by their columns, under the names of the model's properties. The Kysely type, the
 * lists of columns and both mappers derive from the declaration. PostgreSQL returns 64-bit columns as
 * text and SQLite returns numbers, so each column also converts its stored value.
 */
import { parseWireAddress, toLowerHex, type Address, type Hex } from "@farthing/protocol";
import type { ColumnType } from "kysely";
import { assert } from "../base/assert.ts";

/** The column's value in the model, and its stored forms as read and as written. */
export interface Column<Value, Stored = Value, Written = Stored> {
  /** The type of the column in a list of rows. */
  readonly type: "text" | "bigint";
  /** The column's name, where it is not the property's in snake case. */
  readonly name?: string;
  read(stored: Stored): Value;
  write(value: Value): Written;
}

type Columns = Readonly<Record<string, Column<unknown>>>;

type SnakeCase<Text extends string> = string extends Text
  ? string
  : Text extends `${infer First}${infer Rest}`
    ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
    : "";
type NameOf<Property, One> = One extends { readonly name: infer Name extends string }
  ? Name
  : SnakeCase<Property & string>;
type NamesOf<C extends Columns> = { [P in keyof C]: NameOf<P, C[P]> }[keyof C];

type ValuesOf<C extends Columns> = {
  readonly [P in keyof C]: ReturnType<C[P]["read"]>;
};
type RowOf<C extends Columns> = {
  [P in keyof C as NameOf<P, C[P]>]: Parameters<C[P]["read"]>[0];
};
type NewRowOf<C extends Columns> = {
  [P in keyof C as NameOf<P, C[P]>]: ReturnType<C[P]["write"]>;
};

/** A table, or the part of one that a statement reads or writes. */
export interface Table<Name extends string, C extends Columns> {
  /** The columns of a select, without those that a newer version adds. */
  readonly columns: readonly `${Name}.${NamesOf<C>}`[];
  readonly names: readonly NamesOf<C>[];
  /** The types of the columns in a list of rows. */
  readonly types: { readonly [P in NamesOf<C>]: "text" | "bigint" };
  read(row: RowOf<C>): ValuesOf<C>;
  write(values: ValuesOf<C>): NewRowOf<C>;
}

export type KyselyTable<T> =
  T extends Table<string, infer C>
    ? {
        [P in keyof C as NameOf<P, C[P]>]: ColumnType<
          Parameters<C[P]["read"]>[0],
          ReturnType<C[P]["write"]>,
          ReturnType<C[P]["write"]>
        >;
      }
    : never;

export function table<const Name extends string, C extends Columns>(
  name: Name,
  columns: C,
): Table<Name, C>;
export function table(name: string, columns: Columns): Table<string, Columns> {
  const entries = Object.entries(columns).map(([property, column]) => {
    const ownName = property.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return { property, column, name: column.name ?? ownName };
  });
  // Copying an object with all its properties is several times faster than growing an empty one.
  const noValues = emptyWith(entries.map((entry) => entry.property));
  const noRow = emptyWith(entries.map((entry) => entry.name));
  return {
    columns: entries.map((entry) => `${name}.${entry.name}` as const),
    names: entries.map((entry) => entry.name),
    types: Object.fromEntries(entries.map((entry) => [entry.name, entry.column.type])),
    read(row) {
      const values = { ...noValues };
      for (const entry of entries) values[entry.property] = entry.column.read(row[entry.name]);
      return values;
    },
    write(values) {
      const row = { ...noRow };
      for (const entry of entries) row[entry.name] = entry.column.write(values[entry.property]);
      return row;
    },
  };
}

function emptyWith(names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, undefined]));
}

export function address(text: string): Address {
  const parsed = parseWireAddress(text);
  assert(parsed, "a stored address is an address");
  return parsed;
}

/** A value that the database stores unchanged. */
function same<Value>(type: "text" | "bigint"): Column<Value> {
  return { type, read: (stored) => stored, write: (value) => value };
}

export const text = <Value extends string = string>() => same<Value>("text");

/** A number of at most 32 bits. */
export const smallInteger = <Value extends number = number>() => same<Value>("bigint");

/** A number of up to 64 bits, within the exact range of a number. */
export const integer = (): Column<number, number | string, number> => {
  return { type: "bigint", read: Number, write: (value) => value };
};

/** Stored as 1 or 0. */
export const flag = (): Column<boolean, number> => {
  return { type: "bigint", read: (stored) => stored === 1, write: (value) => (value ? 1 : 0) };
};

/** A number that may exceed 64 bits, as decimal text. */
export const decimal = (): Column<bigint, string> => {
  return { type: "text", read: BigInt, write: String };
};

/** A value as JSON text, which only this column writes. */
export const json = <Value>(): Column<Value, string> => {
  return {
    type: "text",
    read: (stored) => {
      const value: Value = JSON.parse(stored);
      return value;
    },
    write: (value) => JSON.stringify(value),
  };
};

/** Hexadecimal digits that are compared without case; stored in lower case. */
export const lowerHex = (): Column<Hex> => {
  return { type: "text", read: (stored) => stored, write: toLowerHex };
};

/** Stored in lower case; the model has it with its checksum. */
export const walletAddress = (): Column<Address> => {
  return { type: "text", read: address, write: toLowerHex };
};

export function nullable<Value, Stored, Written>(
  column: Column<Value, Stored, Written>,
): Column<Value | null, Stored | null, Written | null> {
  const { type } = column;
  return {
    type,
    read: (stored) => (stored === null ? null : column.read(stored)),
    write: (value) => (value === null ? null : column.write(value)),
  };
}

/** A column that a new row may leave to the database's default. */
export function optional<Value, Stored, Written>(
  column: Column<Value, Stored, Written>,
): Column<Value, Stored, Written | undefined> {
  return column;
}

export function named<const Name extends string, One extends Column<unknown>>(
  name: Name,
  column: One,
): One & { readonly name: Name } {
  return { ...column, name };
}
