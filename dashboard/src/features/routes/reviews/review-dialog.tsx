import { shownRepository } from '@switchyard/shared/text/repository-url';
import type { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import { DEFAULT_REVIEW_ROUNDS } from '@switchyard/shared/review/review-rounds';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useId, useState } from 'preact/hooks';
import { enginesQuery } from '../../../api/queries.ts';
import { Field } from '../../../ui/forms/field.tsx';
import { Select } from '../../../ui/forms/select.tsx';
import { FormDialog } from '../../../ui/overlays/form-dialog.tsx';
import { showToast } from '../../../ui/overlays/toasts.tsx';
import { saveRoute } from '../save/save-route.ts';
import { refusedReview, type ReviewDraft, reviewDraft, withReview } from './review-draft.ts';

const MODES: [ReviewDraft['mode'], string][] = [
  ['off', 'No review'],
  ['advise', 'Review as advice'],
  ['require', 'Review required'],
];

const ABOUT_MODE: Record<ReviewDraft['mode'], string> = {
  off: 'No agent reads pull requests by itself. A person can still ask for a review.',
  advise:
    'Another agent reads each pull request when it opens or changes. If it asks for changes, what it found goes back to the agent that wrote it.',
  require:
    'As with advice. Also, the merge policy merges no pull request before a review has approved its commit.',
};

/** Edits whether another agent reads the repository's pull requests; everything else is kept. */
export function ReviewDialog(props: {
  route: RepoRoute;
  onChanged: () => void;
  onClose: () => void;
}) {
  const { route, onChanged, onClose } = props;
  const [draft, setDraft] = useState(() => reviewDraft(route));
  const save = useMutation({
    mutationFn: (filled: ReviewDraft) => saveRoute(route, withReview(route, filled)),
    onSuccess: () => {
      showToast(`Review of ${shownRepository(route.url)} saved.`);
      onClose();
    },
    onSettled: onChanged,
  });
  const { fields, rest } = refusedReview(save.error);
  const change = (part: Partial<ReviewDraft>) => setDraft({ ...draft, ...part });
  return (
    <FormDialog
      title={`Review of ${shownRepository(route.url)}`}
      submitLabel="Save"
      busyLabel="Saving"
      of={{ isPending: save.isPending, error: rest }}
      onSubmit={() => save.mutate(draft)}
      onClose={onClose}
    >
      <Field
        label="Review by another agent"
        hint={ABOUT_MODE[draft.mode]}
        error={fields.mode ?? null}
        control={(ids) => (
          <Select
            {...ids}
            options={MODES}
            value={draft.mode}
            onChoose={(mode) => change({ mode: mode as ReviewDraft['mode'] })}
          />
        )}
      />
      {draft.mode !== 'off' && <Details draft={draft} fields={fields} onChange={change} />}
    </FormDialog>
  );
}

type DetailsProps = {
  draft: ReviewDraft;
  fields: ReturnType<typeof refusedReview>['fields'];
  onChange: (part: Partial<ReviewDraft>) => void;
};

/** Who reviews, how often the findings go back, and what to look at. */
function Details({ draft, fields, onChange }: DetailsProps) {
  const known = useId();
  const choices = useQuery(enginesQuery).data?.choices ?? [];
  return (
    <>
      <Field
        label="Engine choice"
        hint="Name of the engine choice that reviews. Empty: that of the issue."
        error={fields.engine ?? null}
        control={(ids) => (
          <>
            <input
              {...ids}
              class="field mono"
              list={known}
              maxLength={100}
              autoComplete="off"
              spellcheck={false}
              value={draft.engine}
              onInput={(event) => onChange({ engine: event.currentTarget.value })}
            />
            <datalist id={known}>
              {choices.map(({ name }) => (
                <option key={name} value={name} />
              ))}
            </datalist>
          </>
        )}
      />
      <Field
        label="Rounds at most"
        hint="How often findings go back to the agent before a person decides. 0: never."
        error={fields.maxRounds ?? null}
        control={(ids) => (
          <input
            {...ids}
            class="field"
            inputMode="numeric"
            pattern="\s*[0-9]*\s*"
            title="A whole number"
            maxLength={10}
            placeholder={String(DEFAULT_REVIEW_ROUNDS)}
            autoComplete="off"
            value={draft.maxRounds}
            onInput={(event) => onChange({ maxRounds: event.currentTarget.value })}
          />
        )}
      />
      <Field
        label="Instructions"
        hint="What reviews must look at in this repository, as plain text. Empty: the built-in prompt alone."
        error={fields.instructions ?? null}
        control={(ids) => (
          <textarea
            {...ids}
            class="field"
            rows={5}
            maxLength={20_000}
            value={draft.instructions}
            onInput={(event) => onChange({ instructions: event.currentTarget.value })}
          />
        )}
      />
    </>
  );
}
