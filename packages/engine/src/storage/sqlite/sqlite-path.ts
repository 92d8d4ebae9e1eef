/** The path of a SQLite DATABASE_URL, or `:memory:`; undefined for any other URL. */
export function sqlitePathOf(databaseUrl: string): string | undefined {
  return /^sqlite:(?:\/\/(?=\/))?(.+)$/.exec(databaseUrl)?.[1];
}
