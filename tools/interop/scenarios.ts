/** The attacks that can be played, by name. */
import { chainReader } from "./scenarios/chain-reader.ts";
import { dust } from "./scenarios/dust.ts";
import { gasBurner } from "./scenarios/gas-burner.ts";
import { junkFlood } from "./scenarios/junk-flood.ts";
import { redirect } from "./scenarios/redirect.ts";
import type { Scenario } from "./scenarios/scenario.ts";
import { twoFacilitators } from "./scenarios/two-facilitators.ts";
import { twoShops } from "./scenarios/two-shops.ts";

const scenarios: Readonly<Record<string, Scenario>> = {
  "two-shops": twoShops,
  "two-facilitators": twoFacilitators,
  "chain-reader": chainReader,
  redirect,
  "junk-flood": junkFlood,
  dust,
  "gas-burner": gasBurner,
};

/** Plays one or `all`, and prints what each counted. */
export async function playScenarios(wanted: string): Promise<void> {
  const names = wanted === "all" ? Object.keys(scenarios) : [wanted];
  for (const name of names) {
    const scenario = scenarios[name];
    if (!scenario) {
      throw new Error(`There is no scenario ${name}: ${Object.keys(scenarios).join(", ")}, all.`);
    }
    process.stdout.write(`\n${name}: ${scenario.about}\n`);
    try {
      for (const [what, figure] of Object.entries(await scenario.run())) {
        process.stdout.write(`  ${what}: ${figure}\n`);
      }
    } catch (error) {
      process.stdout.write(`  could not be played: ${String(error)}\n`);
      process.exitCode = 1;
    }
  }
}
