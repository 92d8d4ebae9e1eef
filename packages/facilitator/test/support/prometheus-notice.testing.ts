/** Says at the end of a test run that the alarms were left out for want of a Prometheus. */
import type { TestProject } from "vitest/node";
import { hasPrometheus } from "./find-prometheus.testing.ts";

/** Runs around all tests; gives what to do after them. */
export default function watchForLeftOut(project: TestProject): () => void {
  return () => {
    const names = project.vitest.state.getFiles().map(({ name }) => name);
    if (hasPrometheus || !names.some((name) => name.endsWith("/alerts.test.ts"))) return;
    process.stdout.write(
      "\nLEFT OUT: the tests of the alert rules, because there is no Prometheus on this machine.\nTo run them: apt-get install prometheus, then\n  npx vitest run packages/facilitator/test/operations/alerts.test.ts\n\n",
    );
  };
}
