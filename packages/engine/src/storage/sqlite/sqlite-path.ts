/** The SQLite file that a DATABASE_URL names, or `:memory:`; undefined when it names something else. */
export function sqlitePathOf(databaseUrl: string): string | undefined {
  return /^sqlite:(?:\/\/(?=\/))?(.+)$/.exec(databaseUrl)?.[1];
}
