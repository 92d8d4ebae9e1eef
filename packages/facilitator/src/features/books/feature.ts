/** Books: what an account's settlements were for. The history, files and webhooks show it. */
import type { Feature, RunningFeature } from "../feature.ts";
import { migrations } from "./migrations.ts";
import { booksParticipant } from "./participant.ts";
import { createBookStore } from "./store.ts";

export const books = {
  name: "books",
  participant: booksParticipant,
  createStore: createBookStore,
  migrations,
  create: (): RunningFeature => ({}),
} satisfies Feature;
