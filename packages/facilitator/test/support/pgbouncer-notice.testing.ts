/** Says at the end of a test run that tests of poolers were left out for want of a PgBouncer. */
import type { TestProject } from "vitest/node";
import { findPgBouncer } from "./find-pgbouncer.testing.ts";

/** Runs around all tests; gives what to do after them. */
export default function watchForLeftOut(project: TestProject): () => void {
  return () => {
    const names = project.vitest.state.getFiles().map(({ name }) => name);
    const isLeftOut = names.some((name) => name.endsWith("/poolers.test.ts"));
    if (!isLeftOut || findPgBouncer() !== undefined) return;
    process.stdout.write(
      "\nLEFT OUT: the tests of connection poolers, because there is no PgBouncer on this machine.\nTo run them: apt-get install pgbouncer, or set PGBOUNCER_PATH to one, then\n  npx vitest run packages/facilitator/test/stores/poolers.test.ts\n\n",
    );
  };
}
