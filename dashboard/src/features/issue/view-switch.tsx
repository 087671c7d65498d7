import { Link } from '@tanstack/react-router';

const LABELS = { log: 'Log', changes: 'Changes', timeline: 'Timeline' };

/** Chooses between what the agent did and what came of it; the choice stands in the address. */
export function ViewSwitch({ identifier }: { identifier: string }) {
  return (
    <nav class="view-switch" aria-label="View">
      {(['log', 'changes', 'timeline'] as const).map((name) => (
        <Link
          key={name}
          to="/issues/$id"
          params={{ id: identifier }}
          search={({ attempt }) => ({
            ...(attempt === undefined ? {} : { attempt }),
            ...(name === 'log' ? {} : { view: name }),
          })}
          // The address says which one is shown: the router marks that link as the current page.
          activeOptions={{ exact: true }}
          replace
        >
          {LABELS[name]}
        </Link>
      ))}
    </nav>
  );
}
