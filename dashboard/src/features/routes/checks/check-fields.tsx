import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../../../ui/button.tsx';
import { Field } from '../../../ui/forms/field.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import {
  addDraft,
  type CheckDraft,
  type CheckFieldName,
  fieldKey,
  MAX_CHECKS,
  moveDraft,
  type RefusedChecks,
} from './check-draft.ts';
import './checks.css';

type CheckFieldsProps = {
  checks: readonly CheckDraft[];
  onChecks: (checks: readonly CheckDraft[]) => void;
  refused: RefusedChecks['fields'];
};

/** Fields for the commands that the repository's work must pass, in the order in which they run. */
export function CheckFields({ checks, onChecks, refused }: CheckFieldsProps) {
  const [removed, setRemoved] = useState<{ index: number; draft: CheckDraft } | null>(null);
  const [announcement, setAnnouncement] = useState('');
  const list = useRef<HTMLDivElement>(null);
  // The element to focus after reordering: a row that moves loses the focus.
  const wanted = useRef<string | null>(null);
  useLayoutEffect(() => {
    if (wanted.current === null) return;
    const control = list.current?.querySelector<HTMLElement>(`[data-act="${wanted.current}"]`);
    wanted.current = null;
    control?.focus();
  });
  const change = (next: readonly CheckDraft[], focus: string, message: string) => {
    wanted.current = focus;
    setRemoved(null);
    setAnnouncement(message);
    onChecks(next);
  };
  const add = () => {
    const next = addDraft(checks, null);
    change(next, `name-${next.at(-1)?.key}`, '');
  };
  const move = (index: number, to: number, draft: CheckDraft) => {
    const act = `${to < index ? 'up' : 'down'}-${draft.key}`;
    const next = moveDraft(checks, index, to);
    if (next !== checks) {
      change(next, act, `${nameOf(draft, to)} is check ${to + 1} of ${checks.length}.`);
    }
  };
  const remove = (index: number, draft: CheckDraft) => {
    change(checks.toSpliced(index, 1), 'undo', `${nameOf(draft, index)} removed.`);
    setRemoved({ index, draft });
  };
  const isFull = checks.length >= MAX_CHECKS;
  return (
    <div class="declared" ref={list}>
      <p class="quiet">
        Commands that the runner runs on finished work before its pull request opens; the output of
        one that fails goes back to the agent.
      </p>
      {checks.map((draft, index) => (
        <CheckRow
          key={draft.key}
          {...{ draft, index, refused }}
          count={checks.length}
          onChange={(part) => onChecks(checks.with(index, { ...draft, ...part }))}
          onMove={(to) => move(index, to, draft)}
          onRemove={() => remove(index, draft)}
        />
      ))}
      <p role="status" class={removed === null ? 'visually-hidden' : 'declared-removed'}>
        {announcement}
        {removed !== null && (
          <Button
            small
            icon="retry"
            data-act="undo"
            onClick={() => {
              const { index, draft } = removed;
              change(checks.toSpliced(index, 0, draft), `name-${draft.key}`, 'It is back.');
            }}
          >
            Undo
          </Button>
        )}
      </p>
      <Button icon="plus" small aria-disabled={isFull} onClick={() => isFull || add()}>
        Add a check
      </Button>
      {isFull && <p class="quiet">No more than {MAX_CHECKS} checks.</p>}
    </div>
  );
}

const nameOf = ({ name }: CheckDraft, index: number) => name.trim() || `Check ${index + 1}`;

type CheckRowProps = {
  draft: CheckDraft;
  index: number;
  count: number;
  refused: RefusedChecks['fields'];
  onChange: (part: Partial<CheckDraft>) => void;
  onMove: (to: number) => void;
  onRemove: () => void;
};

function CheckRow({ draft, index, count, refused, onChange, onMove, onRemove }: CheckRowProps) {
  const called = nameOf(draft, index);
  const common = (field: CheckFieldName) => ({
    value: draft[field],
    autoComplete: 'off' as const,
    spellcheck: false,
    onInput: (event: { currentTarget: { value: string } }) =>
      onChange({ [field]: event.currentTarget.value }),
  });
  const error = (field: CheckFieldName) => refused.get(fieldKey(draft, field)) ?? null;
  const place = (by: -1 | 1) => ({
    'data-act': `${by < 0 ? 'up' : 'down'}-${draft.key}`,
    'aria-disabled': index + by < 0 || index + by >= count,
    onClick: () => onMove(index + by),
  });
  return (
    <fieldset class="declared-check">
      <legend>Check {index + 1}</legend>
      <Field
        label="Name"
        error={error('name')}
        control={(ids) => (
          <input
            {...{ ...ids, ...common('name') }}
            data-act={`name-${draft.key}`}
            class="field"
            maxLength={64}
            placeholder="test"
          />
        )}
      />
      <Field
        label="Limit in minutes"
        error={error('minutes')}
        control={(ids) => (
          <input
            {...{ ...ids, ...common('minutes') }}
            class="field"
            inputMode="decimal"
            pattern="[0-9]*[.]?[0-9]*"
            title="A number"
            maxLength={10}
            placeholder="10"
          />
        )}
      />
      <div class="declared-command">
        <Field
          label="Command"
          error={error('command')}
          control={(ids) => (
            <textarea
              {...{ ...ids, ...common('command') }}
              class="field mono"
              rows={1}
              maxLength={4_000}
              placeholder="npm test"
            />
          )}
        />
      </div>
      <div class="declared-buttons">
        <IconButton icon="up" label={`Move ${called} up`} {...place(-1)} />
        <IconButton icon="down" label={`Move ${called} down`} {...place(1)} />
        <IconButton icon="close" label={`Remove ${called}`} onClick={onRemove} />
      </div>
    </fieldset>
  );
}
