import { Link } from '@tanstack/react-router';

const LABELS = { log: 'Log', changes: 'Changes', timeline: 'Timeline' };

/** Switches between the agent's log and its results; the choice is part of the address. */
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
          // The address determines the shown view: the router marks that link as the current page.
          activeOptions={{ exact: true }}
          replace
        >
          {LABELS[name]}
        </Link>
      ))}
    </nav>
  );
}
