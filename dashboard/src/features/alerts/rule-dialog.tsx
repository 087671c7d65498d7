import { RowDialog } from '../config/rows/row-dialog.tsx';
import type { Row } from '../config/rows/row-fields.ts';
import { NEW_RULE, ruleFields, ruleHint, RULES_PATH } from './rule-fields.ts';

/** The form of one alert rule; a rule of null is a new one. */
export function RuleDialog(props: {
  row: Row | null;
  config: Record<string, unknown>;
  onClose: () => void;
}) {
  const { row, config, onClose } = props;
  return (
    <RowDialog
      what="alert rule"
      listPath={RULES_PATH}
      fields={ruleFields(config)}
      row={row}
      start={NEW_RULE}
      hint={ruleHint(config)}
      onClose={onClose}
    />
  );
}
