import { Badge } from '../../ui/marks/badge.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { type Draft, readDraft, textOf } from './draft.ts';
import type { Setting } from './sections-of.ts';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/forms/select.tsx';

type Props = {
  setting: Setting;
  /** The value in force. */
  current: unknown;
  /** The overlay sets the value, on top of the base file and the environment. */
  overlaid: boolean;
  draft: Draft | undefined;
  onDraft: (draft: Draft | null) => void;
};

/** One setting with a suitable control, the source of its value, and a reset. */
export function SettingField(props: Props) {
  const { setting, current, overlaid, draft, onDraft } = props;
  return (
    <div class={draft === undefined ? 'setting' : 'setting edited'}>
      <Field
        label={setting.path}
        hint={setting.description}
        error={draft?.kind === 'wrong' ? draft.problem : null}
        control={(ids) => <Control {...props} ids={ids} />}
      />
      <div class="setting-marks">
        {draft !== undefined && (
          <>
            <Badge tone="warning" icon="dot">
              {draft.kind === 'reset' ? 'Will be reset' : 'Not saved'}
            </Badge>
            <Button small aria-label={`Undo ${setting.path}`} onClick={() => onDraft(null)}>
              Undo
            </Button>
          </>
        )}
        {draft === undefined && overlaid && (
          <>
            <Badge tone="info" icon="sliders">
              Overridden
            </Badge>
            <Button
              small
              aria-label={`Reset ${setting.path}`}
              onClick={() => onDraft({ kind: 'reset' })}
            >
              Reset
            </Button>
          </>
        )}
        {draft === undefined && isUnwritten(current) && setting.example !== undefined && (
          <Button
            small
            aria-label={`Insert an example of ${setting.path}`}
            onClick={() => onDraft(readDraft(setting, textOf(setting, setting.example)))}
          >
            Insert an example
          </Button>
        )}
        {setting.restart !== null && (
          <Badge tone="quiet" icon="retry">
            Requires a restart of the {setting.restart}
          </Badge>
        )}
      </div>
    </div>
  );
}

/** Whether the current value gives no example of how a list is written. */
function isUnwritten(current: unknown): boolean {
  return Array.isArray(current) && current.length === 0;
}

const SWITCH: Record<string, string> = { true: 'Yes', false: 'No' };

type Ids = { id: string; 'aria-describedby': string; 'aria-invalid': boolean };

function Control({ setting, current, draft, onDraft, ids }: Props & { ids: Ids }) {
  const shown =
    draft === undefined || draft.kind === 'reset' ? textOf(setting, current) : draft.text;
  const read = (text: string) => onDraft(readDraft(setting, text));
  if (setting.kind === 'switch' || setting.kind === 'choice') {
    const isSwitch = setting.kind === 'switch';
    const values = isSwitch ? Object.keys(SWITCH) : setting.options;
    const options = (values.includes(shown) ? values : [shown, ...values]).map(
      (value) => [value, (isSwitch && SWITCH[value]) || value] as const,
    );
    return <Select {...ids} options={options} value={shown} onChoose={read} />;
  }
  const isLong = setting.kind === 'lines' || setting.kind === 'json' || setting.path === 'prompt';
  const field = {
    ...ids,
    class: 'field mono',
    value: shown,
    spellcheck: false,
    autoComplete: 'off' as const,
    placeholder: current === null ? 'null' : current === undefined ? 'not set' : '',
  };
  if (isLong) {
    const rows = Math.min(14, Math.max(2, shown.split('\n').length));
    return <textarea {...field} rows={rows} onInput={(event) => read(event.currentTarget.value)} />;
  }
  const nullButton = setting.nullable && (
    <Button onClick={() => onDraft({ kind: 'value', text: '', value: null })}>None</Button>
  );
  return (
    <span class="setting-line">
      <input
        {...field}
        type="text"
        inputMode={setting.kind === 'number' ? 'decimal' : 'text'}
        onInput={(event) => read(event.currentTarget.value)}
      />
      {nullButton}
    </span>
  );
}
