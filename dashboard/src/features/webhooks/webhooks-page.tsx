import type { WebhookHealth } from '@switchyard/shared/api/admin/webhook';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { formatDuration } from '../../format/time.ts';
import { Badge } from '../../ui/marks/badge.tsx';
import { Icon } from '../../ui/marks/icon.tsx';
import { ListPage } from '../../ui/data/list-page.tsx';
import { Ago } from '../../ui/marks/ago.tsx';
import { DeadLetters } from './dead-letters.tsx';
import { webhookHealthQuery } from './queries.ts';
import { Fact } from '../../ui/data/fact.tsx';
import '../../ui/data/fact-grid.css';
import './webhooks.css';

type Provider = WebhookHealth['providers'][number];
type Refusal = WebhookHealth['refusals'][number];

const NAMES: Record<Provider['provider'], { name: string; path: string }> = {
  tracker: { name: 'Tracker', path: '/webhooks/tracker' },
  codehost: { name: 'Code host', path: '/webhooks/codehost' },
  trigger: { name: 'Triggers', path: '/api/v1/webhooks/trigger' },
};

/**
 * The page with the health of webhook deliveries, refused ones, and dead letters that can be
 * replayed.
 */
export function WebhooksPage() {
  const health = useQuery(webhookHealthQuery);
  return (
    <ListPage
      title="Webhooks"
      about="Webhooks from trackers and code hosts start work immediately. Without webhooks, the tracker is polled."
      actions={
        <Link to="/config" search={{ section: 'webhook' }} className="button">
          <Icon name="sliders" size={14} /> Settings
        </Link>
      }
      query={health}
    >
      {(found) => (
        <>
          <div class="webhook-health">
            {found.providers.map((provider) => (
              <ProviderPanel
                key={provider.provider}
                provider={provider}
                refusals={refusalsOf(found, provider.provider)}
              />
            ))}
          </div>
          <p class="note">
            <Icon name="retry" size={14} /> The tracker is polled every{' '}
            {formatDuration(found.polling.intervalMs)}
            {found.polling.stretched && ', less often while webhooks are healthy'}.
          </p>
          <Refusals refusals={refusalsOf(found, null)} />
          <DeadLetters />
        </>
      )}
    </ListPage>
  );
}

/**
 * Refused deliveries of a provider. Anybody can send these, so they are shown beside the state and
 * do not change it.
 */
function refusalsOf({ refusals }: WebhookHealth, provider: Refusal['provider']): Refusal[] {
  // An older instance, which responds until a newer one takes over, has no such field.
  return (refusals ?? []).filter((refusal) => refusal.provider === provider);
}

function ProviderPanel({ provider, refusals }: { provider: Provider; refusals: Refusal[] }) {
  const { name, path } = NAMES[provider.provider];
  return (
    <section class="panel" aria-label={name}>
      <header>
        <h2>{name}</h2>
        <ProviderBadge provider={provider} />
      </header>
      <dl class="fact-grid">
        <Fact name="Receiver" class="mono wrap">
          {path}
        </Fact>
        <Fact name="Last delivery">
          {provider.lastDeliveryAt === null ? 'None yet' : <Ago at={provider.lastDeliveryAt} />}
        </Fact>
        <Fact name="Queued">{provider.backlog}</Fact>
        <Fact name="Dead">{provider.dead}</Fact>
        {provider.subscription !== null && (
          <Fact name="Subscription">
            {provider.subscription}
            {provider.subscriptionCheckedAt !== null && (
              <span class="quiet">
                , checked <Ago at={provider.subscriptionCheckedAt} />
              </span>
            )}
          </Fact>
        )}
      </dl>
      <Refusals refusals={refusals} />
    </section>
  );
}

function Refusals({ refusals }: { refusals: Refusal[] }) {
  return (
    <>
      {refusals.map(({ reason, lastAt, message }) => (
        <p key={reason} class="note refused-delivery">
          <Icon name="blocked" size={14} />
          <span>
            Last refused <Ago at={lastAt} />: {message}.
          </span>
        </p>
      ))}
    </>
  );
}

function ProviderBadge({ provider }: { provider: Provider }) {
  if (!provider.configured) return <Badge>Not configured</Badge>;
  if (provider.dead > 0) return <Badge tone="warning">Dead letters</Badge>;
  return provider.healthy ? <Badge tone="good">Healthy</Badge> : <Badge icon="clock">Idle</Badge>;
}
