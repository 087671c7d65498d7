import { WIRE_APIS } from '@switchyard/shared/model-providers/wire-apis';
import { useDraftChoice } from '../../../ui/forms/form-draft.ts';
import { Icon } from '../../../ui/marks/icon.tsx';
import { LoginForm } from '../../engine/login-form.tsx';
import { MissingPrices } from '../../costs/missing-prices.tsx';
import { Choice } from './choice.tsx';
import { TrialChoice } from './trial-choice.tsx';
import { CustomProviderForm, ProviderForm } from './provider-form.tsx';
import type { Setup } from '../queries.ts';

const WAYS = [...WIRE_APIS, 'endpoint', 'login'] as const;
type Way = (typeof WAYS)[number];

function waysOf({ formats }: Setup['provider']) {
  return [
    ...formats.map(({ wireApi, hosted }) => ({
      id: wireApi,
      label: hosted.title,
      about: `${new URL(hosted.baseUrl).host}${hosted.hasKey ? ', key stored' : ''}`,
    })),
    {
      id: 'endpoint' as const,
      label: 'Custom endpoint',
      about: 'Any other address, also of your own.',
    },
    { id: 'login' as const, label: 'Account', about: 'Sign in through the engine of a runner.' },
  ];
}

/** The option by which the provider in use was set. */
function wayInUse({ baseUrl, wireApi, formats }: Setup['provider']): Way {
  const own = formats.find((format) => format.wireApi === wireApi);
  return own?.hosted.baseUrl === baseUrl ? wireApi : 'endpoint';
}

/**
 * Selects the provider of the agents' models. The input is verified first; after a failure it can
 * be saved anyway.
 */
export function ProviderStep({ setup }: { setup: Setup }) {
  const { provider } = setup;
  const present = wayInUse(provider);
  const [way, setWay] = useDraftChoice<Way>('setup.provider', WAYS, present);
  const format = provider.formats.find(({ wireApi }) => wireApi === way);
  return (
    <>
      {provider.warning !== null && (
        <p class="note warning wrap">
          <Icon name="warning" size={14} />
          <span>{provider.warning}</span>
        </p>
      )}
      <Choice
        name="provider"
        label="Provider"
        options={waysOf(provider)}
        value={way}
        inUse={provider.hasKey || present === 'endpoint' ? present : undefined}
        onChange={setWay}
      />
      {way === 'login' ? (
        <LoginForm runner={undefined} />
      ) : format === undefined ? (
        <CustomProviderForm key={way} provider={provider} isInUse={present === way} />
      ) : (
        <ProviderForm
          key={way}
          provider={provider}
          format={format}
          hosted={format.hosted}
          isInUse={present === way}
        />
      )}
      {setup.provider.hasKey && !setup.provider.onTrial && <MissingPrices />}
      <TrialChoice setup={setup} />
    </>
  );
}
