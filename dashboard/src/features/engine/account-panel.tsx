import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Badge } from '../../ui/marks/badge.tsx';
import { ConfirmButton } from '../../ui/overlays/confirm-button.tsx';
import { QueryView } from '../../ui/data/query-view.tsx';
import { showToast } from '../../ui/overlays/toasts.tsx';
import { LoginForm } from './login-form.tsx';
import { limitsOf } from './limits-of.ts';
import { accountQuery, logOut, rateLimitsQuery, type RunnerChoice } from './queries.ts';
import { Due } from '../../ui/marks/ago.tsx';
import { Fact } from '../../ui/data/fact.tsx';
import { refresh } from '../../api/read-query.ts';

/** The engine's account, how to change it, and the provider's remaining limits. */
export function AccountPanel({ runner }: { runner: RunnerChoice }) {
  const account = useQuery(accountQuery(runner));
  return (
    <div class="engine-columns">
      <section class="panel engine-part" aria-labelledby="account-title">
        <h2 id="account-title">Account</h2>
        <QueryView query={account} skeletonLines={3}>
          {(found) =>
            found.account === null ? (
              <>
                <p>
                  <Badge tone="warning">Not signed in</Badge>
                </p>
                <LoginForm runner={runner} />
              </>
            ) : (
              <SignedIn account={found.account} runner={runner} />
            )
          }
        </QueryView>
      </section>
      <Limits runner={runner} account={account.data?.account?.type} />
    </div>
  );
}

function SignedIn({ account, runner }: { account: { type: string }; runner: RunnerChoice }) {
  const client = useQueryClient();
  const known: Record<string, unknown> = account;
  const facts = Object.entries(known).flatMap(([name, value]) => {
    const isPlain = ['string', 'number', 'boolean'].includes(typeof value);
    return name !== 'type' && isPlain ? [[name, JSON.stringify(value)] as const] : [];
  });
  const signOut = async () => {
    await logOut(runner);
    showToast('Signed out of the engine.');
    await refresh(client, 'engine');
  };
  return (
    <>
      <p>
        <Badge tone="good">
          {account.type === 'apiKey' ? 'Uses an API key' : `Signed in: ${account.type}`}
        </Badge>
      </p>
      {account.type === 'apiKey' && (
        <p class="quiet">The key stays with the model proxy; the engine itself never sees it.</p>
      )}
      {facts.length > 0 && (
        <dl class="fact-grid">
          {facts.map(([name, value]) => (
            <Fact key={name} name={name} class="wrap">
              {value}
            </Fact>
          ))}
        </dl>
      )}
      <footer>
        <ConfirmButton
          label="Sign out"
          small
          question="Sign out of the engine?"
          explanation="The stored login is deleted. New attempts need another one."
          confirmLabel="Sign out"
          danger
          action={signOut}
        />
      </footer>
    </>
  );
}

/** Only an account has limits here; those of a key are known to its provider alone. */
function Limits({ runner, account }: { runner: RunnerChoice; account: string | undefined }) {
  const hasLimits = account !== undefined && account !== 'apiKey';
  const limits = useQuery({ ...rateLimitsQuery(runner), enabled: hasLimits });
  if (!hasLimits) {
    return (
      <section class="panel engine-part" aria-labelledby="limits-title">
        <h2 id="limits-title">Rate limits</h2>
        <p class="quiet">
          Rate limits are reported only for signed-in accounts. With an API key, a rate limit of the
          provider pauses dispatch.
        </p>
      </section>
    );
  }
  return (
    <section class="panel engine-part" aria-labelledby="limits-title">
      <h2 id="limits-title">Rate limits</h2>
      <QueryView query={limits} skeletonLines={3}>
        {(found) => {
          const windows = limitsOf(found.rateLimits);
          if (windows.length === 0)
            return <p class="quiet">The provider reports no rate limits.</p>;
          return (
            <ul class="limits">
              {windows.map((limit) => (
                <li key={limit.name}>
                  <span class="grow">{limit.name}</span>
                  <meter min={0} max={100} high={90} value={limit.usedPercent} aria-hidden="true" />
                  <span>{Math.round(limit.usedPercent)} % used</span>
                  {limit.resetsAt !== null && (
                    <span class="quiet">
                      resets <Due at={limit.resetsAt} />
                    </span>
                  )}
                </li>
              ))}
            </ul>
          );
        }}
      </QueryView>
    </section>
  );
}
