import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useId, useRef } from 'preact/hooks';
import { secretsQuery } from '../secrets/queries.ts';
import { emptyGrant, type GrantDraft } from './grant-draft.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField } from '../../ui/forms/select.tsx';

/**
 * Fields for the stored secrets that the repository's work may use, with their hosts and headers.
 */
export function GrantFields(props: {
  grants: GrantDraft[];
  onGrants: (grants: GrantDraft[]) => void;
}) {
  const { grants, onGrants } = props;
  const known = useId();
  const names = useInfiniteQuery(secretsQuery).data?.pages.flatMap((page) => page.keys) ?? [];
  const change = (key: number, part: Partial<GrantDraft>) =>
    onGrants(grants.map((one) => (one.key === key ? { ...one, ...part } : one)));
  const nextKey = Math.max(0, ...grants.map(({ key }) => key)) + 1;
  return (
    <div class="grants">
      <datalist id={known}>
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {grants.map((grant, index) => (
        <Grant
          key={grant.key}
          number={index + 1}
          names={known}
          grant={grant}
          onChange={(part) => change(grant.key, part)}
          onRemove={() => onGrants(grants.filter(({ key }) => key !== grant.key))}
        />
      ))}
      <Button icon="key" small onClick={() => onGrants([...grants, emptyGrant(nextKey)])}>
        Grant a secret
      </Button>
      {grants.length > 0 && (
        <p class="quiet">
          The runner&apos;s proxy adds it to requests to these hosts; the agent never sees it.
        </p>
      )}
    </div>
  );
}

const SCHEMES: [GrantDraft['scheme'], string][] = [
  ['bearer', 'Bearer token'],
  ['basic', 'User and password'],
  ['plain', 'Raw value'],
];
const PURPOSES: [string, string][] = [
  ['reads', 'Reading'],
  ['writes', 'Reading and writing'],
];

type GrantProps = {
  number: number;
  /** Id of the element with the names of stored secrets. */
  names: string;
  grant: GrantDraft;
  onChange: (part: Partial<GrantDraft>) => void;
  onRemove: () => void;
};

function Grant({ number, names, grant, onChange, onRemove }: GrantProps) {
  const fieldset = useRef<HTMLFieldSetElement>(null);
  useEffect(() => fieldset.current?.querySelector('input')?.focus(), []);
  const text = (label: string, field: 'secret' | 'hosts' | 'header' | 'user', hint: string) => (
    <label class={field === 'hosts' ? 'stack grow' : 'stack'}>
      {label}
      <input
        class="field mono"
        required={field !== 'header'}
        list={field === 'secret' ? names : undefined}
        maxLength={field === 'hosts' ? 2_048 : 200}
        placeholder={hint}
        value={grant[field]}
        autoComplete="off"
        spellcheck={false}
        onInput={(event) => onChange({ [field]: event.currentTarget.value })}
      />
    </label>
  );
  return (
    <fieldset class="grant" ref={fieldset}>
      <legend>Secret {number}</legend>
      {text('Stored secret', 'secret', 'NPM_TOKEN')}
      {text('For hosts', 'hosts', 'npm.example, cdn.example:8443')}
      <SelectField
        label="Send as"
        options={SCHEMES}
        value={grant.scheme}
        onChoose={(scheme) => onChange({ scheme: scheme as GrantDraft['scheme'] })}
      />
      {grant.scheme === 'basic' && text('User', 'user', 'robot')}
      {text('In header', 'header', 'authorization')}
      <SelectField
        label="For"
        options={PURPOSES}
        value={grant.writes ? 'writes' : 'reads'}
        onChoose={(purpose) => onChange({ writes: purpose === 'writes' })}
      />
      <Button small onClick={onRemove}>
        Remove<span class="visually-hidden"> secret {number}</span>
      </Button>
    </fieldset>
  );
}
