import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ApiProblem } from "./api/call.ts";
import { forgetAccount } from "./api/queries.ts";
import { App } from "./app.tsx";
import { lookForWallets } from "@farthing/buyer/wallet";
import { restoreConnection } from "./wallet/connection.ts";

/** Reads are repeated this often before a passing problem is shown. */
const repeatsMax = 2;

/** The end of a session concerns every screen. */
const onError = (error: Error) => {
  if (error instanceof ApiProblem && error.details.status === 401) forgetAccount(client, "ended");
};

const client: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({
    onError: (error, _variables, _result, { meta }) => {
      // A key that is tried out says nothing about the session.
      if (meta?.["isOutsideSession"] !== true) onError(error);
    },
  }),
  defaultOptions: {
    queries: {
      // Screens share what they read; people do not notice a difference of this much.
      staleTime: 2_000,
      retry: (failures, error) =>
        error instanceof ApiProblem && error.details.retryable && failures < repeatsMax,
    },
  },
});

lookForWallets();
restoreConnection();

const root = document.getElementById("root");
if (!root) throw new Error("The page has no #root element.");
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
);
