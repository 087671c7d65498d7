import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'preact/hooks';
import { Modal } from '../../ui/overlays/modal.tsx';
import { Problem } from '../../ui/marks/problem.tsx';
import { showToast } from '../../ui/overlays/toast.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { formText } from '../../ui/forms/form-text.ts';
import { secretsQuery, setSecret } from './queries.ts';
import { Button } from '../../ui/button.tsx';
import './secrets.css';

/** Takes a value for a name; neither form nor service shows it again. */
export function SecretForm({ name, onClose }: { name: string; onClose: () => void }) {
  const client = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const save = useMutation({
    mutationFn: ({ key, value }: { key: string; value: string }) => setSecret(key, value),
    onSuccess: async (_done, { key }) => {
      showToast(`${key} saved.`);
      await client.invalidateQueries({ queryKey: secretsQuery.queryKey });
      onClose();
    },
  });
  const submit = () => {
    if (form.current === null) return;
    const key = name === '' ? formText(form.current, 'key').trim() : name;
    save.mutate({ key, value: formText(form.current, 'value') });
  };
  return (
    <Modal title={name === '' ? 'Add a secret' : `Replace ${name}`} narrow onClose={onClose}>
      <form
        ref={form}
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        {name === '' && (
          <Field
            label="Name"
            hint="Letters, digits, _ . and -"
            control={(ids) => (
              <input
                {...ids}
                class="field mono"
                name="key"
                required
                maxLength={200}
                pattern="[A-Za-z0-9_][A-Za-z0-9_.\-]*"
                placeholder="MODEL_KEY"
                autoFocus
                autoComplete="off"
                spellcheck={false}
              />
            )}
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
        <Problem error={save.error} />
        <footer>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" primary disabled={save.isPending}>
            {save.isPending ? 'Saving' : 'Save'}
          </Button>
        </footer>
      </form>
    </Modal>
  );
}
