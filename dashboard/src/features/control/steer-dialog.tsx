import { Modal } from '../../ui/overlays/modal.tsx';
import { type IssueRef, nameOf } from './issue-ref.ts';
import { SteerForm } from './steer-form.tsx';

/** A word to running agents. */
export function SteerDialog(props: { issues: readonly IssueRef[]; onClose: () => void }) {
  return (
    <Modal title={`Steer the agent of ${nameOf(props.issues)}`} onClose={props.onClose}>
      <SteerForm
        identifiers={props.issues.map((issue) => issue.identifier)}
        autoFocus
        onSent={props.onClose}
      />
    </Modal>
  );
}
