import { shownRepository } from '@switchyard/shared/text/repository-url';
import type { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import { useMutation } from '@tanstack/react-query';
import { useId, useState } from 'preact/hooks';
import { Field } from '../../../ui/forms/field.tsx';
import { Select } from '../../../ui/forms/select.tsx';
import { Icon } from '../../../ui/marks/icon.tsx';
import { FormDialog } from '../../../ui/overlays/form-dialog.tsx';
import { showToast } from '../../../ui/overlays/toasts.tsx';
import { saveRoute } from '../save/save-route.ts';
import { type MergeDraft, mergeDraft, refusedMerge, withMerge } from './merge-draft.ts';

const MODES: [MergeDraft['mode'], string][] = [
  ['never', 'People merge'],
  ['ask', 'Merge queue, when a person asks'],
  ['when-green', 'Merge queue, by itself'],
];

const ABOUT_MODE: Record<MergeDraft['mode'], string> = {
  never: 'No pull request enters the merge queue.',
  ask: 'A person queues each pull request. Its merge with the base branch is tested by the checks of the repository, and pushed if all pass.',
  'when-green':
    'A pull request is queued as soon as its agent is done. Its merge with the base branch is tested by the checks of the repository, and pushed if all pass. Nobody reads it before.',
};

/** Edits who merges the repository's pull requests; everything else is kept. */
export function MergeDialog(props: {
  route: RepoRoute;
  onChanged: () => void;
  onClose: () => void;
}) {
  const { route, onChanged, onClose } = props;
  const [draft, setDraft] = useState(() => mergeDraft(route));
  const save = useMutation({
    mutationFn: (filled: MergeDraft) => saveRoute(route, withMerge(route, filled)),
    onSuccess: () => {
      showToast(`Merge of ${shownRepository(route.url)} saved.`);
      onClose();
    },
    onSettled: onChanged,
  });
  const { fields, rest } = refusedMerge(save.error);
  const change = (part: Partial<MergeDraft>) => setDraft({ ...draft, ...part });
  const isUntested = draft.mode !== 'never' && (route.checks ?? []).length === 0;
  return (
    <FormDialog
      title={`Merge of ${shownRepository(route.url)}`}
      submitLabel="Save"
      busyLabel="Saving"
      of={{ isPending: save.isPending, error: rest }}
      onSubmit={() => save.mutate(draft)}
      onClose={onClose}
    >
      <Field
        label="Who merges"
        hint={ABOUT_MODE[draft.mode]}
        error={fields.mode ?? null}
        control={(ids) => (
          <Select
            {...ids}
            options={MODES}
            value={draft.mode}
            onChoose={(mode) => change({ mode: mode as MergeDraft['mode'] })}
          />
        )}
      />
      {isUntested && (
        <p class="note warning" role="status">
          <Icon name="warning" size={14} />
          <span>The repository declares no checks. Nothing is queued before it does.</span>
        </p>
      )}
      {draft.mode === 'when-green' && (
        <Conditions
          draft={draft}
          fields={fields}
          hasScope={(route.scope ?? []).length > 0}
          onChange={change}
        />
      )}
    </FormDialog>
  );
}

type ConditionsProps = {
  draft: MergeDraft;
  fields: ReturnType<typeof refusedMerge>['fields'];
  hasScope: boolean;
  onChange: (part: Partial<MergeDraft>) => void;
};

/** What is left to a person although the repository queues pull requests by itself. */
function Conditions({ draft, fields, hasScope, onChange }: ConditionsProps) {
  const about = useId();
  return (
    <>
      <Field
        label="Changed lines at most"
        hint="Larger pull requests are left to a person. Empty: no limit."
        error={fields.maxChangedLines ?? null}
        control={(ids) => (
          <input
            {...ids}
            class="field"
            inputMode="numeric"
            pattern="\s*[0-9]*\s*"
            title="A whole number"
            maxLength={10}
            placeholder="400"
            autoComplete="off"
            value={draft.maxChangedLines}
            onInput={(event) => onChange({ maxChangedLines: event.currentTarget.value })}
          />
        )}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={draft.withinScope}
          aria-describedby={about}
          aria-invalid={fields.withinScope !== undefined}
          onChange={(event) => onChange({ withinScope: event.currentTarget.checked })}
        />
        <span>
          Only within the scope
          <small id={about} class={fields.withinScope === undefined ? '' : 'field-about bad'}>
            {fields.withinScope ??
              (hasScope
                ? 'Pull requests that change other files are left to a person.'
                : 'The repository declares no scope yet, see Evidence.')}
          </small>
        </span>
      </label>
    </>
  );
}
