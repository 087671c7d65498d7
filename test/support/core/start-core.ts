import { existsSync } from 'node:fs';
import { leaseTimes } from '@switchyard/shared/protocol/lease-times';
import { createApp } from '../../../control-plane/src/app.ts';
import { createGitHubCodeHost } from '../../../control-plane/src/integrations/github/code-host/github-code-host.ts';
import { createGitHubConnections } from '../../../control-plane/src/integrations/github/api/github-connections.ts';
import { createLocalCodeHost } from '../../../control-plane/src/integrations/local/code-host/local-code-host.ts';
import { defaultConfig } from '../../../control-plane/src/config/schema/config-schema.ts';
import { createConfigStore } from '../../../control-plane/src/config/create-config-store.ts';
import type { Database } from '../../../control-plane/src/db/database.ts';
import type { Deps } from '../../../control-plane/src/deps.ts';
import { createSessions } from '../../../control-plane/src/http/sessions/sessions.ts';
import { createSignInCodes } from '../../../control-plane/src/http/sessions/sign-in-codes.ts';
import { environmentTokens } from '../../../control-plane/src/http/caller/environment-tokens.ts';
import { noErrorTracker } from '../../../control-plane/src/admin/observability/no-error-tracker.ts';
import { createBackgroundTasks } from '../../../control-plane/src/platform/node/background-tasks.ts';
import { createRowBlobs } from '../../../control-plane/src/runners/blobs/create-row-blobs.ts';
import { createEventSignal } from '../../../control-plane/src/observe/events/create-event-signal.ts';
import { createIds } from '../../../control-plane/src/create-ids.ts';
import { hashText } from '../../../control-plane/src/platform/node/secrets/hash-text.ts';
import { startHmac } from '../../../control-plane/src/platform/node/secrets/start-hmac.ts';
import { createPromMetrics } from '../../../control-plane/src/platform/node/create-prom-metrics.ts';
import { openDatabase } from '../../../control-plane/src/platform/node/database/open-database.ts';
import { newIdentity } from '../../../control-plane/src/admin/service/new-identity.ts';
import { serviceAudience } from '../../../control-plane/src/admin/service/service-audience.ts';
import { createRunnerCalls } from '../../../control-plane/src/runners/calls/runner-calls.ts';
import { createRunnerInboxes } from '../../../control-plane/src/runners/protocol/runner-inboxes.ts';
import {
  REPORT_TRACKER,
  reportTracker,
} from '../../../control-plane/src/integrations/report/report-tracker.ts';
import { createLocalTracker } from '../../../control-plane/src/integrations/local/tracker/local-tracker.ts';
import type { LocalTrackerSettings } from '../../../control-plane/src/integrations/local/tracker/local-tracker-deps.ts';
import { learningSecrets } from '../../../control-plane/src/config/secrets/learning-secrets.ts';
import { createRedactor } from '../../../control-plane/src/observe/redaction/create-redactor.ts';
import { hideResolved } from '../../../control-plane/src/admin/observability/hide-resolved.ts';
import { redactConfigSecrets } from '../../../control-plane/src/admin/observability/redact-config-secrets.ts';
import { redactOutgoing } from '../../../control-plane/src/integrations/redact-outgoing.ts';
import { createResolveSecret } from '../../../control-plane/src/config/secrets/create-resolve-secret.ts';
import { createSessionSecret } from '../../../control-plane/src/config/secrets/session-secret.ts';
import { createTestMasterKeys } from '../test-master-keys.ts';
import { MIGRATIONS } from './migrations.ts';
import { createRecordingSockets, type RecordingSockets } from './recording-sockets.ts';
import { writeMigratedFile } from './write-migrated-file.ts';

const REPOSITORY = 'file:///srv/repositories/shop';

/** Enough configuration for an issue `SY-…` to be offered to a runner. */
const BASE_VARIABLES: Record<string, string> = {
  SERVICE_CONFIG__engine__provider__baseUrl: 'http://127.0.0.1:9/v1',
  SERVICE_CONFIG__engine__provider__apiKey: 'provider-key',
  SERVICE_CONFIG__repos: JSON.stringify([
    { prefix: 'SY', url: REPOSITORY, default_branch: 'main' },
  ]),
};

export type TestClock = {
  nowMs(): number;
  monotonicMs(): number;
  /** Lets time pass. */
  advance(ms: number): void;
  /** Sets the clock; no time passes. */
  set(byMs: number): void;
};

