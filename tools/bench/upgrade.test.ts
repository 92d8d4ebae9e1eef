/** The part of the benchmark about upgrades: a database of an earlier version is brought to this one. */
import { expect, test } from "vitest";
import { measureUpgrade } from "./upgrade.ts";
import { upgradeSection } from "./upgrade-report.ts";

test.each(["sqlite", "postgres"] as const)(
  "the upgrade of a database on %s is measured",
  async (engine) => {
    const figures = await measureUpgrade({ engine, rows: 2_000, tell: () => undefined });
    expect(figures.indexes.length).toBeGreaterThan(10);
    for (const { name, seconds } of figures.indexes)
      expect(seconds, name).toBeGreaterThanOrEqual(0);
    expect(figures.sumSeconds).toBeGreaterThan(0);
    expect(figures.allSeconds).toBeGreaterThanOrEqual(figures.sumSeconds);
    const { meanwhile, afterwards, failed } = figures.claims;
    expect(meanwhile.count).toBeGreaterThan(0);
    expect(afterwards).toBeGreaterThan(0);
    expect(failed).toBe(0);
    expect(figures.bytesMs).toBeGreaterThan(0);
    const section = upgradeSection(figures);
    expect(section).toContain("### Upgrade of 2,000 settlements");
    expect(section).toContain("| settlements_by_state |");
  },
  60_000,
);
