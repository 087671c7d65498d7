import { useMutation, useQueryClient } from '@tanstack/react-query';
import { createIssue } from '../../api/actions.ts';
import { LOCAL_STATES } from '../../api/local-states.ts';
import { PRIORITIES } from '../../ui/marks/priority-mark.tsx';
import { issueFromForm } from './issue-from-form.ts';
import { TextField } from '../../ui/forms/text-field.tsx';
import { forgetDraft } from '../../ui/forms/drafts.ts';
import { FormDialog } from '../../ui/overlays/form-dialog.tsx';
import { refresh } from '../../api/read-query.ts';
import { SelectField } from '../../ui/forms/select.tsx';

const DRAFT = 'new-issue';

/**
 * The form for an issue of the built-in tracker. Its content is kept until the issue is created.
 */
export function NewIssue({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: createIssue,
    onSuccess: async () => {
      forgetDraft(DRAFT);
      await refresh(client, 'local-issues');
      onClose();
    },
  });
  return (
    <FormDialog
      title="New issue"
      wide
      draft={DRAFT}
      submitLabel="Create issue"
      busyLabel="Creating"
      of={create}
      onClose={onClose}
      onSubmit={(form) => create.mutate(issueFromForm(new FormData(form)))}
      onKeyDown={(event) => {
        const isSend = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
        if (isSend) event.currentTarget.requestSubmit();
      }}
    >
      <TextField prose label="Title" name="title" required maxLength={500} autoFocus />
      <label class="stack">
        Description
        <textarea
          class="field"
          name="description"
          rows={8}
          maxLength={100_000}
          placeholder="What to change, and how to verify the result"
        />
      </label>
      <div class="form-row">
        <SelectField label="State" name="state" options={LOCAL_STATES} defaultValue="Todo" />
        <SelectField
          label="Priority"
          name="priority"
          options={PRIORITIES.map(({ value, label }) => [String(value), label])}
        />
      </div>
      <TextField prose label="Labels" name="labels" placeholder="bug, backend" />
      <div class="form-row">
        <TextField prose label="Blocked by" name="blockedBy" placeholder="SY-3, SY-4" />
        <TextField prose label="Part of" name="parent" placeholder="SY-1" />
      </div>
      <p class="quiet">Agents start on issues in Todo and In Progress. Issues in Backlog wait.</p>
    </FormDialog>
  );
}
