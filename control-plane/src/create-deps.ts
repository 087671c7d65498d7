import { redactConfigSecrets, hideResolved } from './admin/observability/redact-config-secrets.ts';
import { newIdentity } from './admin/service/new-identity.ts';
import { serviceAudience } from './admin/service/service-audience.ts';
import type { BaseFile, ReadBaseFile } from './config/base-file.ts';
import { createConfigStore, type ReloadableConfigStore } from './config/create-config-store.ts';
import { createResolveSecret } from './config/secrets/create-resolve-secret.ts';
import { learningSecrets } from './config/secrets/learning-secrets.ts';
import { createIds } from './create-ids.ts';
import { createIntegrationHost } from './create-integration-host.ts';
import type { Database } from './db/database.ts';
import type { Deps, ServiceIdentity } from './deps.ts';
import { createCodehostHandler } from './inbox/create-codehost-handler.ts';
import { createTrackerHandler } from './inbox/create-tracker-handler.ts';
import { connectIntegrations } from './integrations/connect-integrations.ts';
import { createEventSignal } from './observe/events/create-event-signal.ts';
import { runAutomation } from './people/automations/run-automation.ts';
import type { Ids } from './ports/ports.ts';
import { createRowBlobs } from './runners/blobs/create-row-blobs.ts';
import { readLeaseTimes } from './runners/leases/read-lease-times.ts';

/** What the core has made by the time a platform adds its own parts. */
type Made = Pick<Deps, 'db' | 'clock' | 'ids' | 'background' | 'logger' | 'service'>;

/** Parts that only a platform can make, and those of the core's that it replaces. */
type OwnParts = Pick<Deps, 'connections' | 'metrics' | 'wake'> &
  Partial<Pick<Deps, 'alarm' | 'blobs' | 'events' | 'liveText' | 'resolveSecret'>>;

/** What a platform gives to the core, which makes the rest of its `Deps`. */
export type Platform = Pick<
  Deps,
  | ('clock' | 'logger' | 'errors' | 'background' | 'redactor' | 'masterKeys' | 'writes')
  | ('hashText' | 'startHmac')
> & {
  /** Migrated. */
  db: Database;
  /** Environment variables. */
  variables: Readonly<Record<string, string | undefined>>;
  baseFile?: BaseFile | null;
  readBaseFile?: ReadBaseFile;
  identity: Pick<ServiceIdentity, 'version' | 'instanceId' | 'role' | 'dataDir'> &
    Partial<
      Pick<ServiceIdentity, 'audience' | 'publicOrigin' | 'leaseTimes' | 'demo' | 'checkout'>
    >;
  own: (made: Made) => OwnParts;
  /** Left out: time-ordered ids. */
  ids?: Ids;
  /** Connects trackers and code hosts; left out: those of every provider. */
  connect?: typeof connectIntegrations;
};

/**
 * Creates everything that the core is built on, over a platform's parts, and lets its database
 * notify the event streams. The configuration is not loaded yet.
 */
export async function createDeps(
  platform: Platform,
): Promise<{ deps: Deps; config: ReloadableConfigStore }> {
  const { db, clock, logger, errors, background, redactor, masterKeys } = platform;
  const { hashText, startHmac, writes, variables, identity } = platform;
  const { baseFile = null, connect = connectIntegrations } = platform;
  const { ids = createIds(() => clock.nowMs()) } = platform;
  const stored = createConfigStore({ ...platform, baseFile });
  const config = learningSecrets(redactConfigSecrets(stored, redactor), platform);
  const service = newIdentity(clock, {
    publicOrigin: variables['SERVICE_PUBLIC_ORIGIN'] ?? null,
    ...identity,
    leaseTimes: identity.leaseTimes ?? readLeaseTimes(variables),
    audience: identity.audience ?? (await serviceAudience(db, clock.nowMs())),
  });
  const made = { db, clock, ids, service, logger, background };
  const parts = {
    ...made,
    config,
    ...(writes === undefined ? {} : { writes }),
    errors,
    redactor,
    masterKeys,
    hashText,
    startHmac,
    alarm: { set: () => {} },
    blobs: createRowBlobs(db, clock),
    events: createEventSignal(),
    resolveSecret: hideResolved(createResolveSecret(platform), redactor),
    ...platform.own(made),
  };
  db.notify = () => parts.events.notify();
  const host = createIntegrationHost(() => deps);
  const connected = connect({ ...parts, host });
  const trackers = connected.flatMap(({ tracker }) => tracker ?? []);
  const deps: Deps = {
    ...parts,
    trackers: new Map(trackers.map((tracker) => [tracker.kind, tracker])),
    codeHosts: connected.flatMap(({ codeHost }) => codeHost ?? []),
    deliveryHandlers: new Map(),
    runAutomation: (name, caller) => runAutomation(deps, name, caller),
  };
  deps.deliveryHandlers = new Map([
    ['tracker', createTrackerHandler(config, connected)],
    ['codehost', createCodehostHandler(deps, connected)],
  ]);
  return { deps, config };
}