/** One start of the control plane's core over a database file, without a server. */
export type Core = {
  deps: Deps;
  sockets: RecordingSockets;
  localTracker: LocalTrackerSettings;
  app: ReturnType<typeof createApp>;
  /** Resolves when nothing is done in the background. */
  background: { settled(): Promise<void> };
  /** Messages of warnings and errors. */
  complaints: string[];
  wakes: () => number;
  /** Ends this start; the file stays. */
  stop(): Promise<void>;
};

/**
 * Builds the real core on real rows: only the clock, the sockets and the log are the test's.
 * `wrap` may stand between the core and its database, for example to make it fail.
 */
export async function startCore(given: {
  path: string;
  clock: TestClock;
  variables?: Record<string, string>;
  wrap?: (db: Database) => Database;
}): Promise<Core> {
  const { clock } = given;
  if (!existsSync(given.path)) await writeMigratedFile(given.path);
  const opened = await openDatabase(given.path, MIGRATIONS);
  const db = given.wrap?.(opened.db) ?? opened.db;
  const complaints: string[] = [];
  const complain = (message: string, fields?: Record<string, unknown>) =>
    void complaints.push(`${message} ${JSON.stringify(fields ?? {})}`);
  const logger = { debug: () => {}, info: () => {}, warn: complain, error: complain };
  const background = createBackgroundTasks(logger);
  const variables = { ...BASE_VARIABLES, ...given.variables };
  const redactor = createRedactor();
  const masterKeys = createTestMasterKeys();
  const store = learningSecrets(
    redactConfigSecrets(createConfigStore({ db, variables, baseFile: null }), redactor),
    { db, masterKeys, redactor },
  );
  let latest = defaultConfig();
  const config = {
    ...store,
    load: async () => {
      latest = await store.load();
      return latest;
    },
  };
  await config.load();
  // A secret may be stored later, or be what the test is about.
  const problems = store.problems().filter(({ source }) => source !== 'secrets');
  if (problems.length > 0) throw new Error(`bad test configuration: ${JSON.stringify(problems)}`);
  const sockets = createRecordingSockets();
  const ids = createIds(() => clock.nowMs());
  const events = createEventSignal();
  let wakes = 0;
  const leases = leaseTimes();
  const service = newIdentity(
    { clock, leases },
    {
      version: '0.0.0-test',
      instanceId: ids.next('ses'),
      role: 'active',
      dataDir: null,
      audience: await serviceAudience(db, clock.nowMs()),
      publicOrigin: 'http://127.0.0.1:4000',
    },
  );
  const localTracker: LocalTrackerSettings = {
    prefix: () => latest.tracker.local.prefix,
    roles: () => ({
      ...latest.tracker.states,
      active: latest.tracker.activeStates,
      terminal: latest.tracker.terminalStates,
    }),
    issueUrl: () => null,
  };
  const resolveSecret = hideResolved(
    createResolveSecret({ db, clock, logger, masterKeys }),
    redactor,
  );
  const github = createGitHubConnections({ config, clock, resolveSecret });
  const local = createLocalTracker({ db, clock, ids, events, settings: localTracker });
  const deps: Deps = {
    db,
    clock,
    ids,
    alarm: { set: () => {} },
    sockets,
    inboxes: createRunnerInboxes(sockets, clock),
    calls: createRunnerCalls({ sockets, ids }),
    blobs: createRowBlobs(db, clock),
    background,
    logger,
    metrics: createPromMetrics(),
    errors: noErrorTracker,
    redactor,
    events,
    config,
    hashText,
    startHmac,
    resolveSecret,
    masterKeys,
    service,
    leases,
    trackers: new Map([
      ['local', redactOutgoing({ tracker: local }, redactor).tracker],
      [REPORT_TRACKER, reportTracker],
    ]),
    codeHosts: [
      createLocalCodeHost({ db, clock, ids, events, publicOrigin: () => service.publicOrigin }),
      createGitHubCodeHost({ db, clock, ids, events, logger, github }),
    ].map((codeHost) => redactOutgoing({ codeHost }, redactor).codeHost),
    wake: () => void (wakes += 1),
  };
  const sessionSecret = createSessionSecret(deps);
  const app = createApp(deps, {
    sessions: createSessions(clock, sessionSecret),
    sessionSecret,
    codes: createSignInCodes({ clock, ids }),
    policy: {
      tokens: environmentTokens({ writeToken: 'write-secret', readToken: undefined }),
      allowedHosts: [],
      limits: async () => (await config.load()).limits,
    },
    localTracker,
  });
  return {
    deps,
    sockets,
    localTracker,
    app,
    background,
    complaints,
    wakes: () => wakes,
    stop: async () => {
      deps.inboxes.closeInboxes('the test is over');
      await background.settled();
      opened.close();
    },
  };
}
