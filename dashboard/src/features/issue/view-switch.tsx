import { Link } from '@tanstack/react-router';

export type IssueView = 'log' | 'changes';

const LABELS: Record<IssueView, string> = { log: 'Log', changes: 'Changes' };

/** Chooses between what the agent did and what came of it; the choice stands in the address. */
export function ViewSwitch({ identifier, view }: { identifier: string; view: IssueView }) {
  return (
    <nav class="view-switch" aria-label="View">
      {(['log', 'changes'] as const).map((name) => (
        <Link
          key={name}
          to="/issues/$id"
          params={{ id: identifier }}
          search={({ attempt }) => ({
            ...(attempt === undefined ? {} : { attempt }),
            ...(name === 'changes' ? { view: name } : {}),
          })}
          replace
          aria-current={name === view ? 'true' : 'false'}
        >
          {LABELS[name]}
        </Link>
      ))}
    </nav>
  );
}
