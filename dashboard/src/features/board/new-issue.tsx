import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'preact/hooks';
import { createIssue } from '../../api/actions.ts';
import { LOCAL_STATES } from '../../api/local-states.ts';
import { Modal } from '../../ui/overlays/modal.tsx';
import { PRIORITIES } from '../../ui/marks/priority-mark.tsx';
import { Problem } from '../../ui/marks/problem.tsx';
import { issueFromForm } from './issue-from-form.ts';
import { Button } from '../../ui/button.tsx';

/** The form for an issue of the built-in tracker. What was typed survives a refusal. */
export function NewIssue({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const [state, setState] = useState<string>('Todo');
  const create = useMutation({
    mutationFn: createIssue,
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['local-issues'] });
      onClose();
    },
  });
  const submit = () => {
    if (form.current?.reportValidity()) create.mutate(issueFromForm(new FormData(form.current)));
  };
  return (
    <Modal title="New issue" onClose={onClose}>
      <form
        ref={form}
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
        onKeyDown={(event) => event.key === 'Enter' && (event.ctrlKey || event.metaKey) && submit()}
      >
        <label class="stack">
          Title
          <input class="field" name="title" required maxLength={500} autoFocus autoComplete="off" />
        </label>
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
          <label class="stack">
            State
            <select
              class="field"
              name="state"
              value={state}
              onChange={(event) => setState(event.currentTarget.value)}
            >
              {LOCAL_STATES.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
          <label class="stack">
            Priority
            <select class="field" name="priority">
              {PRIORITIES.map((priority) => (
                <option key={priority.value} value={priority.value}>
                  {priority.label}
                </option>
              ))}
            </select>
          </label>
        </div>
        <div class="form-row">
          <label class="stack">
            Labels
            <input class="field" name="labels" placeholder="bug, backend" autoComplete="off" />
          </label>
          <label class="stack">
            Blocked by
            <input class="field" name="blockedBy" placeholder="SY-3, SY-4" autoComplete="off" />
          </label>
        </div>
        <p class="quiet">Agents start on issues in Todo and In Progress. Issues in Backlog wait.</p>
        <Problem error={create.error} />
        <footer>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" primary disabled={create.isPending}>
            {create.isPending ? 'Creating' : 'Create issue'}
          </Button>
        </footer>
      </form>
    </Modal>
  );
}
