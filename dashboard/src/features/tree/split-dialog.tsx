import type { IssueDetail } from '@switchyard/shared/api/work/issue';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'preact/hooks';
import { splitIssue } from '../../api/actions.ts';
import { refresh } from '../../api/read-query.ts';
import { plural } from '../../format/format-count.ts';
import { useDraftText } from '../../ui/forms/form-draft.ts';
import { FormDialog } from '../../ui/overlays/form-dialog.tsx';
import { showToast } from '../../ui/overlays/toasts.tsx';
import {
  EMPTY_DRAFT,
  refusedRows,
  rowsFrom,
  type SplitDraft,
  splitRequest,
} from './split-draft.ts';
import { SplitRows } from './split-rows.tsx';

type Props = { issue: IssueDetail; onClose: () => void };

/** Splits an issue into sub-issues, or adds some. What is typed is kept until they are created. */
export function SplitDialog({ issue, onClose }: Props) {
  const { identifier } = issue;
  const client = useQueryClient();
  const [text, setText, forget] = useDraftText(`split/${identifier}`, EMPTY_DRAFT);
  const rows = rowsFrom(text);
  const split = useMutation({
    mutationFn: (sent: readonly SplitDraft[]) => splitIssue(identifier, splitRequest(sent)),
    onSuccess: async ({ subIssues }) => {
      forget();
      await refresh(client, 'issue', 'tree', 'state', 'issues', 'local-issues', 'transitions');
      showToast(`${identifier}: ${plural(subIssues.length, 'sub-issue')} created`);
      onClose();
    },
  });
  const refused = refusedRows(split.error, split.variables ?? [], rows);
  // What the dialog is called stays while it creates the first ones.
  const [isSplit] = useState(issue.subIssues.length > 0);
  return (
    <FormDialog
      title={isSplit ? `Add sub-issues to ${identifier}` : `Split ${identifier} into sub-issues`}
      wide
      submitLabel="Create sub-issues"
      busyLabel="Creating"
      of={{ isPending: split.isPending, error: refused.rest }}
      onDiscard={text === EMPTY_DRAFT ? null : () => setText(EMPTY_DRAFT)}
      onSubmit={() => split.mutate(rows)}
      onClose={onClose}
      onKeyDown={(event) => {
        const isSend = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
        if (isSend) event.currentTarget.requestSubmit();
      }}
    >
      <p class="quiet">
        {identifier} waits for its sub-issues and ends when all of them have ended. They take over
        its labels and priority.
      </p>
      <SplitRows
        rows={rows}
        refused={refused.fields}
        refusedAtMs={split.isError ? split.submittedAt : null}
        onRows={(next) => setText(JSON.stringify(next))}
      />
    </FormDialog>
  );
}
