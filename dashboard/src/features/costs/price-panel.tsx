import type { Usage } from '@switchyard/shared/api/work/usage';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../../api/api.ts';
import { usageQuery } from '../../api/queries.ts';
import { QueryView } from '../../ui/data/query-view.tsx';
import { Form } from '../../ui/forms/form.tsx';
import { textIn } from '../../ui/forms/form-text.ts';
import { SubmitRow } from '../../ui/forms/submit-row.tsx';
import { TextField } from '../../ui/forms/text-field.tsx';
import { Problem } from '../../ui/marks/problem.tsx';
import { showToast } from '../../ui/overlays/toasts.tsx';
import { configQuery, overlayQuery, removeOverlayPath, setOverlayPath } from '../config/queries.ts';
import { COST_DAYS } from './missing-prices.tsx';
import {
  fieldOf,
  PRICE_PARTS,
  PriceRefused,
  type PriceRow,
  priceChanges,
  priceRows,
  priceText,
} from './price-rows.ts';

const MAX_NAME_CHARS = 200;
const MAX_FIGURE_CHARS = 12;

/** Form with the price of each model, by which costs are computed. */
export function PricePanel({ prices }: { prices: Usage['prices'] }) {
  const config = useQuery(configQuery);
  return (
    <section class="panel prices" id="prices" aria-labelledby="prices-title">
      <h2 id="prices-title">Prices</h2>
      <p class="quiet">
        US dollars per million tokens, for example 1.25 for input, 0.125 for cached input and 10 for
        output. 0 means free. Cached input left empty costs as much as input.
      </p>
      <p class="quiet">
        Prices count from now on: attempts that have ended keep their cost, and a running one is
        reckoned anew with its next answer of the model.
      </p>
      <QueryView query={config} skeletonLines={4}>
        {(values) => <PriceForm rows={priceRows(prices.models, values)} prices={prices} />}
      </QueryView>
    </section>
  );
}

/**
 * Removes a price from the overlay. A price of the base file or a variable cannot be removed here.
 */
async function removePrice(path: string, model: string): Promise<void> {
  try {
    await removeOverlayPath(path);
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'not_found')) throw error;
    throw new Error(
      `The price of ${model} was not set here: it stands in the base file or the environment. Change it there, or set another one here.`,
      { cause: error },
    );
  }
}

function PriceForm({ rows, prices }: { rows: PriceRow[]; prices: Usage['prices'] }) {
  const client = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const [saves, setSaves] = useState(0);
  useArrival(form);
  const save = useMutation({
    mutationFn: async () => {
      const element = form.current;
      if (element === null) return;
      for (const { model, path, value } of priceChanges(rows, (name) => textIn(element, name))) {
        await (value === undefined ? removePrice(path, model) : setOverlayPath(path, value));
      }
    },
    onSuccess: () => showToast('Prices set.'),
    onError: (error) => {
      const field = error instanceof PriceRefused && form.current?.elements.namedItem(error.field);
      if (field instanceof HTMLElement) field.focus();
    },
    onSettled: async (_answer, error) => {
      const keys = [configQuery, overlayQuery, usageQuery(COST_DAYS)];
      await Promise.all(keys.map(({ queryKey }) => client.invalidateQueries({ queryKey })));
      // After a refusal the typed values stay; otherwise the fields show the prices in force.
      if (error === null) setSaves((count) => count + 1);
    },
  });
  const refused = save.error instanceof PriceRefused ? save.error : null;
  return (
    <Form key={saves} formRef={form} onSubmit={() => save.mutate()} noValidate>
      {rows.map((row, at) => (
        <fieldset
          key={row.model}
          class="price-row"
          data-unpriced={row.set === null && row.listed === null ? '' : undefined}
        >
          <legend class="mono wrap">{row.model}</legend>
          <PriceFields row={row} at={at} refused={refused} />
          <PriceNote row={row} readOn={prices.readOn} />
        </fieldset>
      ))}
      <fieldset class="price-row">
        <legend>Another model</legend>
        <TextField
          label="Name, as the provider spells it"
          name={fieldOf(rows.length, 'model')}
          maxLength={MAX_NAME_CHARS}
          spellcheck={false}
          isInvalid={refused?.field === fieldOf(rows.length, 'model')}
        />
        <PriceFields
          row={{ model: '', set: null, listed: null }}
          at={rows.length}
          refused={refused}
        />
      </fieldset>
      <SubmitRow
        label="Set prices"
        busy="Setting"
        of={{ isPending: save.isPending, error: refused === null ? save.error : null }}
      />
    </Form>
  );
}

/** Focuses the first model without a price when the page was opened by a link to the prices. */
function useArrival(form: RefObject<HTMLFormElement | null>): void {
  const location = useLocation();
  useEffect(() => {
    if (location.hash !== 'prices' || form.current === null) return;
    const missing = form.current.querySelector<HTMLInputElement>('[data-unpriced] input');
    (missing?.closest('fieldset') ?? form.current.closest('section'))?.scrollIntoView({
      block: missing === null ? 'start' : 'center',
    });
    // On a touch screen, the keyboard would cover the form.
    if (!matchMedia('(pointer: coarse)').matches) missing?.focus({ preventScroll: true });
  }, [location, form]);
}

function PriceFields(props: { row: PriceRow; at: number; refused: PriceRefused | null }) {
  const { row, at, refused } = props;
  const names = ['model', ...PRICE_PARTS.map(({ part }) => part)] as const;
  const isHere = names.some((part) => refused?.field === fieldOf(at, part));
  return (
    <>
      <div class="price-fields">
        {PRICE_PARTS.map(({ part, label }) => (
          <TextField
            key={part}
            label={label}
            prose
            name={fieldOf(at, part)}
            inputMode="decimal"
            maxLength={MAX_FIGURE_CHARS}
            defaultValue={priceText(row.set, part)}
            placeholder={priceText(row.listed, part)}
            isInvalid={refused?.field === fieldOf(at, part)}
          />
        ))}
      </div>
      {isHere && <Problem error={refused} />}
    </>
  );
}

/** The source of a price that is not set here. */
function PriceNote({ row, readOn }: { row: PriceRow; readOn: string }) {
  if (row.set !== null) return null;
  return row.listed === null ? (
    <p class="field-about bad">No price is known: the cost of its work is missing from all sums.</p>
  ) : (
    <p class="field-about">List price as of {readOn}, while nothing is set here.</p>
  );
}
