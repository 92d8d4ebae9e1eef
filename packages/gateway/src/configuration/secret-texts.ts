/**
 * `${NAME}` in the secret fields of the configuration: the environment variable NAME, or the
 * content of the file that NAME_FILE names. Files are read again at every reload, so that a key can
 * change without a restart.
 */
import { readFileSync } from "node:fs";

export type Environment = Readonly<Record<string, string | undefined>>;

export type SecretText = { readonly text: string } | { readonly problem: string };

/** Replaces every `${NAME}` of a text; other dollar signs stay. */
export function fillSecrets(text: string, environment: Environment): SecretText {
  const problems: string[] = [];
  const filled = text.replace(/\$\{([^}]*)\}/g, (_whole, name: string) => {
    const found = /^[A-Za-z_]\w*$/.test(name)
      ? findSecret(name, environment)
      : { problem: `\${${name}} names no environment variable` };
    if ("text" in found) return found.text;
    problems.push(found.problem);
    return "";
  });
  return problems.length > 0 ? { problem: problems.join("; ") } : { text: filled };
}

function findSecret(name: string, environment: Environment): SecretText {
  const value = environment[name];
  if (value !== undefined && value !== "") return { text: value };
  const path = environment[`${name}_FILE`];
  if (path === undefined || path === "") {
    return { problem: `set the environment variable ${name}, or ${name}_FILE to a file with it` };
  }
  try {
    const text = readFileSync(path, "utf8").trim();
    return text === "" ? { problem: `${name}_FILE: the file ${path} is empty` } : { text };
  } catch {
    return {
      problem: `${name}_FILE: the file ${path} cannot be read; check the path and its rights`,
    };
  }
}
