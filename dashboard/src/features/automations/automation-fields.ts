import { shownRepository } from '@switchyard/shared/text/repository-url';
import { valueAt } from '../config/value-at.ts';
import { PRIORITIES } from '../../ui/marks/priority-mark.tsx';
import { type Row, type RowField, rowsAt, type TextAt } from '../config/rows/row-fields.ts';

/** Path of the automations in the configuration. */
export const AUTOMATIONS_PATH = 'automations';

const isAgentWork = (textAt: TextAt) => textAt('mode') !== 'refresh';
const isImplement = (textAt: TextAt) => textAt('mode') === 'implement';

/** The fields of an automation's form. */
export function automationFields(config: Record<string, unknown>): RowField[] {
  const hasTracker = valueAt(config, 'tracker.kind') !== 'local';
  const repositories = rowsAt(config, 'repos').map((route) => String(route['url']));
  return [
    { path: 'name', label: 'Name', kind: 'name', required: true, placeholder: 'dependencies' },
    {
      path: 'mode',
      label: 'What it does',
      kind: 'choice',
      options: [
        ['implement', 'Creates an issue and works on it'],
        ['report', 'Reads code and writes a report'],
        [
          'refresh',
          hasTracker ? 'Syncs with the tracker' : 'Syncs with a tracker (none connected)',
        ],
      ],
    },
    {
      path: 'schedule',
      label: 'Schedule (cron expression)',
      kind: 'name',
      required: true,
      wide: true,
    },
    {
      path: 'timeZone',
      label: 'Time zone',
      kind: 'name',
      proposals: Intl.supportedValuesOf('timeZone'),
      placeholder: 'UTC',
    },
    { path: 'enabled', label: 'Enabled', kind: 'switch' },
    {
      path: 'prompt',
      label: 'What to do',
      kind: 'long',
      wide: true,
      required: true,
      placeholder: 'Bring all dependencies up to date and run the tests.',
      appliesTo: isAgentWork,
    },
    {
      path: 'title',
      label: 'Title of the issue',
      kind: 'text',
      hint: 'Empty: the name.',
      appliesTo: isAgentWork,
    },
    {
      path: 'repo',
      label: 'Repository',
      kind: 'choice',
      options: [
        ['', 'By its labels, or the only one'],
        ...[...new Set(repositories)].map((url) => [url, shownRepository(url)] as const),
      ],
      appliesTo: (textAt) => textAt('mode') === 'report',
    },
    {
      path: 'priority',
      label: 'Priority',
      kind: 'choice',
      options: [
        ['', 'Not set'],
        ...PRIORITIES.map(({ value, label }) => [String(value), label] as const),
      ],
      appliesTo: isImplement,
    },
    {
      path: 'labels',
      label: 'Labels',
      kind: 'lines',
      hint: 'One per line.',
      wide: true,
      appliesTo: isAgentWork,
    },
    {
      path: 'missedRunPolicy',
      label: 'A run missed during downtime',
      kind: 'choice',
      options: [
        ['run_once', 'Runs once, if it is not too late'],
        ['skip', 'Is skipped'],
      ],
    },
    {
      path: 'missedRunGraceMs',
      label: 'Too late after (minutes)',
      kind: 'minutes',
      appliesTo: (textAt) => textAt('missedRunPolicy') !== 'skip',
    },
  ];
}

/** Initial values of a new automation: the defaults, in the person's time zone. */
export function newAutomation(): Row {
  return {
    schedule: '0 9 * * 1-5',
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    mode: 'implement',
    enabled: true,
    missedRunPolicy: 'run_once',
    missedRunGraceMs: 3_600_000,
  };
}
