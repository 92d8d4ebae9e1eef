/** Says at the end of a test run that tests of the chart were left out for want of a Helm. */
import type { TestProject } from "vitest/node";
import { helm } from "./helm.testing.ts";

/** Runs around all tests; gives what to do after them. */
export default function watchForLeftOut(project: TestProject): () => void {
  return () => {
    const names = project.vitest.state.getFiles().map(({ name }) => name);
    if (helm !== undefined || !names.some((name) => /\/chart(-run)?\.test\.ts$/.test(name))) return;
    process.stdout.write(
      "\nLEFT OUT: the tests of the Helm chart, because there is no Helm on this machine.\nTo run them: go install helm.sh/helm/v4/cmd/helm@v4.3.1, or set HELM_PATH to one, then\n  npx vitest run tools/e2e/packaging/chart\n\n",
    );
  };
}
