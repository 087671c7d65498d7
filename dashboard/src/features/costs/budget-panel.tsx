import type { ModelPrice } from '@switchyard/shared/api/work/usage';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'preact/hooks';
import { textIn } from '../../ui/forms/form-text.ts';
import { QueryView } from '../../ui/data/query-view.tsx';
import { SubmitRow } from '../../ui/forms/submit-row.tsx';
import { showToast } from '../../ui/overlays/toasts.tsx';
import { configQuery, overlayQuery, removeOverlayPath, setOverlayPath } from '../config/queries.ts';
import { BUDGETS, COST_BUDGET, budgetChanges, budgetText } from './budgets.ts';
import { uncountedText } from './price-rows.ts';
import { Form } from '../../ui/forms/form.tsx';
import { TextField } from '../../ui/forms/text-field.tsx';

/** The budgets, each in its own field; changes take effect at once. */
export function BudgetPanel({ models }: { models: readonly ModelPrice[] }) {
  const config = useQuery(configQuery);
  return (
    <section class="panel budgets" aria-labelledby="budgets">
      <h2 id="budgets">Budgets</h2>
      <QueryView query={config} skeletonLines={8}>
        {(values) => <BudgetForm config={values} uncounted={uncountedText(models)} />}
      </QueryView>
    </section>
  );
}

function BudgetForm(props: { config: Record<string, unknown>; uncounted: string | null }) {
  const { config, uncounted } = props;
  const client = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const save = useMutation({
    mutationFn: async () => {
      if (form.current === null) return;
      const element = form.current;
      for (const { path, value } of budgetChanges(config, (path) => textIn(element, path))) {
        await (value === undefined ? removeOverlayPath(path) : setOverlayPath(path, value));
      }
    },
    onSuccess: () => showToast('Budgets saved.'),
    onSettled: () =>
      Promise.all(
        [configQuery, overlayQuery].map(({ queryKey }) => client.invalidateQueries({ queryKey })),
      ),
  });
  return (
    <Form formRef={form} onSubmit={() => save.mutate()}>
      {BUDGETS.map(({ path, label, hint, whole }) => (
        <TextField
          key={path}
          label={label}
          hint={path === COST_BUDGET && uncounted !== null ? `${hint} ${uncounted}` : hint}
          prose
          name={path}
          inputMode={whole ? 'numeric' : 'decimal'}
          pattern={whole ? '[0-9 _]*' : '[0-9]*[.]?[0-9]*'}
          title={whole ? 'A whole number' : 'A number'}
          defaultValue={budgetText(config, path)}
        />
      ))}
      <SubmitRow label="Save" busy="Saving" of={save} />
    </Form>
  );
}
