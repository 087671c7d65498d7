import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'preact/hooks';
import { runtimeQuery } from '../../../api/queries.ts';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Field } from '../../../ui/forms/field.tsx';
import { Icon } from '../../../ui/marks/icon.tsx';
import { Ago } from '../../../ui/marks/moment.tsx';
import { SubmitRow } from '../../../ui/forms/submit-row.tsx';
import { confirmMasterKey, renewSetup, type Setup } from '../queries.ts';

/** Where the key is, how to copy it, and a way to prove that the copy is good. */
export function MasterKeyStep({ setup }: { setup: Setup }) {
  const client = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const { keptIn, keyId, confirmedAt } = setup.masterKey;
  const confirm = useMutation({
    mutationFn: confirmMasterKey,
    onSuccess: async () => {
      form.current?.reset();
      await renewSetup(client);
    },
  });
  return (
    <>
      {keptIn === 'file' ? <KeyFile /> : <KeyVariable />}
      {confirmedAt !== null && (
        <p class="note good">
          <Icon name="completed" size={14} />
          <span>
            A copy of the key {keyId} is kept elsewhere; said <Ago at={confirmedAt} />.
          </span>
        </p>
      )}
      <form
        ref={form}
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          const given = new FormData(event.currentTarget).get('key');
          const key = typeof given === 'string' ? given.trim() : '';
          confirm.mutate(key === '' ? undefined : key);
        }}
      >
        <Field
          label="Your copy (not needed)"
          hint="Compared with the key in use and forgotten at once: shows that the copy is good."
          control={(ids) => (
            <input
              {...ids}
              class="field mono"
              type="password"
              name="key"
              maxLength={200}
              autoComplete="off"
            />
          )}
        />
        <SubmitRow
          label="I keep a copy"
          busy="Comparing"
          plain={confirmedAt !== null}
          pending={confirm.isPending}
          error={confirm.error}
        />
      </form>
    </>
  );
}

function KeyFile() {
  const folder = useQuery(runtimeQuery).data?.data_dir ?? null;
  if (folder === null) return <p>It is the file master.key in the service's data folder.</p>;
  const command = `cat '${folder.replaceAll("'", `'\\''`)}/master.key'`;
  return (
    <>
      <p>On the machine of the service, show it and put it into your password manager:</p>
      <div class="command">
        <code>{command}</code>
        <CopyButton text={command} />
      </div>
      <p class="quiet">
        The first line is the one in use. This page never shows the key: whoever may open it here
        need not be who may read your secrets.
      </p>
    </>
  );
}

function KeyVariable() {
  return (
    <p>
      It comes from <code>SERVICE_MASTER_KEY</code> in the service's environment. Keep that value in
      your password manager too: a deployment can be lost together with its variables.
    </p>
  );
}
