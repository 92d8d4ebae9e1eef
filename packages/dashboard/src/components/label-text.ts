/** What is wrong with a name: the service takes no invisible characters. */
export function labelProblem(text: string): string | undefined {
  if (!/\p{C}/u.test(text)) return undefined;
  return "Remove the invisible characters. Some emoji contain them.";
}
