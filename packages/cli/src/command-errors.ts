/** Says what is missing or wrong in the environment or the settings; exit code 3. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
}
