import { useMutation, useQueryClient } from '@tanstack/react-query';
import { showToast } from '../../ui/overlays/toasts.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { textIn, formText } from '../../ui/forms/form-text.ts';
import { secretsQuery, setSecret } from './queries.ts';
import { TextField } from '../../ui/forms/text-field.tsx';
import { FormDialog } from '../../ui/overlays/form-dialog.tsx';
import './secrets.css';

/** Stores a value under a name; neither form nor service ever shows it again. */
export function SecretForm({ name, onClose }: { name: string; onClose: () => void }) {
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: ({ key, value }: { key: string; value: string }) => setSecret(key, value),
    onSuccess: async (_done, { key }) => {
      showToast(`${key} saved.`);
      await client.invalidateQueries({ queryKey: secretsQuery.queryKey });
      onClose();
    },
  });
  const submit = (form: HTMLFormElement) => {
    const key = name === '' ? textIn(form, 'key') : name;
    save.mutate({ key, value: formText(form, 'value') });
  };
  return (
    <FormDialog
      title={name === '' ? 'Add a secret' : `Replace ${name}`}
      submitLabel="Save"
      busyLabel="Saving"
      of={save}
      onClose={onClose}
      onSubmit={submit}
    >
      {name === '' && (
        <TextField
          label="Name"
          hint="Letters, digits, _ . and -"
          name="key"
          required
          maxLength={200}
          pattern="[A-Za-z0-9_][A-Za-z0-9_.\-]*"
          placeholder="MODEL_KEY"
          autoFocus
          spellcheck={false}
        />
      )}
      <Field
        label="Value"
        hint="May have several lines. It is not shown again."
        control={(ids) => (
          <textarea
            {...ids}
            class="field mono secret-value"
            name="value"
            rows={3}
            required
            maxLength={65_536}
            autoFocus={name !== ''}
            autoComplete="off"
            spellcheck={false}
          />
        )}
      />
    </FormDialog>
  );
}
