/** All files of docs/ that are written from the code, by folder. */
import { drawings } from "./drawings.ts";
import { guaranteesPage } from "./guarantees-page.ts";
import { lists } from "./lists.ts";
import { made, pages } from "./pages.ts";

export const written: Readonly<Record<string, Readonly<Record<string, () => string>>>> = {
  reference: pages,
  concepts: drawings,
  public: lists,
  ".": { "guarantees.md": () => guaranteesPage(made) },
};
