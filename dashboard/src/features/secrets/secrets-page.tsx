import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'preact/hooks';
import { ConfirmButton } from '../../ui/overlays/confirm-button.tsx';
import { Icon } from '../../ui/marks/icon.tsx';
import { ListPage } from '../../ui/data/list-page.tsx';
import { LoadMore } from '../../ui/data/load-more.tsx';
import { EmptyState } from '../../ui/data/query-view.tsx';
import { showToast } from '../../ui/overlays/toasts.tsx';
import { configQuery } from '../config/queries.ts';
import { deleteSecret, secretsQuery } from './queries.ts';
import { SecretForm } from './secret-form.tsx';
import { usesOfSecrets } from './uses-of-secrets.ts';
import { Button } from '../../ui/button.tsx';

/** Stored secrets by name. Values can be written, never read. */
export function SecretsPage() {
  const query = useInfiniteQuery(secretsQuery);
  /** Name of the secret whose value is being entered; empty for a new one. */
  const [editing, setEditing] = useState<string | null>(null);
  const keys = query.data?.pages.flatMap((page) => page.keys) ?? [];
  const add = (
    <Button icon="plus" primary onClick={() => setEditing('')}>
      Add a secret
    </Button>
  );
  return (
    <>
      <ListPage
        title="Secrets"
        about="Stored encrypted and never shown again. The configuration refers to one as $SECRET:NAME."
        actions={add}
        query={query}
        isEmpty={() => keys.length === 0}
        empty={
          <EmptyState icon="key" title="No secrets">
            <p>Store keys of model providers, trackers, code hosts and channels here.</p>
            {add}
          </EmptyState>
        }
      >
        {() => (
          <>
            <ul class="rows panel">
              {keys.map((name) => (
                <SecretRow key={name} name={name} onReplace={() => setEditing(name)} />
              ))}
            </ul>
            <LoadMore query={query} shown={keys.length} total={query.data?.pages[0]?.total ?? 0} />
          </>
        )}
      </ListPage>
      {editing !== null && <SecretForm name={editing} onClose={() => setEditing(null)} />}
    </>
  );
}

function SecretRow({ name, onReplace }: { name: string; onReplace: () => void }) {
  const client = useQueryClient();
  const config = useQuery(configQuery);
  const uses = usesOfSecrets(config.data).get(name) ?? [];
  const remove = async () => {
    await deleteSecret(name);
    showToast(`${name} deleted.`);
    await client.invalidateQueries({ queryKey: secretsQuery.queryKey });
  };
  return (
    <li>
      <Icon name="key" />
      <div class="grow wrap">
        <p class="mono">
          <strong>{name}</strong>
        </p>
        <p class="quiet">
          {config.data === undefined
            ? 'Checking usage'
            : uses.length === 0
              ? 'Not used in the configuration'
              : `Used by ${uses.join(', ')}`}
        </p>
      </div>
      <Button small aria-label={`Replace ${name}`} onClick={onReplace}>
        Replace
      </Button>
      <ConfirmButton
        label="Delete"
        about={name}
        small
        question={`Delete ${name}?`}
        explanation={
          uses.length === 0
            ? 'The value cannot be recovered.'
            : `The value cannot be recovered, and ${uses.join(', ')} will have none.`
        }
        confirmLabel="Delete secret"
        danger
        action={remove}
      />
    </li>
  );
}
