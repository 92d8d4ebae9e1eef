import { HttpProblem } from "../messages/responses.ts";
import { surfacePaths, type Surface } from "../access/surface.ts";

/** The response to paths without a route, which names those of the surfaces. */
export function nothingHere(surfaces: readonly Surface[]): HttpProblem {
  const bases = surfaces.map(({ basePath }) => basePath || "/").join(" and below ");
  return new HttpProblem(
    "not_found",
    `There is nothing at this path. Below ${bases} are ${surfacePaths.join(", ")}.`,
  );
}
