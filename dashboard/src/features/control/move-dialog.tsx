import { useQuery } from '@tanstack/react-query';
import { useState } from 'preact/hooks';
import { transitionsQuery } from '../../api/queries.ts';
import { Icon } from '../../ui/icon.tsx';
import { Modal } from '../../ui/modal.tsx';
import { QueryView } from '../../ui/panel-states.tsx';
import { type Controlled, nameOf } from './controlled.ts';
import { moveStopsRun, useMove } from './use-move.ts';

type Props = {
  issues: readonly Controlled[];
  /** Already chosen, for example by dragging. */
  to?: string;
  onClose: () => void;
};

/** Chooses the state that issues move to; one that stops a run is asked about. */
export function MoveDialog({ issues, to, onClose }: Props) {
  const [chosen, setChosen] = useState<string | null>(to ?? null);
  const transitions = useQuery(transitionsQuery);
  const move = useMove();
  const go = (state: string) => {
    onClose();
    void move(
      issues.map((issue) => issue.identifier),
      state,
    );
  };
  if (chosen !== null) {
    return (
      <Modal title={`Move ${nameOf(issues)} to ${chosen}?`} narrow onClose={onClose}>
        <p>
          An agent is at work on it and stops. What it has done so far is kept, and you can retry
          whenever you like.
        </p>
        <footer>
          <button type="button" class="button" onClick={onClose}>
            Not now
          </button>
          <button type="button" class="button danger" onClick={() => go(chosen)}>
            Move and stop
          </button>
        </footer>
      </Modal>
    );
  }
  return (
    <Modal title={`Move ${nameOf(issues)} to`} narrow onClose={onClose}>
      <QueryView query={transitions}>
        {({ transitions: allowed }) => {
          const states = common(issues.map((issue) => allowed[issue.identifier] ?? []));
          if (states.length === 0) return <p>The tracker offers no state for this.</p>;
          return (
            <ul class="choices">
              {states.map((state) => (
                <li key={state}>
                  <button
                    type="button"
                    onClick={() =>
                      issues.some((issue) => moveStopsRun(issue, state))
                        ? setChosen(state)
                        : go(state)
                    }
                  >
                    {state}
                    <Icon name="chevron" size={14} />
                  </button>
                </li>
              ))}
            </ul>
          );
        }}
      </QueryView>
    </Modal>
  );
}

/** States that are offered for every one of them. */
function common(lists: readonly string[][]): string[] {
  const [first = [], ...rest] = lists;
  return first.filter((state) => rest.every((list) => list.includes(state)));
}
