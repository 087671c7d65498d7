import { AbortDialog } from './abort-dialog.tsx';
import type { IssueRef } from './issue-ref.ts';
import { MoveDialog } from './move-dialog.tsx';
import { SteerDialog } from './steer-dialog.tsx';

export type Control = 'abort' | 'steer' | 'move';

/** Asks what is needed before something is done with one issue or several. */
export function ControlDialog(props: {
  control: Control;
  issues: readonly IssueRef[];
  onClose: () => void;
}) {
  if (props.control === 'abort') return <AbortDialog {...props} />;
  if (props.control === 'steer') return <SteerDialog {...props} />;
  return <MoveDialog {...props} />;
}
