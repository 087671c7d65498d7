import { cutText } from '@switchyard/shared/text/cut-text';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import {
  addRow,
  afterHint,
  fieldKey,
  MAX_SUB_ISSUES,
  type RefusedRows,
  removeRow,
  sentRows,
  type SplitDraft,
  type SplitFieldName,
} from './split-draft.ts';
import './split-rows.css';

type SplitRowsProps = {
  rows: readonly SplitDraft[];
  onRows: (rows: readonly SplitDraft[]) => void;
  refused: RefusedRows['fields'];
  /** When the rows that were refused last were sent; null: the last ones were not. */
  refusedAtMs: number | null;
};

/** Of a title where it names its row. */
const NAME_MAX_CHARS = 60;

/** A row that was removed last, and all rows before that. */
type Removed = { key: number | undefined; name: string; before: readonly SplitDraft[] };

/** Fields for the sub-issues, each with its number, by which the others refer to it. */
export function SplitRows({ rows, onRows, refused, refusedAtMs }: SplitRowsProps) {
  const [removed, setRemoved] = useState<Removed | null>(null);
  const list = useRef<HTMLDivElement>(null);
  const focusNext = useFocusNext(list);
  // Once per refusal: what is corrected must not move the focus to the next refused field.
  useLayoutEffect(() => {
    if (refusedAtMs === null) return;
    list.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [refusedAtMs]);
  const change = (next: readonly SplitDraft[], focus: string | null = null) => {
    focusNext(focus);
    setRemoved(null);
    onRows(next);
  };
  const add = () => {
    const next = addRow(rows);
    change(next, `title-${next.at(-1)?.key}`);
  };
  const remove = (index: number) => {
    change(removeRow(rows, index), 'undo');
    setRemoved({ key: rows[index]?.key, name: nameOf(rows, index), before: rows });
  };
  const isFull = rows.length >= MAX_SUB_ISSUES;
  const sent = sentRows(rows).length;
  return (
    <div class="split-rows" ref={list}>
      {rows.map((row, index) => (
        <SplitRow
          key={row.key}
          {...{ row, index, rows, refused }}
          isSent={index < sent}
          onChange={(part) => change(rows.with(index, { ...row, ...part }))}
          onNext={() => {
            const next = rows[index + 1];
            if (next !== undefined) focusNow(list.current, `title-${next.key}`);
            else if (!isFull) add();
          }}
          onRemove={rows.length > 1 ? () => remove(index) : null}
        />
      ))}
      <p role="status" class={removed === null ? 'visually-hidden' : 'split-removed'}>
        {removed !== null && (
          <>
            {removed.name} removed.
            <Button
              small
              icon="retry"
              data-act="undo"
              onClick={() => change(removed.before, `title-${removed.key}`)}
            >
              Undo
            </Button>
          </>
        )}
      </p>
      <Button icon="plus" small aria-disabled={isFull} onClick={() => isFull || add()}>
        Add a sub-issue
      </Button>
      {isFull && <p class="quiet">No more than {MAX_SUB_ISSUES} at once.</p>}
    </div>
  );
}

/** Focuses the control that is named once it is on the page. */
function useFocusNext(list: { current: HTMLElement | null }): (act: string | null) => void {
  const wanted = useRef<string | null>(null);
  useLayoutEffect(() => {
    if (wanted.current === null) return;
    focusNow(list.current, wanted.current);
    wanted.current = null;
  });
  return (act) => (wanted.current = act);
}

function focusNow(list: HTMLElement | null, act: string): void {
  list?.querySelector<HTMLElement>(`[data-act="${act}"]`)?.focus();
}

const nameOf = (rows: readonly SplitDraft[], index: number) =>
  cutText(rows[index]?.title.trim() ?? '', NAME_MAX_CHARS, '…') || `Sub-issue #${index + 1}`;

const AFTER_HINT =
  'What must end first: identifiers of issues, or #2 for the sub-issue of that number';

type SplitRowProps = Pick<SplitRowsProps, 'rows' | 'refused'> & {
  row: SplitDraft;
  index: number;
  /** An empty row at the end is not sent, so that nothing in it is required. */
  isSent: boolean;
  onChange: (part: Partial<SplitDraft>) => void;
  onNext: () => void;
  /** Null: the only row. */
  onRemove: (() => void) | null;
};

function SplitRow(props: SplitRowProps) {
  const { row, rows, index, isSent, refused, onChange, onNext, onRemove } = props;
  const common = (field: SplitFieldName) => ({
    value: row[field],
    class: 'field',
    onInput: (event: { currentTarget: { value: string } }) =>
      onChange({ [field]: event.currentTarget.value }),
  });
  const error = (field: SplitFieldName) => refused.get(fieldKey(row, field)) ?? null;
  // Enter must not create what is only begun.
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.ctrlKey || event.metaKey || event.isComposing) return;
    event.preventDefault();
    onNext();
  };
  return (
    <fieldset class="split-row">
      <legend>
        <span class="visually-hidden">Sub-issue </span>
        <span class="mono">#{index + 1}</span>
      </legend>
      <div class="split-title">
        <Field
          label="Title"
          error={error('title')}
          control={(ids) => (
            <input
              {...{ ...ids, ...common('title') }}
              type="text"
              data-act={`title-${row.key}`}
              autoComplete="off"
              autoFocus={index === 0}
              required={isSent}
              maxLength={500}
              onKeyDown={onKeyDown}
            />
          )}
        />
        {onRemove !== null && (
          <IconButton icon="close" label={`Remove ${nameOf(rows, index)}`} onClick={onRemove} />
        )}
      </div>
      <Field
        label="Description"
        error={error('description')}
        control={(ids) => (
          <textarea
            {...{ ...ids, ...common('description') }}
            rows={2}
            maxLength={100_000}
            placeholder="What to change, and how to verify the result"
          />
        )}
      />
      <Field
        label="After"
        hint={
          afterHint(rows, row.after) ?? (index === 0 && row.after === '' ? AFTER_HINT : undefined)
        }
        error={error('after')}
        control={(ids) => (
          <input
            {...{ ...ids, ...common('after') }}
            type="text"
            autoComplete="off"
            spellcheck={false}
            maxLength={3_000}
            placeholder={index === 0 ? 'SY-3' : `#${index}, SY-3`}
            onKeyDown={onKeyDown}
          />
        )}
      />
    </fieldset>
  );
}
