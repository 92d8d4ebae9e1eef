/** What the scenarios counted when they were last run, before this changes and after them. */

/** One line of the table. */
interface ScenarioFigure {
  readonly scenario: string;
  readonly counted: string;
  readonly before: string;
  readonly now: string;
}

const row = (scenario: string, counted: string, before: string, now: string): ScenarioFigure => ({
  scenario,
  counted,
  before,
  now,
});

/** The commit that the trials were made on. */
export const beforeCommit = "7c505e4";

/** The figures; times are those of a busy machine with two cores and blocks of a second. */
export const scenarioFigures: readonly ScenarioFigure[] = [
  row("two-shops", "responses for 20 payments", "40", "20"),
  row("two-facilitators", "responses for 5 payments of a stock buyer", "10", "10"),
  row("two-facilitators", "for 5 of our buyer, the binding shown", "10", "5"),
  row("two-facilitators", "for 5 of our buyer, at shops with `requireBinding`", "10", "5"),
  row("chain-reader", "responses for the reader of 5 purchases", "5", "0"),
  row("redirect", "addresses given out / transfers, of 5 requests", "5 / 0", "5 / 5"),
  row("junk-flood", "honest purchases served, of 10", "7", "10"),
  row("dust", "payments of one unit settled, of 200; gas", "200; 0.1247 XDC", "0; 0 XDC"),
  row(
    "gas-burner, by origin",
    "reverted transactions, of 60; gas",
    "60; 0.0956 XDC",
    "0; 0.0056 XDC",
  ),
  row("gas-burner, by origin", "slowest honest purchase", "10.1 s", "1.1 s"),
  row(
    "gas-burner, by flag",
    "reverted transactions, of 60; gas",
    "37; 0.0625 XDC",
    "1; 0.0072 XDC",
  ),
  row("gas-burner, by flag", "slowest honest purchase", "7.2 s", "2.0 s"),
];
