import { existsSync } from 'node:fs';
import { createApp } from '../../../control-plane/src/app.ts';
import { createDeps } from '../../../control-plane/src/create-deps.ts';
import type { Database } from '../../../control-plane/src/db/database.ts';
import type { Deps } from '../../../control-plane/src/deps.ts';
import { createSessions } from '../../../control-plane/src/http/sessions/sessions.ts';
import { createSignInCodes } from '../../../control-plane/src/http/sessions/sign-in-codes.ts';
import { environmentTokens } from '../../../control-plane/src/http/caller/environment-tokens.ts';
import { createBackgroundTasks } from '../../../control-plane/src/platform/node/background-tasks.ts';
import { createIds } from '../../../control-plane/src/create-ids.ts';
import { hashText } from '../../../control-plane/src/platform/node/secrets/hash-text.ts';
import { startHmac } from '../../../control-plane/src/platform/node/secrets/start-hmac.ts';
import { createPromMetrics } from '../../../control-plane/src/platform/node/create-prom-metrics.ts';
import { openDatabase } from '../../../control-plane/src/platform/node/database/open-database.ts';
import { createRunnerConnections } from '../../../control-plane/src/runners/connections/create-runner-connections.ts';
import {
  createFrameHandler,
  type FrameHandler,
} from '../../../control-plane/src/runners/protocol/create-frame-handler.ts';
import { localTrackerSettings } from '../../../control-plane/src/integrations/local/local-tracker-settings.ts';
import type { LocalTrackerSettings } from '../../../control-plane/src/integrations/local/tracker/local-tracker-deps.ts';
import { createRedactor } from '../../../control-plane/src/observe/redaction/create-redactor.ts';
import { createSessionSecret } from '../../../control-plane/src/config/secrets/session-secret.ts';
import { createTestMasterKeys } from '../test-master-keys.ts';
import { MIGRATIONS } from './migrations.ts';
import { createRecordingSockets, type RecordingSockets } from './recording-sockets.ts';
import { writeMigratedFile } from './write-migrated-file.ts';
import { noErrorTracker } from '../../../control-plane/src/admin/observability/create-error-tracker.ts';

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
  handleFrame: FrameHandler;
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
  const sockets = createRecordingSockets();
  const ids = createIds(() => clock.nowMs());
  let wakes = 0;
  const { deps, config } = await createDeps({
    db,
    clock,
    ids,
    logger,
    errors: noErrorTracker,
    background,
    redactor: createRedactor(),
    variables,
    masterKeys: createTestMasterKeys(),
    hashText,
    startHmac,
    identity: {
      version: '0.0.0-test',
      instanceId: ids.next('ses'),
      role: 'active',
      dataDir: null,
      publicOrigin: 'http://127.0.0.1:4000',
    },
    own: (made) => ({
      connections: createRunnerConnections({ ...made, sockets }),
      metrics: createPromMetrics(),
      wake: () => void (wakes += 1),
    }),
  });
  await config.load();
  // A secret may be stored later, or be what the test is about.
  const problems = config.problems().filter(({ source }) => source !== 'secrets');
  if (problems.length > 0) throw new Error(`bad test configuration: ${JSON.stringify(problems)}`);
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
  });
  return {
    deps,
    sockets,
    localTracker: localTrackerSettings(config, deps.service),
    // Made anew each time, because a test may replace a part of `deps`.
    handleFrame: (session, text) => createFrameHandler(deps)(session, text),
    app,
    background,
    complaints,
    wakes: () => wakes,
    stop: async () => {
      deps.connections.closeInboxes('the test is over');
      await background.settled();
      opened.close();
    },
  };
}
