import { SelectField } from '../../ui/forms/select.tsx';
import { cronOf, type PlainSchedule, readSchedule, WEEK } from './read-schedule.ts';

const EVERY = {
  custom: 'As the expression says',
  hours: 'Every hour',
  day: 'Every day',
  weekday: 'Every weekday',
  week: 'Every week',
  month: 'Every month',
} as const;
type Every = keyof typeof EVERY;

const MONTH_DAYS = Array.from({ length: 31 }, (_, day) => String(day + 1));
const START = { time: '09:00', weekDay: 1, monthDay: 1 };

/** Selects a schedule from choices and writes its cron expression, which is more general. */
export function SchedulePicker(props: { cron: string; onCron: (cron: string) => void }) {
  const schedule = readSchedule(props.cron);
  const every = choiceOf(schedule);
  const time = (schedule !== null && 'times' in schedule && schedule.times[0]) || START.time;
  const [day] = schedule !== null && 'days' in schedule ? schedule.days : [];
  const write = (next: PlainSchedule) => props.onCron(cronOf(next));
  const choose = (next: Every) => {
    const times = [time];
    if (next === 'hours') write({ every: next, count: 1, minute: 0 });
    if (next === 'day' || next === 'weekday') write({ every: next, times });
    if (next === 'week') write({ every: next, days: [START.weekDay], times });
    if (next === 'month') write({ every: next, days: [START.monthDay], times });
  };
  const isAtTime = every !== 'custom' && every !== 'hours';
  return (
    <div class="schedule-picker">
      <SelectField
        label="Repeats"
        // A choice that only an expression can represent is offered only while it is in use.
        options={(Object.keys(EVERY) as Every[])
          .filter((each) => each !== 'custom' || every === 'custom')
          .map((each) => [each, EVERY[each]] as const)}
        value={every}
        onChoose={(next) => choose(next as Every)}
      />
      {(every === 'week' || every === 'month') && (
        <SelectField
          label="On"
          options={every === 'week' ? WEEK : MONTH_DAYS.map((each) => [each, `Day ${each}`])}
          value={String(day)}
          onChoose={(next) => write({ every, days: [Number(next)], times: [time] })}
        />
      )}
      {isAtTime && schedule !== null && (
        <label class="stack">
          At
          <input
            class="field"
            type="time"
            value={time}
            onInput={({ currentTarget: { value } }) =>
              value !== '' && write({ ...schedule, times: [value] } as PlainSchedule)
            }
          />
        </label>
      )}
    </div>
  );
}

/**
 * The choice for a schedule; `custom` for one with several times or days, which the choices lack.
 */
function choiceOf(schedule: PlainSchedule | null): Every {
  if (schedule === null || schedule.every === 'minutes') return 'custom';
  if (schedule.every === 'hours') {
    return schedule.count === 1 && schedule.minute === 0 ? 'hours' : 'custom';
  }
  const isOne =
    schedule.times.length === 1 && (!('days' in schedule) || schedule.days.length === 1);
  return isOne ? schedule.every : 'custom';
}
