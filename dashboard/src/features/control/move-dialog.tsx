import { useQuery } from '@tanstack/react-query';
import { transitionsQuery } from '../../api/queries.ts';
import { Icon } from '../../ui/marks/icon.tsx';
import { Modal } from '../../ui/overlays/modal.tsx';
import { QueryView } from '../../ui/data/query-view.tsx';
import { type IssueRef, nameOf } from './issue-ref.ts';
import { useMove } from './use-move.ts';

type Props = { issues: readonly IssueRef[]; onClose: () => void };

/** Selects the state that issues move to. */
export function MoveDialog({ issues, onClose }: Props) {
  const transitions = useQuery(transitionsQuery);
  const move = useMove();
  const go = (state: string) => {
    onClose();
    move(issues, state);
  };
  return (
    <Modal title={`Move ${nameOf(issues)} to`} narrow onClose={onClose}>
      <QueryView query={transitions}>
        {({ transitions: allowed }) => {
          const states = common(issues.map((issue) => allowed[issue.identifier] ?? []));
          if (states.length === 0) return <p>The tracker offers no matching state.</p>;
          return (
            <ul class="choices">
              {states.map((state, position) => (
                <li key={state}>
                  <button
                    type="button"
                    autoFocus={position === 0}
                    ref={position === 0 ? focusOnce : null}
                    onClick={() => go(state)}
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

/** Focuses the first state when it appears, which may be after the dialog has opened. */
function focusOnce(button: HTMLButtonElement | null): void {
  if (button?.closest('dialog')?.querySelector('.choices :focus') === null) button.focus();
}

/** States that are offered for every one of the issues. */
function common(lists: readonly string[][]): string[] {
  const [first = [], ...rest] = lists;
  return first.filter((state) => rest.every((list) => list.includes(state)));
}
