/** A schema cannot be used; the message says why. */
export class SchemaProblem extends Error {
  override readonly name = "SchemaProblem";
}
