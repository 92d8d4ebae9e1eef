import { expect, test } from "vitest";
import { readTexts } from "./setting-texts.ts";

test.each([
  ["FARTHING_RELAYER_KEY_FILE", "FARTHING_RELAYER_KEYS_FILE"],
  ["FARTHING_DENY_LST_FILE", "FARTHING_DENY_LIST_FILE"],
])("the mistyped name of a file, %s, is corrected to that of a file", (mistyped, meant) => {
  const problems: string[] = [];
  readTexts({ [mistyped]: "./file" }, problems);
  expect(problems).toEqual([
    expect.stringMatching(
      new RegExp(`^${mistyped} is no setting\\. Did you mean ${meant}\\? docs/`),
    ),
  ]);
});
