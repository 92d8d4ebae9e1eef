/** docs/reference/campaigns.md: long runs of faults, and what they found. */
import kept from "../sim/seeds.json" with { type: "json" };
import { readFigures } from "../model/record-figures.ts";
import { thousands } from "../model/report.ts";
import { pathRuns } from "../sim/path-runs.ts";
import { pathsAtNodes, recoveryPaths } from "../sim/recovery-paths.ts";
import { readCampaigns, type Campaign } from "../sim/record-campaign.ts";

export function campaignsPage(made: string): string {
  const { runs, found } = readCampaigns();
  const faultKinds = [...new Set(runs.flatMap(({ faults }) => Object.keys(faults)))].toSorted();
  return [
    made,
    "# Campaigns",
    "",
    "The simulator draws payments, services and faults from a seed, plays them against the real facilitator in virtual time, and audits what happened. Tests play the kept seeds each time; the runs below were longer. `npm run sim -- --minutes 60 --keep-going --record` adds one to this page.",
    "",
    "## Long runs",
    "",
    "| date | commit | command | minutes | runs | runs with a broken promise |",
    "| --- | --- | --- | --- | --- | --- |",
    ...runs.map(rowOf),
    "",
    "What these runs met, by the kind of fault; a fault counts when it changed something for the service. A number of zero is a path that the run never took.",
    "",
    `| fault | ${runs.map(({ date, commit }) => `${date}, ${commit}`).join(" | ")} |`,
    `| --- | ${runs.map(() => "---").join(" | ")} |`,
    ...faultKinds.map(
      (kind) => `| ${kind} | ${runs.map(({ faults }) => faults[kind] ?? 0).join(" | ")} |`,
    ),
    "",
    ...pathSection(),
    ...modelSection(),
    "## What seeds have found",
    "",
    "Each of these was a bug, and its commit has the test that was red before. Tests play a kept seed again each time; the others are replayed with `npm run sim -- --seed <seed>`, as long as the drawing of plans has not changed.",
    "",
    "| seed | what it showed | fixed by | kept |",
    "| --- | --- | --- | --- |",
    ...found.map(
      ({ seed, showed, fixed }) =>
        `| ${seed} | ${showed} | ${fixed} | ${isKept(seed) ? "yes" : "no"} |`,
    ),
    "",
  ].join("\n");
}

function pathSection(): string[] {
  const { runs, soaks } = readCampaigns();
  const counted = runs.flatMap(({ paths, ...run }) => (paths ? [{ ...run, paths }] : []));
  const heads = [
    ...counted.map((run) => `${run.date}, of ${run.runs} runs`),
    ...soaks.map(({ date }) => `soak of ${date}`),
  ];
  return [
    "## Soaks",
    "",
    "Many payments at several processes of one PostgreSQL server, while processes, or the server, are killed. `npm run soak -- --record` adds one to this page.",
    "",
    "| date | commit | command | seconds | payments | refunds | kills | failovers | broken promises |",
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ...soaks.map(
      (soak) =>
        `| ${soak.date} | ${soak.commit} | \`${soak.command}\` | ${soak.seconds} | ${thousands(soak.payments)} | ${thousands(soak.refunds)} | ${soak.kills} | ${soak.failovers} | ${soak.broken} |`,
    ),
    "",
    "## Recovery paths",
    "",
    "Every way of the engine to go on after a fault, and in how many runs it was taken: a path that no run takes is untested, whatever the tests say. Each column is a campaign of the simulator or a soak; what the nodes alone see is not counted in soaks. **Never** is a finding. `npm run sim -- --paths` plays, for each path, a scenario that takes it, and fails where one does not.",
    "",
    `| path | ${heads.join(" | ")} |`,
    `| --- | ${heads.map(() => "---").join(" | ")} |`,
    ...recoveryPaths.map((path) => {
      const counts = [
        ...counted.map(({ paths }) => paths[path] ?? 0),
        ...soaks.map(({ paths }) => (pathsAtNodes.has(path) ? "" : Number(paths.includes(path)))),
      ];
      const isNever = counts.length > 0 && counts.every((count) => Number(count) === 0);
      const how = pathRuns.get(path);
      const isPossible = how === undefined || "scenario" in how;
      const never = isPossible ? " — **never**" : " — not in the simulator";
      return `| ${path}${isNever ? never : ""} | ${counts.join(" | ")} |`;
    }),
    "",
    "No run of the simulator can take these:",
    "",
    ...recoveryPaths.flatMap((path) => {
      const how = pathRuns.get(path);
      return how && "impossible" in how ? `- ${capitalised(path)}: ${how.impossible}` : [];
    }),
    "",
  ];
}

function capitalised(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

function modelSection(): string[] {
  const { date, commit, runs } = readFigures();
  return [
    "## The model of the engine",
    "",
    `\`npm run model\` visits every state of an abstract machine whose steps are the production rules, and checks the promises in each. This is the deep run of ${date}, commit ${commit} (\`npm run model -- --deep --record\`). “holds” means that all states within the bounds were visited; “so far”, that the time ended first and nothing was broken until then. “broken” is an open finding, whose story the command prints.`,
    "",
    "| run | verdict | states | steps | depth | seconds |",
    "| --- | --- | --- | --- | --- | --- |",
    ...runs.map(
      ({ name, verdict, states, steps, depth, seconds }) =>
        `| ${name} | ${verdict} | ${thousands(states)} | ${thousands(steps)} | ${depth} | ${seconds} |`,
    ),
    "",
  ];
}

function isKept(seed: number): boolean {
  return kept.some((one) => one.seed === seed);
}

function rowOf({ date, commit, command, minutes, runs, broken }: Campaign): string {
  return `| ${date} | ${commit} | \`${command}\` | ${minutes} | ${runs} | ${broken} |`;
}
