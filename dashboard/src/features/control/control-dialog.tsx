import { SteerForm } from './steer-form.tsx';
import { Modal } from '../../ui/overlays/modal.tsx';
import { AbortDialog } from './abort-dialog.tsx';
import { type IssueRef, nameOf } from './issue-ref.ts';
import { MoveDialog } from './move-dialog.tsx';

export type Control = 'abort' | 'steer' | 'move';

/** Asks for the details of an action on one or several issues. */
export function ControlDialog(props: {
  control: Control;
  issues: readonly IssueRef[];
  onClose: () => void;
}) {
  if (props.control === 'abort') return <AbortDialog {...props} />;
  if (props.control === 'steer') return <SteerDialog {...props} />;
  return <MoveDialog {...props} />;
}

/** Sends a message to running agents. */
function SteerDialog(props: { issues: readonly IssueRef[]; onClose: () => void }) {
  return (
    <Modal title={`Steer the agent of ${nameOf(props.issues)}`} onClose={props.onClose}>
      <SteerForm
        identifiers={props.issues.map((issue) => issue.identifier)}
        onSent={props.onClose}
      />
    </Modal>
  );
}
