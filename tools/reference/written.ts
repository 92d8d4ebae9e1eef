/** All files that are written from the code, by their folder, seen from docs/. */
import { chartValuesSchema } from "./chart-values.ts";
import { drawings } from "./drawings.ts";
import { guaranteesPage } from "./guarantees-page.ts";
import { lists } from "./lists.ts";
import { made, pages } from "./pages.ts";

export const written: Readonly<Record<string, Readonly<Record<string, () => string>>>> = {
  reference: pages,
  concepts: drawings,
  public: lists,
  ".": { "guarantees.md": () => guaranteesPage(made) },
  "../deploy/helm/farthing": { "values.schema.json": chartValuesSchema },
};
