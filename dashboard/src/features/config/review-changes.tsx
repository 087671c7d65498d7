import { useMutation } from '@tanstack/react-query';
import { Modal } from '../../ui/overlays/modal.tsx';
import { Problem } from '../../ui/marks/problem.tsx';
import type { ValueChange } from './value-at.ts';
import { Button } from '../../ui/button.tsx';

/** The changes line by line, for confirmation. `undefined` stands for "not set here". */
export function ReviewChanges(props: {
  changes: ValueChange[];
  /** Settings among the changes that take effect only after a restart. */
  restarts: string[];
  save: () => Promise<unknown>;
  onClose: () => void;
}) {
  const save = useMutation({ mutationFn: props.save, onSuccess: props.onClose });
  return (
    <Modal title="Save these changes?" onClose={props.onClose}>
      <ul class="config-diff" aria-label="Changes">
        {props.changes.map(({ path, before, after }) => (
          <li key={path}>
            <p class="mono wrap">
              <strong>{path}</strong>
            </p>
            <del>{valueText(before)}</del>
            <ins>{valueText(after)}</ins>
          </li>
        ))}
      </ul>
      <p class="quiet">
        {props.restarts.length === 0
          ? 'Takes effect immediately. Running attempts keep their settings.'
          : `Takes effect immediately, except for ${props.restarts.join(', ')}: restart required.`}
      </p>
      <Problem error={save.error} />
      <footer>
        <Button onClick={props.onClose}>Cancel</Button>
        <Button primary disabled={save.isPending} onClick={() => save.mutate()}>
          {save.isPending ? 'Saving' : 'Save'}
        </Button>
      </footer>
    </Modal>
  );
}

function valueText(value: unknown): string {
  return value === undefined ? 'not set' : JSON.stringify(value, null, 2);
}
