import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'preact/hooks';
import { runtimeQuery } from '../../../api/queries.ts';
import { CommandLine } from '../../../ui/command-line.tsx';
import { Icon } from '../../../ui/marks/icon.tsx';
import { Ago } from '../../../ui/marks/ago.tsx';
import { SubmitRow } from '../../../ui/forms/submit-row.tsx';
import { confirmMasterKey, refreshSetup, type Setup } from '../queries.ts';
import { Form } from '../../../ui/forms/form.tsx';
import { TextField } from '../../../ui/forms/text-field.tsx';

/** Location of the master key, how to copy it, and a form that verifies a copy. */
export function MasterKeyStep({ setup }: { setup: Setup }) {
  const client = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const { keptIn, keyId, confirmedAt } = setup.masterKey;
  const confirm = useMutation({
    mutationFn: confirmMasterKey,
    onSuccess: async () => {
      form.current?.reset();
      await refreshSetup(client);
    },
  });
  return (
    <>
      {keptIn === 'file' ? <KeyFile /> : <KeyVariable />}
      {confirmedAt !== null && (
        <p class="note good">
          <Icon name="completed" size={14} />
          <span>
            Backup of key {keyId} confirmed <Ago at={confirmedAt} />.
          </span>
        </p>
      )}
      <Form
        formRef={form}
        onSubmit={(element) => {
          const given = new FormData(element).get('key');
          const key = typeof given === 'string' ? given.trim() : '';
          confirm.mutate(key === '' ? undefined : key);
        }}
      >
        <TextField
          label="Verify backup (optional)"
          hint="Compared with the key in use and not stored."
          type="password"
          name="key"
          maxLength={200}
        />
        <SubmitRow
          label="I've saved a backup"
          busy="Verifying"
          plain={confirmedAt !== null}
          of={confirm}
        />
      </Form>
    </>
  );
}

function KeyFile() {
  const folder = useQuery(runtimeQuery).data?.data_dir ?? null;
  if (folder === null) return <p>The key is the file master.key in the service's data folder.</p>;
  const command = `cat '${folder.replaceAll("'", `'\\''`)}/master.key'`;
  return (
    <>
      <p>On the service's machine, print the key and store it in your password manager:</p>
      <CommandLine command={command} />
      <p class="quiet">
        The first line is the active key. This page never shows it, because access to the dashboard
        is not access to your secrets.
      </p>
    </>
  );
}

function KeyVariable() {
  return (
    <p>
      The key comes from <code>SERVICE_MASTER_KEY</code> in the service's environment. Store it in
      your password manager too: a deployment can be lost together with its variables.
    </p>
  );
}
