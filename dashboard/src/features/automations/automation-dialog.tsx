import { type Row } from '../config/rows/row-fields.ts';
import { RowDialog } from '../config/rows/row-dialog.tsx';
import { AUTOMATIONS_PATH, automationFields, newAutomation } from './automation-fields.ts';
import { automationsQuery } from './queries.ts';
import { scheduleText } from './read-schedule.ts';
import { SchedulePicker } from './schedule-picker.tsx';

const NO_WORDS = 'Minute, hour, day of the month, month, day of the week.';

/** The form of one automation; an automation of null is a new one. */
export function AutomationDialog(props: {
  row: Row | null;
  config: Record<string, unknown>;
  onClose: () => void;
}) {
  const { row, config, onClose } = props;
  return (
    <RowDialog
      what="automation"
      listPath={AUTOMATIONS_PATH}
      fields={automationFields(config)}
      row={row}
      start={newAutomation()}
      stale={[automationsQuery.queryKey]}
      above={(path, textAt, setText) =>
        path === 'schedule' && (
          <SchedulePicker cron={textAt('schedule')} onCron={(cron) => setText('schedule', cron)} />
        )
      }
      hint={(path, textAt) => {
        if (path !== 'schedule') return undefined;
        const schedule = scheduleText(textAt('schedule'));
        return schedule === null ? NO_WORDS : `${schedule}, ${textAt('timeZone') || 'UTC'}`;
      }}
      onClose={onClose}
    />
  );
}
