import { shownRepository } from '@switchyard/shared/text/repository-url';
import type { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'preact/hooks';
import { Field } from '../../../ui/forms/field.tsx';
import { Select } from '../../../ui/forms/select.tsx';
import { FormDialog } from '../../../ui/overlays/form-dialog.tsx';
import { showToast } from '../../../ui/overlays/toasts.tsx';
import { FILE_LIMITS } from '../../evidence/evidence-labels.ts';
import { saveRoute } from '../save/save-route.ts';
import {
  type EvidenceDraft,
  evidenceDraft,
  refusedEvidence,
  withEvidence,
} from './evidence-draft.ts';

const DETAIL: [EvidenceDraft['evidence'], string][] = [
  ['brief', 'Brief'],
  ['full', 'Full'],
];

/** Edits what the repository's work shows to reviewers; everything else is kept. */
export function EvidenceDialog(props: {
  route: RepoRoute;
  onChanged: () => void;
  onClose: () => void;
}) {
  const { route, onChanged, onClose } = props;
  const [draft, setDraft] = useState(() => evidenceDraft(route));
  const save = useMutation({
    mutationFn: (filled: EvidenceDraft) => saveRoute(route, withEvidence(route, filled)),
    onSuccess: () => {
      showToast(`Evidence of ${shownRepository(route.url)} saved.`);
      onClose();
    },
    onSettled: onChanged,
  });
  const { fields, rest } = refusedEvidence(save.error, save.variables ?? draft);
  const text = (field: 'scope' | 'artifacts') => ({
    class: 'field mono',
    value: draft[field],
    autoComplete: 'off' as const,
    spellcheck: false,
    onInput: (event: { currentTarget: { value: string } }) =>
      setDraft({ ...draft, [field]: event.currentTarget.value }),
  });
  return (
    <FormDialog
      title={`Evidence of ${shownRepository(route.url)}`}
      submitLabel="Save"
      busyLabel="Saving"
      of={{ isPending: save.isPending, error: rest }}
      onSubmit={() => save.mutate(draft)}
      onClose={onClose}
    >
      <Field
        label="Scope"
        hint="Globs of the files that work is expected to change, one per line. Pull requests name the changed files outside of it. Empty: no scope."
        error={fields.scope ?? null}
        control={(ids) => (
          <textarea {...ids} {...text('scope')} rows={4} placeholder={'src/**\ndocs/*.md'} />
        )}
      />
      <Field
        label="Folder for files"
        hint={`Agents leave screenshots and other files for reviewers in it, which stay out of commits. Kept are ${FILE_LIMITS}.`}
        error={fields.artifacts ?? null}
        control={(ids) => (
          <input {...ids} {...text('artifacts')} maxLength={100} placeholder="test-results" />
        )}
      />
      <Field
        label="In pull requests"
        hint="Brief: size, scope, attempts, files and how much was asked. Full: also tokens, cost, and the questions with their answers. The dashboard always shows everything."
        error={fields.evidence ?? null}
        control={(ids) => (
          <Select
            {...ids}
            options={DETAIL}
            value={draft.evidence}
            onChoose={(evidence) =>
              setDraft({ ...draft, evidence: evidence as EvidenceDraft['evidence'] })
            }
          />
        )}
      />
    </FormDialog>
  );
}
