import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import type { Listing, ListingTrial } from "@farthing/facilitator/api";
import { call } from "../../api/call.ts";
import { listingsPath, listingsQuery } from "../../api/queries.ts";
import { announce } from "../../components/announcer.tsx";
import { DialogActions } from "../../components/dialog-actions.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Field } from "../../components/field.tsx";
import { Problem } from "../../components/problem.tsx";
import { useAccount } from "../../signed-in.ts";
import {
  draftOf,
  endpointOf,
  hasSample,
  listingMethods,
  listingOf,
  problemsOf,
  type DraftProblems,
  type ListingDraft,
} from "./listing-draft.ts";
import { TrialSteps } from "./trial-steps.tsx";

type Change = (changes: Partial<ListingDraft>) => void;

/** Lists an endpoint, or changes what is listed. */
export function ListingForm({
  listing,
  onClose,
  onSaved,
}: {
  readonly listing?: Listing;
  readonly onClose: () => void;
  readonly onSaved: (listing: Listing) => void;
}) {
  const client = useQueryClient();
  const { networks } = useAccount();
  const [draft, setDraft] = useState(() => draftOf(listing, networks[0]?.id ?? ""));
  const change: Change = (changes) => setDraft({ ...draft, ...changes });
  const problems = problemsOf(draft);
  const endpoint = endpointOf(draft);
  const whole = listingOf(draft, listing?.mimeType ?? null);
  const save = useMutation({
    mutationFn: (body: object) =>
      listing
        ? call<Listing>(`${listingsPath}/${listing.id}`, { method: "PUT", body })
        : call<Listing>(listingsPath, { method: "POST", body }),
    onSuccess: async (saved) => {
      announce(listing ? "Saved" : "Listed");
      await client.invalidateQueries(listingsQuery);
      onSaved(saved);
    },
  });
  const trial = useMutation({
    mutationFn: ({ resource: url, ...rest }: NonNullable<typeof endpoint>) =>
      call<ListingTrial>("/v1/listings/check", { method: "POST", body: { url, ...rest } }),
    onSuccess: ({ ok }) => announce(ok ? "The check passed" : "The check did not pass"),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (whole) save.mutate(whole);
  };
  return (
    <Dialog title={listing ? "Change the listing" : "List an endpoint"} onClose={onClose}>
      <form onSubmit={submit}>
        <fieldset className="plain" disabled={save.isPending}>
          <EndpointFields draft={draft} problems={problems} change={change} />
          <TextFields draft={draft} problems={problems} change={change} />
          <SampleFields
            draft={draft}
            problems={problems}
            change={change}
            isOpen={listing !== undefined && hasSample(listing)}
          />
        </fieldset>
        {trial.error && <Problem problem={trial.error} />}
        {trial.data && <TrialSteps trial={trial.data} />}
        {save.error && <Problem problem={save.error} />}
        <DialogActions onClose={onClose}>
          <button
            type="button"
            className="button"
            disabled={!endpoint || trial.isPending}
            onClick={() => endpoint && trial.mutate(endpoint)}
          >
            {trial.isPending ? "Checking…" : "Run check"}
          </button>
          <button type="submit" className="button primary" disabled={!whole || save.isPending}>
            {listing ? "Save" : "Publish listing"}
          </button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

interface PartProps {
  readonly draft: ListingDraft;
  readonly problems: DraftProblems;
  readonly change: Change;
}

function EndpointFields({ draft, problems, change }: PartProps) {
  const { networks } = useAccount();
  return (
    <>
      <Field
        label="Address"
        hint="HTTPS on port 443 or 8443, reachable from the internet."
        error={problems.resource}
      >
        {(props) => (
          <input
            {...props}
            type="url"
            required
            value={draft.resource}
            placeholder="https://api.example.com/v1/report"
            onChange={(event) => change({ resource: event.target.value.trim() })}
          />
        )}
      </Field>
      <div className="field-pair">
        <Field label="Method">
          {(props) => (
            <select
              {...props}
              value={draft.method}
              onChange={(event) => change({ method: event.target.value })}
            >
              {listingMethods.map((method) => (
                <option key={method}>{method}</option>
              ))}
            </select>
          )}
        </Field>
        <PriceField draft={draft} problems={problems} change={change} />
      </div>
      {networks.length > 1 && (
        <Field label="Network">
          {(props) => (
            <select
              {...props}
              value={draft.network}
              onChange={(event) => change({ network: event.target.value })}
            >
              {networks.map(({ id, label }) => (
                <option key={id} value={id}>
                  {label}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
    </>
  );
}

function PriceField({ draft, problems, change }: PartProps) {
  return (
    <Field
      label="Price in USDC"
      hint="Must match the endpoint’s price exactly."
      error={problems.price}
    >
      {(props) => (
        <input
          {...props}
          required
          inputMode="decimal"
          autoComplete="off"
          value={draft.price}
          placeholder="0.01"
          onChange={(event) => change({ price: event.target.value.trim() })}
        />
      )}
    </Field>
  );
}

function TextFields({ draft, problems, change }: PartProps) {
  return (
    <>
      <Field label="Title">
        {(props) => (
          <input
            {...props}
            required
            maxLength={80}
            value={draft.title}
            placeholder="Weather report"
            onChange={(event) => change({ title: event.target.value })}
          />
        )}
      </Field>
      <Field label="Description" hint="What buyers get, in one or two sentences.">
        {(props) => (
          <textarea
            {...props}
            rows={2}
            maxLength={500}
            value={draft.description}
            onChange={(event) => change({ description: event.target.value })}
          />
        )}
      </Field>
      <Field label="Tags" hint="Search keywords, separated by commas." error={problems.tags}>
        {(props) => (
          <input
            {...props}
            value={draft.tags}
            placeholder="weather, forecast"
            onChange={(event) => change({ tags: event.target.value })}
          />
        )}
      </Field>
    </>
  );
}

/** Needed only where the endpoint looks at the request before it asks for payment. */
function SampleFields({
  draft,
  problems,
  change,
  isOpen,
}: PartProps & { readonly isOpen: boolean }) {
  return (
    <details className="more" open={isOpen}>
      <summary>Example request</summary>
      <Field label="Query" hint="The part after the question mark, such as city=Rome&days=2">
        {(props) => (
          <input
            {...props}
            value={draft.query}
            onChange={(event) => change({ query: event.target.value.trim().replace(/^\?/, "") })}
          />
        )}
      </Field>
      {draft.method !== "GET" && (
        <Field
          label="Body"
          hint="JSON, sent with checks and shown to buyers."
          error={problems.body}
        >
          {(props) => (
            <textarea
              {...props}
              rows={4}
              className="mono"
              value={draft.body}
              onChange={(event) => change({ body: event.target.value })}
            />
          )}
        </Field>
      )}
    </details>
  );
}
