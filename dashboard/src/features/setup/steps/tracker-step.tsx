import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { Choice } from './choice.tsx';
import { GitHubForm } from './github-form.tsx';
import { LinearForms } from './linear-forms.tsx';
import { refreshSetup, type Setup, setValue } from '../queries.ts';
import { useDraftChoice } from '../../../ui/forms/form-draft.ts';
import { Problem } from '../../../ui/marks/problem.tsx';
import { Button } from '../../../ui/button.tsx';

const KINDS = [
  { id: 'local', label: 'Built in', about: 'Issues are created here. No setup is needed.' },
  { id: 'linear', label: 'Linear', about: 'With an API key or OAuth.' },
  { id: 'github', label: 'GitHub issues', about: 'From the repositories in the next step.' },
] as const;
type Kind = (typeof KINDS)[number]['id'];
const KIND_IDS = KINDS.map(({ id }) => id);

/** Selects the tracker and connects it. The built-in one works beside any other. */
export function TrackerStep({ setup }: { setup: Setup }) {
  const present = KINDS.find(({ id }) => id === setup.tracker.kind)?.id ?? 'local';
  const { code, error } = useSearch({ from: '/setup' });
  // A person who returns from Linear, perhaps in another window, sees the result there.
  const signsIn = setup.tracker.signInPending || code !== undefined || error !== undefined;
  const initial = signsIn ? 'linear' : present;
  const [kind, setKind] = useDraftChoice<Kind>('setup.tracker', KIND_IDS, initial);
  return (
    <>
      <Choice
        name="tracker"
        label="Tracker"
        options={KINDS}
        value={kind}
        inUse={present}
        onChange={setKind}
      />
      {kind === 'local' && <BuiltIn inUse={present === 'local'} />}
      {kind === 'linear' && <LinearForms inUse={present === 'linear'} />}
      {kind === 'github' && (
        <>
          <p class="quiet">
            GitHub issues are open or closed; other states are labels. Agents work only on issues
            with the label of an active state.
          </p>
          <GitHubForm asTracker connected={present === 'github'} />
        </>
      )}
    </>
  );
}

function BuiltIn({ inUse }: { inUse: boolean }) {
  const client = useQueryClient();
  const choose = useMutation({
    mutationFn: () => setValue('tracker.kind', 'local'),
    onSuccess: () => refreshSetup(client, 'tracker'),
  });
  if (inUse) return <p class="quiet">In use. Create issues on the board.</p>;
  return (
    <div>
      <Button
        primary
        aria-disabled={choose.isPending}
        onClick={() => choose.isPending || choose.mutate()}
      >
        Use the built-in tracker
      </Button>
      <Problem error={choose.error} />
    </div>
  );
}
