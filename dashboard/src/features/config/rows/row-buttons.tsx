import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { ActionButton } from '../../../ui/action-button.tsx';
import { Button } from '../../../ui/button.tsx';
import { ConfirmButton } from '../../../ui/overlays/confirm-button.tsx';
import { configQuery, overlayQuery } from '../queries.ts';
import { changeRow } from './change-rows.ts';
import type { Row } from './row-fields.ts';

/** Buttons for one entry of a list in the configuration. */
export function RowButtons(props: {
  listPath: string;
  row: Row;
  /** Kind of the entry, for example `automation`. */
  what: string;
  /** What remains after a removal, for the confirmation. */
  removal: string;
  /** Queries that a change makes stale. */
  stale?: readonly QueryKey[];
  onEdit: () => void;
}) {
  const { listPath, row, what, removal, onEdit } = props;
  const client = useQueryClient();
  const name = String(row['name']);
  const isEnabled = row['enabled'] !== false;
  const stale = [configQuery.queryKey, overlayQuery.queryKey, ...(props.stale ?? [])];
  const remove = async () => {
    await changeRow(listPath, { before: row, after: null });
    await Promise.all(stale.map((queryKey) => client.invalidateQueries({ queryKey })));
  };
  return (
    <div class="row-buttons">
      <Button small aria-label={`Edit ${name}`} onClick={onEdit}>
        Edit
      </Button>
      <ActionButton
        small
        aria-label={`${isEnabled ? 'Disable' : 'Enable'} ${name}`}
        action={() => changeRow(listPath, { before: row, after: { ...row, enabled: !isEnabled } })}
        busy="Saving"
        done={`${name} is ${isEnabled ? 'disabled' : 'enabled'}.`}
        stale={stale}
      >
        {isEnabled ? 'Disable' : 'Enable'}
      </ActionButton>
      <ConfirmButton
        label="Remove"
        about={name}
        small
        question={`Remove the ${what} ${name}?`}
        explanation={removal}
        confirmLabel="Remove"
        danger
        action={remove}
      />
    </div>
  );
}
