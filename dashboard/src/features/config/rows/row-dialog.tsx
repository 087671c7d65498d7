import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import type { ComponentChildren } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { ApiError } from '../../../api/api.ts';
import { Field } from '../../../ui/forms/field.tsx';
import { forgetDraft } from '../../../ui/forms/drafts.ts';
import { formText } from '../../../ui/forms/form-text.ts';
import { Select } from '../../../ui/forms/select.tsx';
import { FormDialog } from '../../../ui/overlays/form-dialog.tsx';
import { showToast } from '../../../ui/overlays/toasts.tsx';
import { configQuery, overlayQuery } from '../queries.ts';
import { changeRow } from './change-rows.ts';
import {
  fieldAt,
  type Row,
  type RowField,
  rowFromTexts,
  SWITCH_LABELS,
  type TextAt,
  textInRow,
} from './row-fields.ts';
import { useFieldTexts } from './use-field-texts.ts';
import './rows.css';

const MAX_CHARS = { text: 2_048, long: 50_000 };
const NUMBER = '-?[0-9]*[.]?[0-9]*';

/** Why the fields of a form were refused, by path; `rest` belongs to no field. */
type Refused = { fields: ReadonlyMap<string, string>; rest: unknown };

type DialogProps = {
  /** Kind of the entry, for the title of a new one. */
  what: string;
  /** Path of the list in the configuration. */
  listPath: string;
  fields: readonly RowField[];
  /** The entry; null: a new one, with the values of `start`. */
  row: Row | null;
  start: Row;
  /** A hint below a field in place of its own, from the form's current content. */
  hint?: (path: string, textAt: TextAt) => string | undefined;
  /** An alternative input above a field. */
  above?: (
    path: string,
    textAt: TextAt,
    setText: (path: string, text: string) => void,
  ) => ComponentChildren;
  /** Queries that saving makes stale. */
  stale?: readonly QueryKey[];
  onClose: () => void;
};

/** The form of one entry of a list in the configuration. Its content is kept until it is saved. */
export function RowDialog(props: DialogProps) {
  const { listPath, fields, onClose } = props;
  // The shown entry stays while others change the configuration.
  const [shown] = useState(props.row);
  const from = shown ?? props.start;
  const name = shown === null ? null : String(shown['name']);
  const draft = `${listPath}/${name ?? 'new'}`;
  const client = useQueryClient();
  const index = useRef(-1);
  const save = useMutation({
    mutationFn: (form: HTMLFormElement) => {
      const after = rowFromTexts(fields, from, (path) => formText(form, path));
      return changeRow(listPath, { before: shown, after }, (at) => (index.current = at));
    },
    onSuccess: async (_nothing, form) => {
      forgetDraft(draft);
      const keys = [configQuery.queryKey, overlayQuery.queryKey, ...(props.stale ?? [])];
      await Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })));
      showToast(`${formText(form, 'name')} saved.`);
      onClose();
    },
    onError: (error, form) => {
      const [first] = refusedFields(fields, `${listPath}.${index.current}`, error).fields.keys();
      const field = first !== undefined && form.elements.namedItem(first);
      if (field instanceof HTMLElement) field.focus();
    },
  });
  const refused = refusedFields(fields, `${listPath}.${index.current}`, save.error);
  return (
    <FormDialog
      title={name === null ? `New ${props.what}` : `Edit ${name}`}
      wide
      draft={draft}
      submitLabel="Save"
      busyLabel="Saving"
      of={{ isPending: save.isPending, error: refused.rest }}
      onSubmit={(form) => save.mutate(form)}
      onClose={onClose}
    >
      <RowFields {...{ fields, from, refused }} hint={props.hint} above={props.above} />
    </FormDialog>
  );
}

function RowFields(props: {
  fields: readonly RowField[];
  from: Row;
  refused: Refused;
  hint: DialogProps['hint'];
  above: DialogProps['above'];
}) {
  const { fields, from, refused, hint, above } = props;
  const inside = useRef<HTMLDivElement>(null);
  const texts = useFieldTexts(
    inside,
    Object.fromEntries(fields.map((field) => [field.path, textInRow(field, from)])),
  );
  const textAt = (path: string) => texts[path] ?? '';
  const setText = (path: string, text: string) => {
    const field = inside.current?.closest('form')?.elements.namedItem(path);
    if (!(field instanceof HTMLInputElement)) return;
    field.value = text;
    field.dispatchEvent(new Event('input', { bubbles: true }));
  };
  return (
    <div class="row-form" ref={inside}>
      {fields.map((field) => {
        const applies = field.appliesTo?.(textAt) ?? true;
        return (
          <div key={field.path} hidden={!applies} class={field.wide === true ? 'wide' : ''}>
            {above?.(field.path, textAt, setText)}
            <Field
              label={field.label}
              hint={hint?.(field.path, textAt) ?? field.hint}
              error={refused.fields.get(field.path) ?? null}
              control={(ids) => <Control {...{ field, from, applies, ids }} />}
            />
          </div>
        );
      })}
    </div>
  );
}

type Ids = { id: string; 'aria-describedby': string; 'aria-invalid': boolean };

function Control(props: { field: RowField; from: Row; applies: boolean; ids: Ids }) {
  const { field, from, applies, ids } = props;
  const listId = useId();
  const text = textInRow(field, from);
  const common = { ...ids, name: field.path, defaultValue: text };
  if (field.kind === 'choice' || field.kind === 'switch') {
    const options = field.options ?? SWITCH_LABELS;
    // A current value that is not among the options stays selectable.
    const isKnown = options.some(([value]) => value === text);
    return <Select {...common} options={isKnown ? options : [[text, text], ...options]} />;
  }
  const written = {
    ...common,
    autoComplete: 'off' as const,
    placeholder: field.placeholder ?? '',
    required: applies && field.required === true,
  };
  if (field.kind === 'long' || field.kind === 'lines') {
    const rows = field.kind === 'long' ? 6 : 2;
    return <textarea {...written} class="field" rows={rows} maxLength={MAX_CHARS.long} />;
  }
  const isNumber = field.kind === 'number' || field.kind === 'minutes';
  return (
    <>
      <input
        {...written}
        type="text"
        class={field.kind === 'name' ? 'field mono' : 'field'}
        spellcheck={false}
        maxLength={MAX_CHARS.text}
        {...(isNumber && { inputMode: 'decimal' as const, pattern: NUMBER, title: 'A number' })}
        {...(field.proposals !== undefined && { list: listId })}
      />
      {field.proposals !== undefined && (
        <datalist id={listId}>
          {field.proposals.map((value) => (
            <option key={value} value={value} />
          ))}
        </datalist>
      )}
    </>
  );
}

function refusedFields(fields: readonly RowField[], entry: string, error: unknown): Refused {
  if (!(error instanceof ApiError)) return { fields: new Map(), rest: error };
  const placed = error.details.map(({ path, message }) => {
    const field = path.startsWith(`${entry}.`)
      ? fieldAt(fields, path.slice(entry.length + 1))
      : null;
    return [field, message] as const;
  });
  // Errors in the order of the form, with the first message for each field.
  const found = fields.flatMap((field) => {
    const [, message] = placed.find(([path]) => path === field.path) ?? [];
    return message === undefined ? [] : [[field.path, message] as const];
  });
  // When a message belongs to no field, all messages are shown below the form.
  const isAll = placed.length > 0 && placed.every(([path]) => path !== null);
  return { fields: new Map(found), rest: isAll ? null : error };
}
